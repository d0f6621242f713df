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
# Highway 1.0's own target for WebAssembly has no doubles: its emulated vectors, which the compiler maps to real ones.
set_property(TARGET hwy::hwy PROPERTY INTERFACE_COMPILE_DEFINITIONS HWY_COMPILE_ONLY_EMU128)
add_compile_options(-fwasm-exceptions -msimd128 -O3)
add_link_options(-fwasm-exceptions)
