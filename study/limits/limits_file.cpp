#include "limits/limits_file.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "data/csv_file.hpp"
#include "data/nearest_name.hpp"
#include "data/tables.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

std::string message(std::string_view origin, std::string_view where, std::string_view what) {
  std::string text;
  for (const std::string_view part : {origin, where}) {
    if (!part.empty()) text.append(part).append(": ");
  }
  return text.append(what);
}

std::string place(const toml::source_position& at) {
  return "line " + std::to_string(at.line) + ", column " + std::to_string(at.column);
}

json json_of_toml(const toml::node& node, std::string_view origin) {
  switch (node.type()) {
    case toml::node_type::table: {
      json out = json::object();
      for (const auto& [key, value] : *node.as_table()) out[std::string(key.str())] = json_of_toml(value, origin);
      return out;
    }
    case toml::node_type::array: {
      json out = json::array();
      for (const toml::node& value : *node.as_array()) out.push_back(json_of_toml(value, origin));
      return out;
    }
    case toml::node_type::string:
      return node.as_string()->get();
    case toml::node_type::integer:
      return node.as_integer()->get();
    case toml::node_type::boolean:
      return node.as_boolean()->get();
    case toml::node_type::floating_point:
      if (const double value = node.as_floating_point()->get(); std::isfinite(value)) return value;
      throw DataError(message(origin, place(node.source().begin), "the number is not finite"));
    default:
      throw DataError(message(origin, place(node.source().begin), "dates and times are no limits"));
  }
}

// A value of the document together with its path in it.
class Entry {
 public:
  Entry(const json& value, std::string_view origin, std::string where = "")
      : value_(&value), origin_(origin), where_(std::move(where)) {}

  [[noreturn]] void fail(const std::string& what) const { throw DataError(message(origin_, where_, what)); }

  void expect_table() const {
    if (!value_->is_object()) fail("expected a table, got " + excerpt());
  }
  // Throws at the first key that is not in the list.
  void allow_only(std::initializer_list<const char*> keys) const {
    expect_table();
    const std::vector<std::string> known(keys.begin(), keys.end());
    for (const auto& item : value_->items()) {
      if (std::ranges::find(known, item.key()) != known.end()) continue;
      std::string has;
      for (const std::string& key : known) has += (has.empty() ? "" : ", ") + key;
      const std::string meant = did_you_mean(item.key(), known);
      fail("unknown key " + quoted_field(item.key()) + (meant.empty() ? "; there are " + has : meant));
    }
  }
  [[nodiscard]] std::optional<Entry> find(const std::string& key) const {
    const auto found = value_->find(key);
    if (found == value_->end()) return std::nullopt;
    return Entry(*found, origin_, where_ + (where_.empty() ? "" : ".") + key);
  }
  [[nodiscard]] std::vector<std::pair<std::string, Entry>> items() const {
    expect_table();
    std::vector<std::pair<std::string, Entry>> out;
    for (const auto& item : value_->items()) out.emplace_back(item.key(), *find(item.key()));
    return out;
  }
  [[nodiscard]] double number(double least, double most, const char* expected) const {
    const bool is_number = value_->is_number();
    const double value = is_number ? value_->get<double>() : 0;
    if (!is_number || !(value >= least && value <= most))
      fail(std::string("expected ") + expected + ", got " + excerpt());
    return value;
  }
  [[nodiscard]] std::vector<std::string> names() const {
    if (!value_->is_array() || value_->empty()) fail("expected a list of names, got " + excerpt());
    std::vector<std::string> out;
    std::set<std::string> seen;
    for (const json& item : *value_) {
      if (!item.is_string()) fail("expected names in quotes, got " + item.dump());
      const auto name = item.get<std::string>();
      if (!seen.insert(name).second) fail(quoted_field(name) + " is given twice");
      out.push_back(name);
    }
    return out;
  }
  [[nodiscard]] bool is_text(const char* text) const { return value_->is_string() && *value_ == text; }
  [[nodiscard]] bool is_table() const { return value_->is_object(); }

  [[nodiscard]] std::string excerpt() const {
    constexpr std::size_t kMaxShown = 40;
    std::string text = value_->dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > kMaxShown) text = text.substr(0, kMaxShown) + "...";
    return text;
  }

 private:
  const json* value_;
  std::string_view origin_;
  std::string where_;
};

