# DuckDB's C interface: the header is all that is needed to build, the library is opened when it is first used.
#
#   DuckDB_FOUND, DuckDB_INCLUDE_DIR, DuckDB_LIBRARY (may be absent)
#
# `./dev build` puts both into build/duckdb, where every preset finds them; otherwise the system's are taken.
find_path(DuckDB_INCLUDE_DIR duckdb.h HINTS "${PROJECT_SOURCE_DIR}/build/duckdb/include")
find_library(DuckDB_LIBRARY duckdb HINTS "${PROJECT_SOURCE_DIR}/build/duckdb/lib")
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DuckDB REQUIRED_VARS DuckDB_INCLUDE_DIR)
mark_as_advanced(DuckDB_INCLUDE_DIR DuckDB_LIBRARY)
