#include "limits/limits.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_map>
#include <utility>

#include "data/csv_file.hpp"
#include "data/nearest_name.hpp"
#include "data/tables.hpp"
#include "limits/limits_file.hpp"
#include "softradial/anchor.hpp"
#include "softradial/set_json.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets.hpp"

namespace softradial::study {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Tolerance for sums of shares: shares with two decimals, 0.1 and 0.9 for example, do not add up to 1 exactly.
constexpr double kSumTolerance = 1e-12;

std::string number(double value) { return json(value).dump(); }

std::string list_of(std::span<const std::string> names) {
  constexpr std::size_t kMaxShown = 8;
  std::string text;
  for (const std::string& name : names.first(std::min(names.size(), kMaxShown))) {
    text += (text.empty() ? "" : ", ") + name;
  }
  if (names.size() > kMaxShown) text += ", ... (" + std::to_string(names.size()) + " in all)";
  return text;
}

using ConstraintWords = std::vector<std::pair<std::string, std::string>>;

bool is_set(const json& document) { return document.is_object() && document.contains("type"); }

// Builds the set from the limits, for the columns of the data in their order.
class LimitsBuilder {
 public:
  LimitsBuilder(const Limits& limits, const LimitsRequest& request, const std::vector<std::string>& columns)
      : limits_(limits), request_(request), columns_(columns), dim_(static_cast<Index>(columns.size())) {
    for (std::size_t k = 0; k < columns.size(); ++k) places_.emplace(columns[k], static_cast<Index>(k));
    // A limit by name replaces the one for all; the cap from the command line applies in addition.
    lower_ = by_column("floors", limits.floor, limits.floors);
    upper_ = by_column("caps", limits.cap, limits.caps).cwiseMin(request.cap);
  }

  [[nodiscard]] Set build() {
    check_bounds();
    std::vector<Set> parts = bounds();
    for (std::size_t part = 0; part < parts.size(); ++part) call_bounds(part);
    if (!limits_.groups.empty()) parts.push_back(groups(parts.size()));
    // One-way turnover is half of |x - r|_1.
    if (limits_.turnover) {
      parts.emplace_back(LpBall(reference("turnover", *limits_.turnover), 2 * limits_.turnover->max, 1));
      call_last(parts, "turnover.max");
    }
    if (limits_.tracking) {
      parts.emplace_back(Ball(reference("tracking", *limits_.tracking), limits_.tracking->max));
      call_last(parts, "tracking.max");
    }
    if (parts.size() == 1) return parts.front();
    return Intersection(std::move(parts));
  }

  // Maps the library's names for the constraints of the set to the words of the limits: "sets[1]: row 0" is
  // "groups.tech.max".
  [[nodiscard]] const ConstraintWords& words() const { return words_; }

 private:
  void call(std::size_t part, const std::string& constraint, const std::string& words) {
    words_.emplace_back("sets[" + std::to_string(part) + "]: " + constraint, words);
  }
  // The last part, which is one inequality.
  void call_last(const std::vector<Set>& parts, const std::string& words) {
    call(parts.size() - 1, parts.back()->inequality_name(0), words);
  }
  void call_bounds(std::size_t part) {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const std::string index = std::to_string(k);
      call(part, "lower bound " + index, "the floor of " + columns_[k]);
      call(part, "cap " + index, "the cap of " + columns_[k]);
      call(part, "upper bound " + index, "the cap of " + columns_[k]);
      call(part, "fixed coordinate " + index, "the share of " + columns_[k]);
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(request_.origin.empty() ? what : std::string(request_.origin) + ": " + what);
  }

  [[nodiscard]] Index place(const std::string& where, const std::string& name) const {
    const auto found = places_.find(name);
    if (found != places_.end()) return found->second;
    const std::string meant = did_you_mean(name, columns_);
    fail(where + ": the data have no column " + name +
         (meant.empty() ? " (they have " + list_of(columns_) + ")" : meant));
  }

  [[nodiscard]] VectorXd by_column(const std::string& where, double all,
                                   const std::map<std::string, double>& some) const {
    VectorXd out = VectorXd::Constant(dim_, all);
    for (const auto& [name, value] : some) out[place(where, name)] = value;
    return out;
  }

  void check_bounds() const {
    for (Index k = 0; k < dim_; ++k) {
      if (lower_[k] > upper_[k]) {
        fail(columns_[static_cast<std::size_t>(k)] + ": the floor " + number(lower_[k]) + " is above the cap " +
             number(upper_[k]));
      }
    }
    if (lower_.sum() > 1 + kSumTolerance) fail("the floors sum to " + number(lower_.sum()) + ", above 1");
    if (upper_.sum() < 1 - kSumTolerance) {
      fail("the caps of the " + std::to_string(dim_) + " columns sum to " + number(upper_.sum()) + ", below 1");
    }
  }

