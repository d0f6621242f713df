#include "constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "softradial/violation.hpp"

namespace softradial::program {

namespace {

LinearSystem linear_part(const Set& set) {
  LinearSystem system(set.dim());
  set->append_linear(system);
  return system;
}

}  // namespace

Constraints::Constraints(const Set& set, const Tolerance& tolerance)
    : set_(set), tolerance_(tolerance), num_inequalities_(set->num_inequalities()), system_(linear_part(set)) {}

std::string Constraints::name(std::size_t index) const {
  if (is_equality(index)) return system_.equalities()[index - num_inequalities_].name;
  return set_->inequality_name(index);
}

void Constraints::violations(std::span<const double> x, std::span<double> out) const {
  set_->slacks(x, out.first(num_inequalities_));
  for (double& value : out.first(num_inequalities_)) value = -value;
  const auto& equalities = system_.equalities();
  for (std::size_t k = 0; k < equalities.size(); ++k) {
    out[num_inequalities_ + k] = std::abs(residual(equalities[k], x.data()));
  }
}

double Constraints::allowance(std::size_t index, std::span<const double> x) const {
  if (tolerance_.absolute) return *tolerance_.absolute;
  if (!is_equality(index)) return 0;
  return equality_tolerance(system_.equalities()[index - num_inequalities_], x, tolerance_.epsilon);
}

InteriorCheck::InteriorCheck(const Set& set, const Anchor& anchor, const Tolerance& tolerance)
    : constraints_(set, tolerance), counts_(constraints_.size()) {
  // anchor.slack is the smallest slack at the anchor among the inequalities that count. The others have slack 0 there, up
  // to rounding.
  const std::vector<double> at_anchor = violations({anchor.point.data(), set.dim()});
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
    if (!counts_[i] && values[i] > constraints_.allowance(i, x)) {
      return fmt::format("is not on the affine hull of the set: {} is off by {:.9g}", constraints_.name(i), values[i]);
    }
  }
  const auto worst = worst_inequality(values);
  if (!worst) return "has no inverse";
  return fmt::format("is too close to the boundary of the set: {} has slack {:.9g}", constraints_.name(*worst),
                     -values[*worst]);
}

}  // namespace softradial::program
