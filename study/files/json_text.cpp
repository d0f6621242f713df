#include "files/json_text.hpp"

namespace softradial::study {

nlohmann::json parse_json_text(std::string_view text) {
  using nlohmann::json;
  constexpr int kDeepest = 128;  // a set has at most 64 levels, and stands inside a record
  bool too_deep = false;
  const auto watch = [&](int depth, json::parse_event_t /*event*/, const json& /*value*/) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  json value = json::parse(text, watch, false);
  return too_deep ? json(json::value_t::discarded) : value;
}

}  // namespace softradial::study
