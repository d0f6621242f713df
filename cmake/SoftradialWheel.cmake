# SOFTRADIAL_WHEEL: the Python package as pip installs it. It is compiled against the torch of the Python that runs pip, loads
# nothing but that torch, the C and C++ run-time and what lies in its own folder, and has no path of the building machine.

# The torch of Python_EXECUTABLE, as the target `torch`. Its CMake package is not used: that of a torch with CUDA demands the
# CUDA toolkit, which nothing here needs. If Python sees none it is asked again without PYTHONPATH and its like: that is how
# pip hides the user's environment from a build.
#   SOFTRADIAL_TORCH_VERSION, SOFTRADIAL_TORCH_LIBRARIES
macro(softradial_find_python_torch)
  find_package(Python REQUIRED COMPONENTS Interpreter)
  set(_question "import torch; print(torch.__version__, torch.__path__[0], int(torch.compiled_with_cxx11_abi()), sep=chr(59))")
  foreach(_environment "" -E)
    execute_process(COMMAND "${Python_EXECUTABLE}" ${_environment} -c "${_question}" WORKING_DIRECTORY "${CMAKE_BINARY_DIR}"
      RESULT_VARIABLE _status OUTPUT_VARIABLE _answer ERROR_VARIABLE _error OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(_status EQUAL 0)
      break()
    endif()
  endforeach()
  if(NOT _status EQUAL 0)
    message(FATAL_ERROR "softradial is compiled against the torch that it will run with, and ${Python_EXECUTABLE} has none: "
      "install torch first, then `pip install --no-build-isolation` softradial.\n${_error}")
  endif()
  list(POP_FRONT _answer SOFTRADIAL_TORCH_VERSION _torch_folder _cxx11_abi)
  message(STATUS "torch ${SOFTRADIAL_TORCH_VERSION}: ${_torch_folder}")
  if(SOFTRADIAL_TORCH_VERSION VERSION_LESS 1.13)
    message(FATAL_ERROR "softradial needs torch 1.13 or later; ${_torch_folder} is ${SOFTRADIAL_TORCH_VERSION}")
  endif()
  set(SOFTRADIAL_TORCH_LIBRARIES "${_torch_folder}/lib/libtorch_cpu.so" "${_torch_folder}/lib/libc10.so")
  foreach(_file "${_torch_folder}/include/ATen/ATen.h" ${SOFTRADIAL_TORCH_LIBRARIES})
    if(NOT EXISTS "${_file}")
      message(FATAL_ERROR "torch ${SOFTRADIAL_TORCH_VERSION} has no ${_file} (on Debian: apt install libtorch-dev)")
    endif()
  endforeach()
  add_library(torch INTERFACE IMPORTED)
  target_include_directories(torch INTERFACE "${_torch_folder}/include" "${_torch_folder}/include/torch/csrc/api/include")
  target_compile_definitions(torch INTERFACE _GLIBCXX_USE_CXX11_ABI=${_cxx11_abi})
  target_link_libraries(torch INTERFACE ${SOFTRADIAL_TORCH_LIBRARIES})
endmacro()

# The libraries that have to lie beside ours: what a program that calls the solver and Highway loads, without the C and C++
# run-time and without what torch loads itself. In `variable`: paths, whose names are those that the loader looks for.
function(softradial_find_bundle variable)
  try_compile(linked SOURCES "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/bundle/probe.cpp"
    LINK_LIBRARIES -Wl,--as-needed PkgConfig::clp hwy::hwy
    CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
    COPY_FILE "${CMAKE_BINARY_DIR}/bundle_probe" OUTPUT_VARIABLE output)
  if(NOT linked)
    message(FATAL_ERROR "a program with Clp and Highway does not link:\n${output}")
  endif()
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=${CMAKE_BINARY_DIR}/bundle_probe"
    "-DTORCH=${SOFTRADIAL_TORCH_LIBRARIES}" "-DLIST=${CMAKE_BINARY_DIR}/bundle.txt"
    -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/bundle/list.cmake" COMMAND_ERROR_IS_FATAL ANY)
  file(STRINGS "${CMAKE_BINARY_DIR}/bundle.txt" paths)
  set(${variable} "${paths}" PARENT_SCOPE)
endfunction()
