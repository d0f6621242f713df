#include "sets/parts.hpp"
#include "sets/validation.hpp"
#include "softradial/sets/combinators.hpp"

namespace softradial {
namespace {

constexpr std::string_view kIntersection = "intersection";

// The sum of the parts' barriers.
std::optional<BarrierTerms> sum_of_barriers(const std::vector<Set>& parts, BarrierOf barrier_of,
                                            const Eigen::VectorXd& x, double t) {
  BarrierTerms terms(parts.front().dim());
  for (const Set& part : parts) {
    const std::optional<BarrierTerms> added = ((*part).*barrier_of)(x, t);
    if (!added) return std::nullopt;
    terms.value += added->value;
    terms.gradient += added->gradient;
    terms.hessian += added->hessian;
  }
  return terms;
}

}  // namespace

Intersection::Intersection(std::vector<Set> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) reject(kIntersection, "there are no sets");
  for (std::size_t k = 1; k < parts_.size(); ++k) {
    if (parts_[k].dim() != dim()) {
      reject(kIntersection, "sets[" + std::to_string(k) + "] has dimension " + std::to_string(parts_[k].dim()) +
                                ", sets[0] has dimension " + std::to_string(dim()));
    }
  }
}

Description Intersection::describe() const { return {std::string(kIntersection), {{"sets", described(parts_)}}}; }

bool Intersection::append_linear(LinearSystem& out) const {
  bool all_linear = true;
  for (std::size_t k = 0; k < parts_.size(); ++k) all_linear &= append_part(parts_, k, 0, out);
  return all_linear;
}

std::size_t Intersection::num_inequalities() const { return count_inequalities(parts_); }

std::string Intersection::inequality_name(std::size_t index) const { return inequality_of_part(parts_, index); }

void Intersection::slacks(std::span<const double> x, std::span<double> out) const {
  for (const Set& part : parts_) {
    const std::size_t count = part->num_inequalities();
    part->slacks(x, out.first(count));
    out = out.subspan(count);
  }
}

std::optional<BarrierTerms> Intersection::barrier(const Eigen::VectorXd& x, double t) const {
  return sum_of_barriers(parts_, &ConvexSet::barrier, x, t);
}

std::optional<BarrierTerms> Intersection::nonlinear_barrier(const Eigen::VectorXd& x, double t) const {
  return sum_of_barriers(parts_, &ConvexSet::nonlinear_barrier, x, t);
}

}  // namespace softradial
