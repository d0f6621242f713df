#include "data/duckdb_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "data/tables.hpp"

namespace softradial::study {

namespace {

constexpr const char* kName = "libduckdb.so";

std::shared_ptr<void> open_file(const std::string& path) {
  // NODELETE: the library leaves behind threads and thread-local data that outlive a dlclose.
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) return nullptr;
  return {handle, [](void* opened) { ::dlclose(opened); }};
}

std::shared_ptr<void> find_library() {
  if (const char* chosen = std::getenv("SOFTRADIAL_DUCKDB"); chosen != nullptr && *chosen != '\0') {
    if (std::shared_ptr<void> handle = open_file(chosen)) return handle;
    throw DataError("SOFTRADIAL_DUCKDB: " + std::string(::dlerror()));
  }
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const std::filesystem::path beside = program.parent_path().parent_path() / "lib" / kName;
    if (std::filesystem::exists(beside, error)) {
      if (std::shared_ptr<void> handle = open_file(beside.string())) return handle;
      throw DataError(::dlerror());
    }
  }
  if (std::shared_ptr<void> handle = open_file(kName)) return handle;
  throw DataError(
      "trip records are read with DuckDB, but libduckdb.so is neither beside the program (../lib) nor installed: "
      "`./dev build` fetches it, or set SOFTRADIAL_DUCKDB to its path");
}

template <class Function>
void find(void* handle, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(handle, name));
  if (function == nullptr) throw DataError("libduckdb.so has no function " + std::string(name));
}

}  // namespace

DuckDbLibrary::DuckDbLibrary(std::shared_ptr<void> handle) : handle_(std::move(handle)) {
  find(handle_.get(), "duckdb_open", open_database);
  find(handle_.get(), "duckdb_close", close_database);
  find(handle_.get(), "duckdb_connect", connect);
  find(handle_.get(), "duckdb_disconnect", disconnect);
  find(handle_.get(), "duckdb_query", query);
  find(handle_.get(), "duckdb_destroy_result", destroy_result);
  find(handle_.get(), "duckdb_result_error", result_error);
  find(handle_.get(), "duckdb_column_count", column_count);
  find(handle_.get(), "duckdb_column_name", column_name);
  find(handle_.get(), "duckdb_fetch_chunk", fetch_chunk);
  find(handle_.get(), "duckdb_destroy_data_chunk", destroy_data_chunk);
  find(handle_.get(), "duckdb_data_chunk_get_size", chunk_size);
  find(handle_.get(), "duckdb_data_chunk_get_vector", chunk_vector);
  find(handle_.get(), "duckdb_vector_get_data", vector_data);
  find(handle_.get(), "duckdb_string_t_data", string_data);
  find(handle_.get(), "duckdb_string_t_length", string_length);
}

DuckDbLibrary DuckDbLibrary::open() { return DuckDbLibrary(find_library()); }

}  // namespace softradial::study
