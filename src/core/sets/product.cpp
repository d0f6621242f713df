#include "sets/parts.hpp"
#include "sets/validation.hpp"
#include "softradial/sets/combinators.hpp"

namespace softradial {
namespace {

constexpr std::string_view kProduct = "product";

// The sum of the blocks' barriers; they meet in t only.
std::optional<BarrierTerms> sum_of_blocks(const std::vector<Set>& parts, BarrierOf barrier_of, const Eigen::VectorXd& x,
                                          double t) {
  const Eigen::Index last = x.size();
  BarrierTerms terms(static_cast<std::size_t>(last));
  Eigen::Index first = 0;
  for (const Set& part : parts) {
    const auto size = static_cast<Eigen::Index>(part.dim());
    const std::optional<BarrierTerms> block = ((*part).*barrier_of)(x.segment(first, size), t);
    if (!block) return std::nullopt;
    terms.value += block->value;
    terms.gradient.segment(first, size) = block->gradient.head(size);
    terms.gradient[last] += block->gradient[size];
    terms.hessian.block(first, first, size, size) = block->hessian.topLeftCorner(size, size);
    terms.hessian.col(last).segment(first, size) = block->hessian.col(size).head(size);
    terms.hessian.row(last).segment(first, size) = block->hessian.row(size).head(size);
    terms.hessian(last, last) += block->hessian(size, size);
    first += size;
  }
  return terms;
}

}  // namespace

Product::Product(std::vector<Set> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) reject(kProduct, "there are no sets");
  for (const Set& part : parts_) dim_ += part.dim();
  require_dim(kProduct, dim_);
}

Description Product::describe() const { return {std::string(kProduct), {{"sets", described(parts_)}}}; }

bool Product::append_linear(LinearSystem& out) const {
  bool all_linear = true;
  std::size_t first_column = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    all_linear &= append_part(parts_, k, first_column, out);
    first_column += parts_[k].dim();
  }
  return all_linear;
}

std::size_t Product::num_inequalities() const { return count_inequalities(parts_); }

std::string Product::inequality_name(std::size_t index) const { return inequality_of_part(parts_, index); }

void Product::slacks(std::span<const double> x, std::span<double> out) const {
  for (const Set& part : parts_) {
    const std::size_t count = part->num_inequalities();
    part->slacks(x.first(part.dim()), out.first(count));
    x = x.subspan(part.dim());
    out = out.subspan(count);
  }
}

std::optional<BarrierTerms> Product::barrier(const Eigen::VectorXd& x, double t) const {
  return sum_of_blocks(parts_, &ConvexSet::barrier, x, t);
}

std::optional<BarrierTerms> Product::nonlinear_barrier(const Eigen::VectorXd& x, double t) const {
  return sum_of_blocks(parts_, &ConvexSet::nonlinear_barrier, x, t);
}

std::optional<Eigen::VectorXd> Product::closed_form_anchor() const {
  Eigen::VectorXd anchor(static_cast<Eigen::Index>(dim_));
  Eigen::Index first = 0;
  for (const Set& part : parts_) {
    const std::optional<Eigen::VectorXd> block = given_or_closed_form_anchor(part);
    if (!block) return std::nullopt;
    anchor.segment(first, block->size()) = *block;
    first += block->size();
  }
  return anchor;
}

}  // namespace softradial
