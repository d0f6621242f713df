# The program that README.md shows is examples/quickstart.cpp, the output it shows is what the program prints.
file(READ "${README}" readme)
foreach(file IN ITEMS "${PROGRAM}" "${OUTPUT}")
  file(READ "${file}" text)
  string(FIND "${readme}" "${text}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "README.md does not contain\n${text}")
  endif()
endforeach()
