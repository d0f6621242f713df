# Writes the libraries that PROGRAM loads and that neither the system's C and C++ run-time nor TORCH (libraries) brings into
# the file LIST, one path a line.
cmake_minimum_required(VERSION 3.25)
file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${TORCH} RESOLVED_DEPENDENCIES_VAR of_torch UNRESOLVED_DEPENDENCIES_VAR hidden_of_torch)
list(TRANSFORM of_torch REPLACE "^.*/" "")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${PROGRAM}" RESOLVED_DEPENDENCIES_VAR bundle
  PRE_EXCLUDE_REGEXES "^(ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc[+][+]|gomp))[.]so")
file(WRITE "${LIST}" "")
foreach(path IN LISTS bundle)
  cmake_path(GET path FILENAME name)
  if(NOT name IN_LIST of_torch)
    file(APPEND "${LIST}" "${path}\n")
  endif()
endforeach()
