# Runs PROGRAM and compares what it prints with the text in EXPECTED.
execute_process(COMMAND "${PROGRAM}" RESULT_VARIABLE status OUTPUT_VARIABLE printed)
file(READ "${EXPECTED}" expected)
if(NOT status EQUAL 0 OR NOT printed STREQUAL expected)
  message(FATAL_ERROR "ended with ${status} and printed\n${printed}instead of\n${expected}")
endif()
