# The Debian packages, made by `cpack -G DEB` (./dev release): one for each component of the installation.
#
#   c         libsoftradial-c1        the C interface: its shared library; the number is that of its ABI
#   torch     libsoftradial-torch     the layer for LibTorch: its shared library, of one version of torch
#   dev       libsoftradial-dev       headers, the static library, CMake and pkg-config files
#   program   softradial              the program
#   python    python3-softradial      the Python package
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME softradial)
set(CPACK_PACKAGE_CONTACT "softradial <softradial@localhost>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL c torch dev program python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)
# Libraries of ours that other packages of ours need are found among the files that are packed.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}/lib" "${PROJECT_BINARY_DIR}/python/softradial/lib")
set(CPACK_DEBIAN_PACKAGE_SECTION science)

get_target_property(abi softradial_c SOVERSION)
set(same "(= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_C_PACKAGE_NAME "libsoftradial-c${abi}")
set(CPACK_COMPONENT_C_DESCRIPTION "${PROJECT_DESCRIPTION}: the C interface")
set(CPACK_DEBIAN_C_PACKAGE_SECTION libs)

set(CPACK_DEBIAN_TORCH_PACKAGE_NAME libsoftradial-torch)
set(CPACK_COMPONENT_TORCH_DESCRIPTION "${PROJECT_DESCRIPTION}: the layer for LibTorch")
set(CPACK_DEBIAN_TORCH_PACKAGE_SECTION libs)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libsoftradial-dev)
set(CPACK_COMPONENT_DEV_DESCRIPTION "${PROJECT_DESCRIPTION}: headers and static libraries")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
# Clp's pkg-config file names zlib, which Clp's own package does not bring.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "libsoftradial-c${abi} ${same}, libeigen3-dev (>= 3.4), libhwy-dev, coinor-libclp-dev, zlib1g-dev, pkg-config")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libsoftradial-torch ${same}, libtorch-dev")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME softradial)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${PROJECT_DESCRIPTION}: the program")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libsoftradial-torch ${same}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3-softradial ${same}, librsvg2-bin")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-softradial)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "${PROJECT_DESCRIPTION}: the Python package")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-torch)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  "${CMAKE_CURRENT_LIST_DIR}/debian/postinst" "${CMAKE_CURRENT_LIST_DIR}/debian/prerm")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)

include(CPack)
