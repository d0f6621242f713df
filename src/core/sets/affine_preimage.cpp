#include <cmath>
#include <limits>

#include "sets/parts.hpp"
#include "sets/validation.hpp"
#include "softradial/sets/combinators.hpp"

namespace softradial {
namespace {

constexpr std::string_view kAffinePreimage = "affine_preimage";

// A sum that is 0 up to the rounding of its terms is 0. The columns of a computed A that sum to 0 in theory would
// otherwise turn sum(y) = 1 into an equality in x, with a random normal.
class CancellingSum {
 public:
  void add(long double term) {
    sum_ += term;
    size_ += std::abs(term);
  }
  [[nodiscard]] double value() const {
    constexpr long double kRounding = std::numeric_limits<double>::epsilon();
    return std::abs(sum_) <= kRounding * size_ ? 0 : static_cast<double>(sum_);
  }

 private:
  long double sum_ = 0;
  long double size_ = 0;
};

// a.(A x + b) <= beta  as  (A'a).x <= beta - a.b; each number is rounded once.
LinearSystem::Row pulled_back(const LinearSystem::Row& row, const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  CancellingSum bound;
  bound.add(row.bound);
  for (const LinearSystem::Entry& a : row.entries) bound.add(-static_cast<long double>(a.value) * b[a.column]);
  LinearSystem::Row result{.entries = {}, .bound = bound.value(), .name = row.name};
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    CancellingSum coefficient;
    for (const LinearSystem::Entry& a : row.entries)
      coefficient.add(static_cast<long double>(a.value) * A(a.column, j));
    if (const double value = coefficient.value(); value != 0) {
      result.entries.push_back({static_cast<std::size_t>(j), value});
    }
  }
  return result;
}

// With the chain matrix J = diag(A, 1):  gradient J'g,  Hessian J'HJ.
std::optional<BarrierTerms> chained(const std::optional<BarrierTerms>& inner, const Eigen::MatrixXd& A) {
  if (!inner) return std::nullopt;
  const Eigen::Index m = A.rows();
  const Eigen::Index n = A.cols();
  BarrierTerms terms(static_cast<std::size_t>(n));
  terms.value = inner->value;
  terms.gradient << A.transpose() * inner->gradient.head(m), inner->gradient[m];
  terms.hessian.topLeftCorner(n, n) = A.transpose() * inner->hessian.topLeftCorner(m, m) * A;
  terms.hessian.col(n).head(n) = A.transpose() * inner->hessian.col(m).head(m);
  terms.hessian.row(n).head(n) = terms.hessian.col(n).head(n).transpose();
  terms.hessian(n, n) = inner->hessian(m, m);
  return terms;
}

}  // namespace

AffinePreimage::AffinePreimage(Set inner, Eigen::MatrixXd A, Eigen::VectorXd b)
    : inner_(std::move(inner)), A_(std::move(A)), b_(std::move(b)) {
  require_dim(kAffinePreimage, dim());
  if (static_cast<std::size_t>(A_.rows()) != inner_.dim()) {
    reject(kAffinePreimage,
           "A has " + std::to_string(A_.rows()) + " rows, the set has dimension " + std::to_string(inner_.dim()));
  }
  require_entries(kAffinePreimage, "b", b_.size(), A_.rows(), "rows of A");
  require_finite(kAffinePreimage, "A", A_);
  require_finite(kAffinePreimage, "b", b_);
}

Description AffinePreimage::describe() const {
  return {std::string(kAffinePreimage), {{"set", std::vector{described(inner_)}}, {"A", A_}, {"b", b_}}};
}

bool AffinePreimage::append_linear(LinearSystem& out) const {
  LinearSystem inner(inner_.dim());
  const bool all_linear = inner_->append_linear(inner);
  for (const LinearSystem::Row& row : inner.inequalities()) out.add_inequality(pulled_back(row, A_, b_));
  for (const LinearSystem::Row& row : inner.equalities()) out.add_equality(pulled_back(row, A_, b_));
  return all_linear;
}

std::string AffinePreimage::inequality_name(std::size_t index) const { return inner_->inequality_name(index); }

// The inner slacks at A x + b.
void AffinePreimage::slacks(std::span<const double> x, std::span<double> out) const {
  const Eigen::Map<const Eigen::VectorXd> point(x.data(), A_.cols());
  Eigen::VectorXd image(A_.rows());
  for (Eigen::Index i = 0; i < A_.rows(); ++i) {
    long double sum = b_[i];
    for (Eigen::Index j = 0; j < A_.cols(); ++j) sum += static_cast<long double>(A_(i, j)) * point[j];
    image[i] = static_cast<double>(sum);
  }
  inner_->slacks({image.data(), inner_.dim()}, out);
}

std::optional<BarrierTerms> AffinePreimage::barrier(const Eigen::VectorXd& x, double t) const {
  return chained(inner_->barrier(A_ * x + b_, t), A_);
}

std::optional<BarrierTerms> AffinePreimage::nonlinear_barrier(const Eigen::VectorXd& x, double t) const {
  return chained(inner_->nonlinear_barrier(A_ * x + b_, t), A_);
}

}  // namespace softradial