  // Uses a simplex or a capped simplex whenever the limits are one: these have the fastest kernels.
  [[nodiscard]] std::vector<Set> bounds() const {
    const auto dim = static_cast<std::size_t>(dim_);
    if (lower_.minCoeff() < 0) {
      return {Box(lower_, upper_),
              Polyhedron(Eigen::MatrixXd(0, dim_), VectorXd(0), Eigen::MatrixXd::Ones(1, dim_), VectorXd::Ones(1))};
    }
    std::vector<Set> parts;
    if (upper_.minCoeff() >= 1) {
      parts.emplace_back(Simplex(dim));
    } else if (upper_.minCoeff() == upper_.maxCoeff()) {
      parts.emplace_back(CappedSimplex(dim, upper_[0]));
    } else {
      parts.emplace_back(CappedSimplex(upper_));
    }
    if (lower_.maxCoeff() > 0) {
      parts.emplace_back(Box((lower_.array() > 0).select(lower_, -kInfinity), VectorXd::Constant(dim_, kInfinity)));
    }
    return parts;
  }

  // sum of the members <= max, >= min; one equality if both are the same.
  [[nodiscard]] Set groups(std::size_t part) {
    std::vector<std::pair<VectorXd, double>> at_most;
    std::vector<std::pair<VectorXd, double>> equal;
    for (const Limits::Group& group : limits_.groups) {
      const std::string where = "groups." + group.name;
      VectorXd row = VectorXd::Zero(dim_);
      for (const std::string& member : group.members) row[place(where, member)] = 1;
      if (group.min && *group.min > row.dot(upper_) + kSumTolerance) {
        fail(where + ": min " + number(*group.min) + " is above " + number(row.dot(upper_)) +
             ", the sum of the caps of its members");
      }
      if (group.max && *group.max < row.dot(lower_) - kSumTolerance) {
        fail(where + ": max " + number(*group.max) + " is below " + number(row.dot(lower_)) +
             ", the sum of the floors of its members");
      }
      if (group.min && group.max && *group.min == *group.max) {
        call(part, "equality " + std::to_string(equal.size()), where);
        equal.emplace_back(row, *group.max);
        continue;
      }
      const auto add = [&](const VectorXd& sum, double bound, const char* word) {
        call(part, "row " + std::to_string(at_most.size()), where + word);
        at_most.emplace_back(sum, bound);
      };
      if (group.max) add(row, *group.max, ".max");
      if (group.min) add(-row, -*group.min, ".min");
    }
    const auto [A, b] = stacked(at_most);
    const auto [E, f] = stacked(equal);
    return Polyhedron(A, b, E, f);
  }

  [[nodiscard]] std::pair<Eigen::MatrixXd, VectorXd> stacked(
      const std::vector<std::pair<VectorXd, double>>& rows) const {
    std::pair<Eigen::MatrixXd, VectorXd> out(Eigen::MatrixXd(std::ssize(rows), dim_), VectorXd(std::ssize(rows)));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out.first.row(static_cast<Index>(i)) = rows[i].first;
      out.second[static_cast<Index>(i)] = rows[i].second;
    }
    return out;
  }

  [[nodiscard]] VectorXd reference(const std::string& where, const Limits::Distance& distance) const {
    if (!distance.reference) return VectorXd::Constant(dim_, 1.0 / static_cast<double>(dim_));
    return by_column(where + ".reference", 0, *distance.reference);
  }

  const Limits& limits_;
  const LimitsRequest& request_;
  const std::vector<std::string>& columns_;
  Index dim_;
  std::unordered_map<std::string, Index> places_;
  VectorXd lower_;
  VectorXd upper_;
  ConstraintWords words_;
};

bool is_constant(const VectorXd& values) { return values.size() == 0 || (values.array() == values[0]).all(); }

// True only if every permutation of the coordinates leaves the set unchanged: a matrix may mix coordinates, and so may the
// parts of a set in blocks.
bool is_symmetric(const Description& set) {
  if (set_type(set.type).in_blocks) return false;
  return std::ranges::all_of(set.fields, [](const auto& field) {
    if (const auto* values = std::get_if<VectorXd>(&field.second)) return is_constant(*values);
    if (const auto* parts = std::get_if<std::vector<Description>>(&field.second)) {
      return std::ranges::all_of(*parts, is_symmetric);
    }
    return std::holds_alternative<double>(field.second);
  });
}

// Adds the cap to the set. A simplex becomes a capped simplex, on its own or inside an intersection.
Set with_cap(const Set& set, double cap) {
  if (const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set);
      coordinates != nullptr && coordinates->total()) {
    const VectorXd caps = coordinates->upper().cwiseMin(cap);
    if (is_constant(caps)) return CappedSimplex(set.dim(), caps[0], *coordinates->total());
    return CappedSimplex(caps, *coordinates->total());
  }
  if (const auto* intersection = dynamic_cast<const Intersection*>(&*set)) {
    std::vector<Set> parts = intersection->parts();
    for (Set& part : parts) {
      const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*part);
      if (coordinates == nullptr || !coordinates->total()) continue;
      part = with_cap(part, cap);
      return Intersection(std::move(parts));
    }
  }
  const auto dim = static_cast<Index>(set.dim());
  return Intersection({set, Box(VectorXd::Constant(dim, -kInfinity), VectorXd::Constant(dim, cap))});
}

