#include "softradial/set_json.hpp"

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "json/json_document.hpp"
#include "json/json_node.hpp"
#include "json/set_builders.hpp"

namespace softradial {

namespace {

// A file beyond 1 GiB is a device or a mistake: its numbers alone would take tens of gigabytes while they are read.
constexpr std::size_t kMaxFileSize = std::size_t{1} << 30;

}  // namespace

NamedSet parse_named_set(std::string_view json, std::string_view origin) {
  const nlohmann::json document = json::parse_document(json, origin);
  return json::build_named_set(json::JsonNode(document, origin));
}

NamedSet load_named_set(const std::filesystem::path& file) {
  const std::string origin = file.string();
  std::ifstream stream(file, std::ios::binary);
  if (!stream) json::fail(origin, "", "cannot be opened: " + std::generic_category().message(errno));
  std::string text;
  std::array<char, 1 << 16> piece{};
  do {
    stream.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kMaxFileSize) json::fail(origin, "", "is larger than " + std::to_string(kMaxFileSize) + " bytes");
  } while (stream);
  if (stream.bad()) json::fail(origin, "", "cannot be read");
  return parse_named_set(text, origin);
}

Set parse_set(std::string_view json, std::string_view origin) { return parse_named_set(json, origin).set; }

Set load_set(const std::filesystem::path& file) { return load_named_set(file).set; }

}  // namespace softradial
