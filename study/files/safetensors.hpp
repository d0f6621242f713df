#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Arrays of numbers in a file that cannot run code: the safetensors layout, which Python and Hugging Face tools read.
//
//   8 bytes         N, the length of the header, little-endian
//   N bytes         JSON: {"__metadata__": {text: text}, NAME: {"dtype", "shape", "data_offsets": [begin, end]}, ...}
//   the rest        the arrays, little-endian, one after the other without gaps
//
// The metadata contain "sha256", the checksum of the whole file with these 64 digits replaced by zeros: a flipped bit anywhere
// is noticed.
namespace softradial::study {

enum class Dtype { f32, f64, u8 };

struct NamedArray {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;
  std::string bytes;  // little-endian, row-major
  bool operator==(const NamedArray&) const = default;
};

struct TensorFile {
  std::map<std::string, std::string> metadata;  // without the checksum
  std::vector<NamedArray> arrays;
  bool operator==(const TensorFile&) const = default;

  // Throw DataError if the file has no such entry, or if the array has another type or shape.
  [[nodiscard]] const std::string& text(const std::string& key) const;
  [[nodiscard]] const NamedArray& array(std::string_view name, Dtype dtype, std::span<const std::int64_t> shape) const;
  [[nodiscard]] const NamedArray& array(std::string_view name) const;
};

[[nodiscard]] std::size_t size_of(Dtype dtype) noexcept;

[[nodiscard]] std::string to_safetensors(const TensorFile& file);

// Checks everything: lengths, names, types, shapes, offsets without gaps or overlap, finite numbers, the checksum. Throws
// DataError with one line, without the name of the file.
[[nodiscard]] TensorFile parse_safetensors(std::string_view bytes);

// Reads and parses a file; error messages begin with its name.
[[nodiscard]] TensorFile read_safetensors(const std::filesystem::path& file);

}  // namespace softradial::study
