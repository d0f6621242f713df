#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "softradial/anchor.hpp"
#include "softradial/linear_system.hpp"
#include "softradial/set.hpp"
#include "softradial/set_json.hpp"
#include "softradial/violation.hpp"

namespace softradial::program {

// How far a feasible point may lie beyond a constraint (docs/cli.md, "check").
struct Tolerance {
  double epsilon;                  // precision of the points, 2^-23 or 2^-52: for equalities (LinearRounding)
  std::optional<double> absolute;  // the user's own tolerance, for all constraints
};

// The inequalities of a set, then its equalities, as one list.
class Constraints {
 public:
  // The `names` of the coordinates, if there are any, replace their indices.
  Constraints(const Set& set, const Tolerance& tolerance, const std::vector<std::string>& names = {});

  [[nodiscard]] std::size_t size() const noexcept { return num_inequalities_ + system_.equalities().size(); }
  [[nodiscard]] bool is_equality(std::size_t index) const noexcept { return index >= num_inequalities_; }
  [[nodiscard]] std::string name(std::size_t index) const;

  // -slack for an inequality, which is negative strictly inside; |residual| for an equality.
  void violations(std::span<const double> x, std::span<double> out) const;

  // Whether a feasible point may have this violation; NaN means no.
  [[nodiscard]] bool allows(std::size_t index, double violation, std::span<const double> x) const;

 private:
  Set set_;
  Tolerance tolerance_;
  std::size_t num_inequalities_;
  LinearSystem system_;
  std::vector<std::optional<std::size_t>> rows_;        // for each inequality: its row of system_, if it is linear
  mutable LinearRounding rounding_;                     // remembers the anchor that it searched for
  std::unordered_map<std::string, std::string> named_;  // constraints that are named after a coordinate
};

// Explains why a point has no inverse: which constraint is the reason, and by how much.
class InteriorCheck {
 public:
  InteriorCheck(const NamedSet& set, const Anchor& anchor, const Tolerance& tolerance);

  // Names the inequality that x does not satisfy strictly; nothing if x is strictly inside. Inequalities that are constant
  // on the hull do not count: if they imply an equality, their slack is 0 there.
  [[nodiscard]] std::optional<std::string> why_not_inside(std::span<const double> x) const;

  // The explanation for a point that satisfies all inequalities strictly and still has no inverse.
  [[nodiscard]] std::string why_no_inverse(std::span<const double> x) const;

 private:
  [[nodiscard]] std::vector<double> violations(std::span<const double> x) const;
  [[nodiscard]] std::optional<std::size_t> worst_inequality(std::span<const double> violations) const;

  Constraints constraints_;
  std::vector<bool> counts_;  // for each constraint: it is an inequality that is not constant on the hull
};

}  // namespace softradial::program
