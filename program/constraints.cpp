#include "constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "softradial/constraint_names.hpp"
#include "softradial/violation.hpp"

namespace softradial::program {

namespace {

LinearSystem linear_part(const Set& set) {
  LinearSystem system(set.dim());
  set->append_linear(system);
  return system;
}

// For each inequality of the set: the linear row of its name, if there is one.
std::vector<std::optional<std::size_t>> linear_rows(const Set& set, const LinearSystem& system) {
  const auto& rows = system.inequalities();
  std::unordered_map<std::string_view, std::size_t> named;
  for (std::size_t i = 0; i < rows.size(); ++i) named.emplace(rows[i].name, i);
  std::vector<std::optional<std::size_t>> out(set->num_inequalities());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (const auto found = named.find(set->inequality_name(i)); found != named.end()) out[i] = found->second;
  }
  return out;
}

}  // namespace

Constraints::Constraints(const Set& set, const Tolerance& tolerance, const std::vector<std::string>& names)
    : set_(set),
      tolerance_(tolerance),
      num_inequalities_(set->num_inequalities()),
      system_(linear_part(set)),
      rows_(linear_rows(set, system_)),
      rounding_(set) {
  if (!names.empty()) named_ = constraint_names(system_, names);
}

std::string Constraints::name(std::size_t index) const {
  const std::string own =
      is_equality(index) ? system_.equalities()[index - num_inequalities_].name : set_->inequality_name(index);
  const auto found = named_.find(own);
  return found == named_.end() ? own : found->second;
}

void Constraints::violations(std::span<const double> x, std::span<double> out) const {
  set_->slacks(x, out.first(num_inequalities_));
  for (double& value : out.first(num_inequalities_)) value = -value;
  const auto& equalities = system_.equalities();
  for (std::size_t k = 0; k < equalities.size(); ++k) {
    out[num_inequalities_ + k] = std::abs(residual(equalities[k], x.data()));
  }
}

bool Constraints::allows(std::size_t index, double violation, std::span<const double> x) const {
  if (violation <= tolerance_.absolute.value_or(0)) return true;
  if (tolerance_.absolute || std::isnan(violation)) return false;
  if (is_equality(index)) {
    const auto& row = system_.equalities()[index - num_inequalities_];
    return rounding_.explains_equality(row, violation, x, tolerance_.epsilon);
  }
  if (!rows_[index]) return false;
  return rounding_.explains_inequality(system_.inequalities()[*rows_[index]], violation, x, tolerance_.epsilon);
}

InteriorCheck::InteriorCheck(const NamedSet& named, const Anchor& anchor, const Tolerance& tolerance)
    : constraints_(named.set, tolerance, named.names), counts_(constraints_.size()) {
  // anchor.slack is the smallest slack at the anchor among the inequalities that count. The others have slack 0 there, up
  // to rounding.
  const std::vector<double> at_anchor = violations({anchor.point.data(), named.set.dim()});
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] = !constraints_.is_equality(i) && -at_anchor[i] >= anchor.slack / 2;
  }
}

std::vector<double> InteriorCheck::violations(std::span<const double> x) const {
  std::vector<double> values(constraints_.size());
  constraints_.violations(x, values);
  return values;
}

std::optional<std::size_t> InteriorCheck::worst_inequality(std::span<const double> violations) const {
  std::optional<std::size_t> worst;
  for (std::size_t i = 0; i < violations.size(); ++i) {
    if (counts_[i] && (!worst || !(violations[i] <= violations[*worst]))) worst = i;
  }
  return worst;
}

std::optional<std::string> InteriorCheck::why_not_inside(std::span<const double> x) const {
  if (!std::ranges::all_of(x, [](double value) { return std::isfinite(value); })) return "is not finite";
  const std::vector<double> values = violations(x);
  const auto worst = worst_inequality(values);
  if (!worst || values[*worst] < 0) return std::nullopt;
  const std::string name = constraints_.name(*worst);
  if (values[*worst] == 0) return fmt::format("is on the boundary of the set: {} has slack 0", name);
  return fmt::format("is not inside the set: {} is violated by {:.9g}", name, values[*worst]);
}

std::string InteriorCheck::why_no_inverse(std::span<const double> x) const {
  const std::vector<double> values = violations(x);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!counts_[i] && !constraints_.allows(i, values[i], x)) {
      return fmt::format("is not on the affine hull of the set: {} is off by {:.9g}", constraints_.name(i), values[i]);
    }
  }
  const auto worst = worst_inequality(values);
  if (!worst) return "has no inverse";
  return fmt::format("is too close to the boundary of the set: {} has slack {:.9g}", constraints_.name(*worst),
                     -values[*worst]);
}

}  // namespace softradial::program
