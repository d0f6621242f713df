# What `cmake --install` lays down: library, headers, program, and the package that find_package(softradial) reads. Every file
# belongs to a component, which is a Debian package (SoftradialPackages.cmake).
include(CMakePackageConfigHelpers)

set(SOFTRADIAL_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/softradial")

# One path for the build and the installation, relative in both: in a path that it will replace CMake leaves an empty entry,
# which is the current directory to the loader.
function(softradial_install_program name)
  file(RELATIVE_PATH op_library "${CMAKE_BINARY_DIR}/bin" "${CMAKE_BINARY_DIR}/python/softradial/lib")
  set_target_properties(${name} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};$ORIGIN/${op_library}")
  install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
endfunction()

install(TARGETS softradial_core softradial_baselines EXPORT softradialTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT dev)
install(DIRECTORY include/softradial DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev
  FILES_MATCHING PATTERN "*.hpp")
if(SOFTRADIAL_BUILD_C)
  install(TARGETS softradial_c EXPORT softradialCTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT c NAMELINK_COMPONENT dev)
  install(FILES include/softradial/softradial.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/softradial" COMPONENT dev)
  install(EXPORT softradialCTargets NAMESPACE softradial:: DESTINATION "${SOFTRADIAL_PACKAGE_DIR}" COMPONENT dev)
  # For builds without CMake: cc $(pkg-config --cflags softradial) program.c $(pkg-config --libs softradial)
  file(RELATIVE_PATH SOFTRADIAL_PREFIX_FROM_PC "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" SOFTRADIAL_PREFIX_FROM_PC "${SOFTRADIAL_PREFIX_FROM_PC}")
  configure_file(cmake/softradial.pc.in "${PROJECT_BINARY_DIR}/softradial.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/softradial.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)
endif()
if(SOFTRADIAL_BUILD_C OR SOFTRADIAL_BUILD_TORCH)
  # The Python package, complete in its folder. Libraries are installed, not copied: their path is that of the installation.
  install(DIRECTORY "${CMAKE_BINARY_DIR}/python/softradial" DESTINATION "${SOFTRADIAL_PYTHON_DIR}" COMPONENT python
    PATTERN "__pycache__" EXCLUDE PATTERN "lib" EXCLUDE)
  if(TARGET softradial_torch)
    install(TARGETS softradial_torch LIBRARY DESTINATION "${SOFTRADIAL_PYTHON_DIR}/softradial/lib" COMPONENT python)
  endif()
  if(TARGET softradial_c)
    install(FILES "$<TARGET_FILE:softradial_c>" RENAME libsoftradial_c.so
      DESTINATION "${SOFTRADIAL_PYTHON_DIR}/softradial/lib" COMPONENT python)
  endif()
endif()
if(SOFTRADIAL_BUILD_TORCH)
  install(TARGETS softradial_torch EXPORT softradialTorchTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT torch)
  install(EXPORT softradialTorchTargets NAMESPACE softradial:: DESTINATION "${SOFTRADIAL_PACKAGE_DIR}" COMPONENT dev)
  if(SOFTRADIAL_BUILD_BENCHMARKS)
    softradial_install_program(softradial_torch_bench)
  endif()
endif()
if(SOFTRADIAL_BUILD_CLI)
  softradial_install_program(softradial_cli)
  if(SOFTRADIAL_BUILD_TORCH)
    softradial_install_program(softradial_train)
  endif()
  # Large, and of use for trip records only: `cmake --install build --component duckdb` puts it where the program looks.
  if(DuckDB_LIBRARY)
    install(FILES "${DuckDB_LIBRARY}" DESTINATION lib COMPONENT duckdb EXCLUDE_FROM_ALL)
  endif()
endif()

install(EXPORT softradialTargets NAMESPACE softradial:: DESTINATION "${SOFTRADIAL_PACKAGE_DIR}" COMPONENT dev)
configure_package_config_file(cmake/softradialConfig.cmake.in "${PROJECT_BINARY_DIR}/softradialConfig.cmake"
  INSTALL_DESTINATION "${SOFTRADIAL_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/softradialConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/softradialConfig.cmake" "${PROJECT_BINARY_DIR}/softradialConfigVersion.cmake"
  DESTINATION "${SOFTRADIAL_PACKAGE_DIR}" COMPONENT dev)
