#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "law.hpp"
#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"
#include "softradial/projection.hpp"
#include "softradial/set_json.hpp"
#include "softradial/set_type.hpp"
#include "softradial/violation.hpp"
#include "targets.hpp"

namespace softradial::fuzz {
namespace {

// Sets up to this size are used, not only read: an input is to take milliseconds.
constexpr std::size_t kMostUsed = 8;

// Rows from nothing to the largest numbers, in a direction of mixed signs and its opposite.
template <class T>
void project_rows(const Set& set, const Anchor& anchor) {
  std::optional<Evaluator<T>> map;
  if (!accepts<Error>([&] { map.emplace(set, anchor, SoftRadial{}, 1); })) return;
  Workspace<T> workspace(*map);
  ViolationMeter meter(set);
  std::vector<T> u(set.dim());
  std::vector<T> x(set.dim());
  std::vector<T> grad(set.dim());
  for (const T size : {T{0}, T{1}, T{-1}, T{1e6}, T{-1e6}, std::numeric_limits<T>::max()}) {
    for (std::size_t j = 0; j < u.size(); ++j) u[j] = size / (j % 2 == 0 ? static_cast<T>(j + 1) : T{-1});
    const auto rows = [](std::vector<T>& row) { return Rows<T>(row.data(), 1, row.size()); };
    require(map->project(rows(u), rows(x), workspace) == 0, "a finite row has a result");
    const std::vector<double> point(x.begin(), x.end());
    require(meter.beyond_rounding(point, std::numeric_limits<T>::epsilon()) == 0, "every row is mapped into the set");
    map->project_vjp(rows(u), rows(u), rows(grad), workspace);
    map->inverse(rows(x), rows(grad), workspace);
  }
}

}  // namespace

std::vector<std::string> set_json_seeds() {
  std::vector<std::string> seeds;
  for (const SetType& type : set_types()) seeds.emplace_back(type.example);
  return seeds;
}

void set_json(std::string_view bytes) {
  std::optional<NamedSet> read;
  if (!accepts<Error>([&] { read = parse_named_set(bytes, "set"); })) return;
  require(parse_named_set(to_json(*read)) == *read, "a set is read back as it was written");
  const Set& set = read->set;
  if (set.dim() > kMostUsed) return;
  require(!to_string(set).empty(), "a set has a name");
  std::optional<Anchor> anchor;
  if (!accepts<Error>([&] { anchor = find_anchor(set); })) return;
  if (anchor->status != AnchorStatus::found) {
    require(!anchor->reason.empty(), "a set without an anchor has a reason");
    return;
  }
  project_rows<double>(set, *anchor);
  project_rows<float>(set, *anchor);
}

}  // namespace softradial::fuzz
