# softradial_optimise(<target> <level>)
# The level of GCC's optimisation in a Release build, in the place of CMake's 3, which costs the compiler more time. What evaluates
# rows keeps 3: kernels (softradial_add_kernels) and the other layers. What runs once for a command or a test has 1.
function(softradial_optimise name level)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${name} PRIVATE "$<$<CONFIG:Release>:-O${level}>")
    if(level EQUAL 1)
      # With 1 GCC knows too little of Eigen's temporaries to say whether they are initialised.
      target_compile_options(${name} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()

# Settings that every target of the project shares, applied target by target.
function(softradial_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  if(SOFTRADIAL_RELEASE)
    # The same bytes wherever it is built: __FILE__ and debug information name files from the project's folder on. The build
    # folder may lie inside of it; the last option that fits counts.
    target_compile_options(${name} PRIVATE
      "-ffile-prefix-map=${PROJECT_SOURCE_DIR}=." "-ffile-prefix-map=${PROJECT_BINARY_DIR}=build")
  endif()
  softradial_optimise(${name} 2)
  if(SOFTRADIAL_WHEEL)
    # Warnings are for those who work on the files.
    target_compile_options(${name} PRIVATE -w)
  else()
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
    if(SOFTRADIAL_WARNINGS_AS_ERRORS)
      # GCC 12 sees copies that overlap in its own std::string (its bug 105651).
      target_compile_options(${name} PRIVATE -Werror $<$<CXX_COMPILER_ID:GNU>:-Wno-error=restrict>)
    endif()
  endif()
endfunction()

# A library of many files: those that share their headers and instantiations, fourteen at a time, take a quarter of the time
# with LibTorch and half of it with Eigen.
function(softradial_unity name)
  if(SOFTRADIAL_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 14)
    # An unnamed namespace counts as a header's there.
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# Adds files that are compiled by themselves in every build: kernels, which Highway includes again for every instruction set,
# and what is called for every row, where the compiler inlines less in a large unit.
function(softradial_add_kernels target)
  target_sources(${target} PRIVATE ${ARGN})
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>;${SOFTRADIAL_KERNEL_OPTIONS}")
endfunction()

# What the linker lets out of a shared library: the names in a version script, and nothing else.
function(softradial_export_list target file)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(exports "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${exports}")
    set_target_properties(${target} PROPERTIES LINK_DEPENDS "${exports}")
  endif()
endfunction()

# A program in C: what the C interface is used by.
function(softradial_c_target name)
  set_target_properties(${name} PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
    $<$<BOOL:${SOFTRADIAL_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()
