#include "files/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "files/durable_file.hpp"
#include "files/errors.hpp"
#include "files/sha256.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kLongestHeader = std::size_t{16} << 20;
constexpr std::size_t kMostDimensions = 8;
constexpr std::size_t kDigits = 64;
constexpr const char* kChecksum = "sha256";
constexpr const char* kMetadata = "__metadata__";

struct DtypeName {
  Dtype dtype;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<DtypeName, 3> kDtypes = {{{Dtype::f32, "F32", 4}, {Dtype::f64, "F64", 8}, {Dtype::u8, "U8", 1}}};

const DtypeName& named(Dtype dtype) { return *std::ranges::find(kDtypes, dtype, &DtypeName::dtype); }

std::string length_bytes(std::uint64_t length) {
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, kLengthBytes);
  return bytes;
}

// The number of bytes of an array; nothing if it is more than a file can hold.
std::optional<std::size_t> bytes_of(Dtype dtype, std::span<const std::int64_t> shape) {
  std::size_t count = named(dtype).size;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(size), &count)) return std::nullopt;
  }
  return count;
}

template <class T>
bool all_finite(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + i, sizeof(T));
    if (!std::isfinite(value)) return false;
  }
  return true;
}

bool all_finite(const NamedArray& array) {
  switch (array.dtype) {
    case Dtype::f32:
      return all_finite<float>(array.bytes);
    case Dtype::f64:
      return all_finite<double>(array.bytes);
    case Dtype::u8:
      return true;
  }
  return false;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "(";
  for (const std::int64_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + ")";
}

// Parses the header. Refuses duplicate names and nesting deeper than any header has, before either becomes a value.
json parse_header(std::string_view text) {
  constexpr int kDeepest = 4;
  std::vector<std::set<std::string>> names(kDeepest + 1);
  const auto look = [&](int depth, json::parse_event_t event, json& value) {
    if (depth > kDeepest) throw DataError("the header is nested too deeply");
    if (event == json::parse_event_t::object_start && depth < kDeepest)
      names[static_cast<std::size_t>(depth) + 1].clear();
    if (event == json::parse_event_t::key && !names[static_cast<std::size_t>(depth)].insert(value).second) {
      throw DataError("the header has an entry twice");
    }
    return true;
  };
  json header = json::parse(text.begin(), text.end(), look, false);
  if (!header.is_object()) throw DataError("the header is no JSON object");
  return header;
}

struct Entry {
  NamedArray array;  // bytes not filled in
  std::size_t begin = 0;
  std::size_t end = 0;
};

Entry parse_entry(const std::string& name, const json& value, std::size_t data_size) {
  const auto bad = [&](const std::string& what) { return DataError("array '" + name.substr(0, 60) + "' " + what); };
  if (!value.is_object() || value.size() != 3 || !value.contains("dtype") || !value.contains("shape") ||
      !value.contains("data_offsets")) {
    throw bad("is not described by dtype, shape and data_offsets");
  }
  Entry entry{.array = {.name = name, .dtype = Dtype::f32, .shape = {}, .bytes = {}}};
  const json& dtype = value["dtype"];
  const auto found = std::ranges::find_if(kDtypes, [&](const DtypeName& each) {
    return dtype.is_string() && dtype.get_ref<const std::string&>() == each.name;
  });
  if (found == kDtypes.end()) throw bad("has a type that is not known");
  entry.array.dtype = found->dtype;
  const json& shape = value["shape"];
  if (!shape.is_array() || shape.size() > kMostDimensions) throw bad("has no shape");
  for (const json& size : shape) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
      throw bad("has a shape that is no list of counts");
    }
    entry.array.shape.push_back(size.get<std::int64_t>());
  }
  const json& offsets = value["data_offsets"];
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned()) {
    throw bad("has no offsets");
  }
  entry.begin = offsets[0].get<std::size_t>();
  entry.end = offsets[1].get<std::size_t>();
  if (entry.begin > entry.end || entry.end > data_size) throw bad("lies outside of the file");
  if (bytes_of(entry.array.dtype, entry.array.shape) != entry.end - entry.begin) {
    throw bad("has another size than its shape says");
  }
  return entry;
}

}  // namespace

std::size_t size_of(Dtype dtype) noexcept { return named(dtype).size; }

