# For WebAssembly: the headers of Eigen, Highway and nlohmann-json from the system, and nothing else of it. They are linked
# into a folder of their own, because all of /usr/include would bring the headers of another C library.
set(folder "${CMAKE_BINARY_DIR}/system_headers")
file(MAKE_DIRECTORY "${folder}")
foreach(header hwy nlohmann eigen3/Eigen)
  find_path(place NAMES "${header}" PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH NO_CACHE REQUIRED)
  get_filename_component(name "${header}" NAME)
  file(CREATE_LINK "${place}/${header}" "${folder}/${name}" SYMBOLIC)
  unset(place)
endforeach()
foreach(target Eigen3::Eigen hwy::hwy nlohmann_json::nlohmann_json)
  add_library(${target} INTERFACE IMPORTED)
  target_include_directories(${target} SYSTEM INTERFACE "${folder}")
endforeach()
# Highway 1.0's own target for WebAssembly has no doubles. One lane: rows of two or three numbers fill no vector, and emulated ones
# take twice the code.
set_property(TARGET hwy::hwy PROPERTY INTERFACE_COMPILE_DEFINITIONS HWY_COMPILE_ONLY_SCALAR)
# Small before fast for what is called once for a set. What is called for every row is compiled for speed: kernels
# (softradial_add_kernels) and layers in the plane.
# Emscripten forbids to inline with -Os, and Eigen lives on it.
set(CMAKE_CXX_FLAGS_RELEASE "-Os -finline-functions -DNDEBUG")
set(SOFTRADIAL_KERNEL_OPTIONS -O2)
add_compile_options(-fwasm-exceptions -msimd128 -fno-PIC)
add_link_options(-fwasm-exceptions)
