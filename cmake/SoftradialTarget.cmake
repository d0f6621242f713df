# Settings that every target of the project shares, applied target by target.
function(softradial_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    $<$<BOOL:${SOFTRADIAL_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()

# A program in C: what the C interface is used by.
function(softradial_c_target name)
  set_target_properties(${name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    $<$<BOOL:${SOFTRADIAL_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()
