# Configures, builds and runs the project in `project/` in a fresh folder, as a user of the library would.
#   MODE          find_package: against the installation of BUILD_DIR; subproject: with the sources in SOURCE_DIR
#   HAS_PROGRAM   whether the installation holds the program
#   WITH_TORCH    whether the installation holds the layer for LibTorch: then a program with it is built, too
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
