#include "data/text_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <type_traits>

#include "data/data_error.hpp"

namespace softradial::study {

namespace {

struct CloseGzip {
  void operator()(gzFile file) const noexcept { gzclose(file); }
};
using GzipFile = std::unique_ptr<std::remove_pointer_t<gzFile>, CloseGzip>;

constexpr unsigned kBlock = 1U << 20;

std::string system_message() { return std::generic_category().message(errno); }

std::string gzip_message(gzFile file) {
  int code = Z_OK;
  const char* message = gzerror(file, &code);
  return code == Z_ERRNO ? system_message() : std::string(message);
}

}  // namespace

std::string read_text_file(const std::string& path) {
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    throw DataError(path + ": is a folder, not a file");
  }
  errno = 0;
  const GzipFile file(gzopen(path.c_str(), "rb"));
  if (!file) throw DataError(path + ": cannot be opened: " + system_message());
  gzbuffer(file.get(), kBlock);
  std::string text;
  std::size_t size = 0;
  while (true) {
    text.resize(size + kBlock);
    const int count = gzread(file.get(), text.data() + size, kBlock);
    if (count < 0) throw DataError(path + ": cannot be read: " + gzip_message(file.get()));
    size += static_cast<std::size_t>(count);
    if (count == 0) break;
  }
  // A compressed file that was cut off ends quietly, except here.
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (code == Z_BUF_ERROR) throw DataError(path + ": cannot be read: the compressed file is cut off");
  text.resize(size);
  return text;
}

void write_text_file(const std::string& path, std::string_view text) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, ignored);
  // A device, a pipe or a link is written to; a file of that name would take its place.
  const bool in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  const std::string partial = in_place ? path : path + ".partial";
  errno = 0;
  // T: as it is, without compression.
  GzipFile file(gzopen(partial.c_str(), path.ends_with(".gz") ? "wb6" : "wbT"));
  if (!file) throw DataError(path + ": cannot be opened: " + system_message());
  const auto fail = [&](const std::string& why) {
    if (!in_place) std::filesystem::remove(partial, ignored);
    throw std::runtime_error(path + ": cannot be written: " + why);
  };
  for (std::size_t begin = 0; begin < text.size(); begin += kBlock) {
    const std::string_view block = text.substr(begin, kBlock);
    if (gzwrite(file.get(), block.data(), static_cast<unsigned>(block.size())) <= 0) fail(gzip_message(file.get()));
  }
  if (gzclose(file.release()) != Z_OK) fail(system_message());
  if (in_place) return;
  std::error_code error;
  std::filesystem::rename(partial, path, error);
  if (error) fail(error.message());
}

}  // namespace softradial::study
