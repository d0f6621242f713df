# Configures, builds and runs the project in `project/` in a fresh folder, as a user of the library would.
#   MODE          find_package: against the installation of BUILD_DIR; subproject: with the sources in SOURCE_DIR
#   HAS_PROGRAM   whether the installation holds the program
#   WITH_TORCH    whether the installation holds the layer for LibTorch: then a program with it is built, too
#   WITH_C        whether the installation holds the C interface: then the example in C is built, too, by CMake and by pkg-config
#   C_COMPILER    compiles it
#   WORK_DIR      removed and made anew
#   CONFIGURE     a list of arguments for CMake: generator, compiler, flags
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
if(MODE STREQUAL "find_package")
  run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${WORK_DIR}/prefix")
  set(where "-DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix" "-DWITH_TORCH=${WITH_TORCH}")
else()
  set(where "-DSOFTRADIAL_SOURCE_DIR=${SOURCE_DIR}")
endif()
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/project" -B "${WORK_DIR}/build" ${CONFIGURE} ${where})
run("${CMAKE_COMMAND}" --build "${WORK_DIR}/build" --target consumer)
run("${WORK_DIR}/build/consumer")
if(MODE STREQUAL "find_package" AND WITH_TORCH)
  run("${CMAKE_COMMAND}" --build "${WORK_DIR}/build" --target torch_consumer)
  run("${WORK_DIR}/build/torch_consumer")
endif()
if(MODE STREQUAL "find_package" AND HAS_PROGRAM)
  run("${WORK_DIR}/prefix/bin/softradial" --help)
endif()
if(MODE STREQUAL "find_package" AND WITH_C)
  set(example "${SOURCE_DIR}/examples/c/project.c")
  run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/c_project" -B "${WORK_DIR}/c_build" ${CONFIGURE} ${where}
    "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_C_FLAGS=${C_FLAGS}" "-DEXAMPLE=${example}")
  run("${CMAKE_COMMAND}" --build "${WORK_DIR}/c_build")
  run("${WORK_DIR}/c_build/c_consumer")

  file(GLOB_RECURSE pc "${WORK_DIR}/prefix/softradial.pc")
  cmake_path(GET pc PARENT_PATH folder)
  set(ENV{PKG_CONFIG_PATH} "${folder}")
  foreach(question cflags libs)
    execute_process(COMMAND pkg-config --${question} softradial OUTPUT_VARIABLE ${question}
      OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(${question} UNIX_COMMAND "${${question}}")
  endforeach()
  separate_arguments(C_FLAGS UNIX_COMMAND "${C_FLAGS}")
  run("${C_COMPILER}" -std=c99 ${C_FLAGS} ${cflags} "${example}" -o "${WORK_DIR}/by_pkg_config" ${libs})
  cmake_path(GET folder PARENT_PATH libraries)
  run("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${libraries}" "${WORK_DIR}/by_pkg_config")
endif()