// Limits nest three levels. A deeper document is a mistake, and code that walks it may recurse.
constexpr int kMaxDepth = 64;

constexpr const char* kShare = "a share between 0 and 1 (5 % is 0.05)";
constexpr const char* kFloor = "a share between -1 and 1 (5 % is 0.05)";

double cap_of(const Entry& entry) { return entry.number(0, 1, kShare); }
double floor_of(const Entry& entry) { return entry.number(-1, 1, kFloor); }

template <class Read>
std::map<std::string, double> by_name(const Entry& root, const std::string& key, const Read& read) {
  std::map<std::string, double> out;
  if (const auto table = root.find(key)) {
    for (const auto& [name, value] : table->items()) out[name] = read(value);
  }
  return out;
}

Limits::Group group_of(const std::string& name, const Entry& entry) {
  entry.allow_only({"members", "min", "max"});
  const auto members = entry.find("members");
  if (!members) entry.fail("the key members is missing");
  Limits::Group group{name, members->names(), std::nullopt, std::nullopt};
  if (const auto min = entry.find("min")) group.min = floor_of(*min);
  if (const auto max = entry.find("max")) group.max = floor_of(*max);
  if (!group.min && !group.max) entry.fail("has neither min nor max");
  if (group.min && group.max && *group.min > *group.max) {
    entry.fail("min " + entry.find("min")->excerpt() + " is above max " + entry.find("max")->excerpt());
  }
  return group;
}

// The shares of a reference are data: many shares rounded to four digits may miss the sum 1 by this much.
constexpr double kReferenceSumTolerance = 1e-3;

std::optional<Limits::Distance> distance_of(const Entry& root, const std::string& key) {
  const auto entry = root.find(key);
  if (!entry) return std::nullopt;
  entry->allow_only({"max", "reference"});
  const auto max = entry->find("max");
  if (!max) entry->fail("the key max is missing");
  Limits::Distance distance{max->number(0, 2, "a distance above 0 and at most 2"), std::nullopt};
  if (!(distance.max > 0)) max->fail("expected a distance above 0 and at most 2, got 0");
  const auto reference = entry->find("reference");
  if (!reference) entry->fail("the key reference is missing: \"equal\" or a table of shares");
  if (reference->is_text("equal")) return distance;
  if (!reference->is_table()) reference->fail("expected \"equal\" or a table of shares, got " + reference->excerpt());
  distance.reference = by_name(*entry, "reference", floor_of);
  double sum = 0;
  for (const auto& [name, share] : *distance.reference) sum += share;
  if (std::abs(sum - 1) > kReferenceSumTolerance)
    reference->fail("the shares sum to " + json(sum).dump() + ", not to 1");
  return distance;
}

}  // namespace

json parse_toml(std::string_view text, std::string_view origin) {
  try {
    return json_of_toml(toml::parse(text), origin);
  } catch (const toml::parse_error& error) {
    throw DataError(message(origin, place(error.source().begin), error.description()));
  }
}

json parse_json(std::string_view text, std::string_view origin) {
  // The keys of the objects that are still open, to find duplicate keys.
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int depth, json::parse_event_t event, json& value) {
    if (depth > kMaxDepth) throw DataError(message(origin, "", "nested too deeply"));
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second) {
      throw DataError(message(origin, "", "the key " + quoted_field(value.get<std::string>()) + " is given twice"));
    }
    return true;
  };
  try {
    return json::parse(text, watch);
  } catch (const json::parse_error& error) {
    const std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::size_t at = what.find("at line");
    throw DataError(message(origin, "", at == std::string::npos ? what : what.substr(at + 3)));
  }
}

Limits parse_limits(const json& document, std::string_view origin) {
  const Entry root(document, origin);
  root.allow_only({"cap", "floor", "caps", "floors", "groups", "turnover", "tracking"});
  Limits limits;
  if (const auto cap = root.find("cap")) limits.cap = cap_of(*cap);
  if (const auto floor = root.find("floor")) limits.floor = floor_of(*floor);
  limits.caps = by_name(root, "caps", cap_of);
  limits.floors = by_name(root, "floors", floor_of);
  if (const auto groups = root.find("groups")) {
    for (const auto& [name, entry] : groups->items()) limits.groups.push_back(group_of(name, entry));
  }
  limits.turnover = distance_of(root, "turnover");
  limits.tracking = distance_of(root, "tracking");
  return limits;
}

}  // namespace softradial::study