const std::string& TensorFile::text(const std::string& key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) throw DataError("the entry '" + key + "' is missing");
  return found->second;
}

const NamedArray& TensorFile::array(std::string_view name) const {
  const auto found = std::ranges::find(arrays, name, &NamedArray::name);
  if (found == arrays.end()) throw DataError("the array '" + std::string(name) + "' is missing");
  return *found;
}

const NamedArray& TensorFile::array(std::string_view name, Dtype dtype, std::span<const std::int64_t> shape) const {
  const NamedArray& found = array(name);
  if (found.dtype != dtype || !std::ranges::equal(found.shape, shape)) {
    throw DataError("the array '" + std::string(name) + "' is " + std::string(named(found.dtype).name) + " " +
                    shape_text(found.shape) + ", not " + std::string(named(dtype).name) + " " + shape_text(shape));
  }
  return found;
}

std::string to_safetensors(const TensorFile& file) {
  json header = json::object();
  json metadata = file.metadata;
  metadata[kChecksum] = std::string(kDigits, '0');
  header[kMetadata] = metadata;
  std::size_t offset = 0;
  for (const NamedArray& array : file.arrays) {
    header[array.name] = {{"dtype", named(array.dtype).name},
                          {"shape", array.shape},
                          {"data_offsets", {offset, offset + array.bytes.size()}}};
    offset += array.bytes.size();
  }
  // Blanks after the header align the arrays to a multiple of eight bytes, as the layout allows.
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string bytes = length_bytes(text.size()) + text;
  for (const NamedArray& array : file.arrays) bytes += array.bytes;
  const std::string zeros = "\"" + std::string(kChecksum) + "\":\"" + std::string(kDigits, '0') + "\"";
  Sha256 sum;
  sum.add(bytes);
  // Quotes in a caller's text are escaped in the JSON, so only the checksum's own entry matches.
  bytes.replace(bytes.find(zeros) + zeros.size() - kDigits - 1, kDigits, sum.hex());
  return bytes;
}

TensorFile parse_safetensors(std::string_view bytes) {
  if (bytes.size() < kLengthBytes)
    throw DataError("is no model file: it has " + std::to_string(bytes.size()) + " bytes");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kLongestHeader || length > bytes.size() - kLengthBytes) {
    throw DataError("is no model file, or it was cut off: its header would have " + std::to_string(length) + " bytes");
  }
  const std::string_view text = bytes.substr(kLengthBytes, length);
  const std::string_view data = bytes.substr(kLengthBytes + length);
  const json header = parse_header(text);

  TensorFile file;
  if (!header.contains(kMetadata) || !header[kMetadata].is_object()) throw DataError("the header has no metadata");
  for (const auto& [key, value] : header[kMetadata].items()) {
    if (!value.is_string()) throw DataError("the header's metadata are not texts");
    file.metadata[key] = value.get<std::string>();
  }
  const auto given = file.metadata.extract(kChecksum);
  if (given.empty() || given.mapped().size() != kDigits) throw DataError("the checksum is missing");
  const auto place = text.find("\"" + given.mapped() + "\"");
  if (place == std::string_view::npos) throw DataError("the checksum is not written plainly");
  Sha256 sum;
  sum.add(bytes.substr(0, kLengthBytes + place + 1));
  sum.add(std::string(kDigits, '0'));
  sum.add(bytes.substr(kLengthBytes + place + 1 + kDigits));
  if (sum.hex() != given.mapped()) throw DataError("is damaged: its checksum does not fit");

  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name != kMetadata) entries.push_back(parse_entry(name, value, data.size()));
  }
  std::ranges::sort(entries, {}, [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
  std::size_t end = 0;
  for (Entry& entry : entries) {
    if (entry.begin != end) throw DataError("the arrays overlap or leave gaps");
    end = entry.end;
    entry.array.bytes = data.substr(entry.begin, entry.end - entry.begin);
    if (!all_finite(entry.array)) throw DataError("array '" + entry.array.name + "' has a number that is not finite");
    file.arrays.push_back(std::move(entry.array));
  }
  if (end != data.size()) throw DataError("the file is longer than its arrays");
  return file;
}

TensorFile read_safetensors(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  try {
    return parse_safetensors(bytes);
  } catch (const DataError& error) {
    throw DataError(file.string() + ": " + error.what());
  }
}

}  // namespace softradial::study