// The set of a SET.json file, with the names in the file or those of the columns.
DecisionSet set_of_json(const LimitsRequest& request, const std::vector<std::string>& columns) {
  const std::string prefix = request.origin.empty() ? "" : std::string(request.origin) + ": ";
  NamedSet named = parse_named_set(request.json, request.origin);
  if (named.names.empty()) {
    if (named.set.dim() != columns.size()) {
      throw DataError(prefix + "the set has dimension " + std::to_string(named.set.dim()) + ", the data have " +
                      std::to_string(columns.size()) + " columns");
    }
    DecisionSet out{std::move(named.set), columns};
    Description description = out.set->describe();
    if (out.set.anchor()) description.fields.emplace_back("anchor", *out.set.anchor());
    if (is_symmetric(description)) return out;
    if (request.left_out > 0) {
      throw DataError(prefix + "the set names no coordinates, and " + std::to_string(request.left_out) +
                      " columns of the data are left out: name the coordinates (\"names\": [\"" + columns.front() +
                      "\", ...])");
    }
    out.note = prefix + "the set names no coordinates: taken in the order of the columns " + list_of(columns);
    return out;
  }
  for (const std::string& name : named.names) {
    if (std::ranges::find(columns, name) != columns.end()) continue;
    const std::string meant = did_you_mean(name, columns);
    std::string message = prefix + "names: the data have no column ";
    message += name;
    message += meant.empty() ? " (they have " + list_of(columns) + ")" : meant;
    throw DataError(message);
  }
  for (const std::string& column : columns) {
    if (std::ranges::find(named.names, column) == named.names.end()) {
      std::string message = prefix + "names: the column ";
      message += column;
      message += " of the data is missing";
      throw DataError(message);
    }
  }
  return {std::move(named.set), std::move(named.names)};
}

std::string in_words(std::string text, const ConstraintWords& words) {
  for (const auto& [constraint, word] : words) {
    std::size_t at = 0;
    while ((at = text.find(constraint, at)) != std::string::npos) {
      const std::size_t end = at + constraint.size();
      const bool is_part = end < text.size() && text[end] >= '0' && text[end] <= '9';  // row 1 is not row 10
      if (!is_part) text.replace(at, constraint.size(), word);
      at += is_part ? constraint.size() : word.size();
    }
  }
  return text;
}

// A set without an interior point allows no decision. Simplices have a closed form and were checked when they were built.
void require_interior(const LimitsRequest& request, const Set& set, const ConstraintWords& words = {}) {
  const Anchor anchor = find_anchor(set);
  if (anchor.status == AnchorStatus::found) return;
  const std::string prefix = request.origin.empty() ? "" : std::string(request.origin) + ": ";
  const char* const what =
      anchor.status == AnchorStatus::empty ? "no decision obeys all limits: " : "the set has no interior: ";
  throw DataError(prefix + what + in_words(anchor.reason, words));
}

}  // namespace

std::string load_limits(const std::string& file_or_json) {
  const bool is_text = file_or_json.starts_with('{');
  const std::string origin = is_text ? "--set" : file_or_json;
  const std::string text = is_text ? file_or_json : read_text_file(file_or_json);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && text[first] == '{' && !origin.ends_with(".toml");
  json document = is_json ? json::parse(text, nullptr, false) : parse_toml(text, origin);
  // The library's own reader reports where a set is wrong.
  if (document.is_discarded()) return to_json(parse_named_set(text, origin));
  if (is_set(document)) return to_json(parse_named_set(is_json ? text : document.dump(), origin));
  if (is_json) document = parse_json(text, origin);
  static_cast<void>(parse_limits(document, origin));
  return document.dump();
}

DecisionSet decision_set(const LimitsRequest& request, const std::vector<std::string>& columns) {
  const std::size_t dim = columns.size();
  if (request.json.empty()) {
    const double all = request.cap * static_cast<double>(dim);
    if (all < 1 - kSumTolerance) {
      throw DataError("a cap of " + number(request.cap) + ": " + std::to_string(dim) + " columns of at most " +
                      number(request.cap) + " hold " + number(all) + " in all, less than 1");
    }
    return {request.cap < 1 ? Set(CappedSimplex(dim, request.cap)) : Set(Simplex(dim)), columns};
  }
  const json document = parse_json(request.json, request.origin);
  if (!is_set(document)) {
    const Limits limits = parse_limits(document, request.origin);
    LimitsBuilder builder(limits, request, columns);
    DecisionSet out{builder.build(), columns};
    require_interior(request, out.set, builder.words());
    return out;
  }
  DecisionSet out = set_of_json(request, columns);
  if (request.cap < 1) {
    const auto anchor = out.set.anchor();
    out.set = with_cap(out.set, request.cap);
    if (anchor) out.set = out.set.with_anchor(*anchor);
  }
  require_interior(request, out.set);
  return out;
}

}  // namespace softradial::study
