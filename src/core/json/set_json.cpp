#include "softradial/set_json.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "json/json_document.hpp"
#include "json/json_node.hpp"
#include "json/set_builders.hpp"

namespace softradial {

Set parse_set(std::string_view json, std::string_view origin) {
  const nlohmann::json document = json::parse_document(json, origin);
  return json::build_set(json::JsonNode(document, origin));
}

Set load_set(const std::filesystem::path& file) {
  const std::string origin = file.string();
  std::ifstream stream(file, std::ios::binary);
  if (!stream) json::fail(origin, "", "cannot be opened: " + std::generic_category().message(errno));
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) json::fail(origin, "", "cannot be read");
  return parse_set(text, origin);
}

}  // namespace softradial
