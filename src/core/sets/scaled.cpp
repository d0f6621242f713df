#include "sets/parts.hpp"
#include "sets/validation.hpp"
#include "softradial/sets/combinators.hpp"

// Slacks of a scaled set are factor times those of the inner set at x / factor: distances in the units of x, and
// rows  a.y <= b  become  a.x <= factor b  with their coefficients as they were given.
namespace softradial {
namespace {

constexpr std::string_view kScaled = "scaled";

LinearSystem::Row scaled_row(LinearSystem::Row row, double factor) {
  row.bound *= factor;
  return row;
}

// factor slack_i(x / factor) + t = factor (slack_i(x / factor) + t / factor): the inner barrier at (x, t) / factor, up
// to a constant.
std::optional<BarrierTerms> rescaled(std::optional<BarrierTerms> terms, double factor) {
  if (terms) {
    terms->gradient /= factor;
    terms->hessian /= factor * factor;
  }
  return terms;
}

}  // namespace

Scaled::Scaled(Set inner, double factor) : inner_(std::move(inner)), factor_(factor) {
  require_positive(kScaled, "factor", factor_);
}

Description Scaled::describe() const {
  return {std::string(kScaled), {{"set", std::vector{described(inner_)}}, {"factor", factor_}}};
}

bool Scaled::append_linear(LinearSystem& out) const {
  LinearSystem inner(inner_.dim());
  const bool all_linear = inner_->append_linear(inner);
  for (const LinearSystem::Row& row : inner.inequalities()) out.add_inequality(scaled_row(row, factor_));
  for (const LinearSystem::Row& row : inner.equalities()) out.add_equality(scaled_row(row, factor_));
  return all_linear;
}

void Scaled::slacks(std::span<const double> x, std::span<double> out) const {
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())) / factor_;
  inner_->slacks({y.data(), x.size()}, out);
  for (double& slack : out) slack *= factor_;
}

std::optional<BarrierTerms> Scaled::barrier(const Eigen::VectorXd& x, double t) const {
  return rescaled(inner_->barrier(x / factor_, t / factor_), factor_);
}

std::optional<BarrierTerms> Scaled::nonlinear_barrier(const Eigen::VectorXd& x, double t) const {
  return rescaled(inner_->nonlinear_barrier(x / factor_, t / factor_), factor_);
}

std::optional<Eigen::VectorXd> Scaled::closed_form_anchor() const {
  std::optional<Eigen::VectorXd> anchor = given_or_closed_form_anchor(inner_);
  if (anchor) *anchor *= factor_;
  return anchor;
}

}  // namespace softradial
