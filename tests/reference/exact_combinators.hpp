#pragma once

#include <Eigen/Core>
#include <vector>

#include "reference/exact_constraints.hpp"

namespace softradial::reference {

// Every part holds at the same point.
class AllOf final : public InBothPrecisions<AllOf> {
 public:
  explicit AllOf(std::vector<ConstraintPtr> parts) : parts_(std::move(parts)) {}

  template <class R>
  Finding test(Point<R> x) const {
    Finding finding;
    for (const ConstraintPtr& part : parts_) finding.merge(part->examine(x));
    return finding;
  }

 private:
  std::vector<ConstraintPtr> parts_;
};

// The inner constraint on the coordinates first ... first + dim - 1.
class OnBlock final : public InBothPrecisions<OnBlock> {
 public:
  OnBlock(ConstraintPtr inner, std::size_t first, std::size_t dim)
      : inner_(std::move(inner)), first_(first), dim_(dim) {}

  template <class R>
  Finding test(Point<R> x) const {
    return inner_->examine(x.subspan(first_, dim_));
  }

 private:
  ConstraintPtr inner_;
  std::size_t first_;
  std::size_t dim_;
};

// The inner constraint at A x + b.
class AtAffineImage final : public InBothPrecisions<AtAffineImage> {
 public:
  AtAffineImage(ConstraintPtr inner, Eigen::MatrixXd A, Eigen::VectorXd b)
      : inner_(std::move(inner)), A_(std::move(A)), b_(std::move(b)) {}

  template <class R>
  Finding test(Point<R> x) const {
    std::vector<Enclosure<R>> y;
    for (Eigen::Index i = 0; i < A_.rows(); ++i) {
      DotProduct<R> row;
      for (std::size_t j = 0; j < x.size(); ++j) row.add(A_(i, Eigen::Index(j)), x[j]);
      y.push_back(row.value() + Enclosure<R>(b_[i]));
    }
    return inner_->examine(y);
  }

 private:
  ConstraintPtr inner_;
  Eigen::MatrixXd A_;
  Eigen::VectorXd b_;
};

// The inner constraint at x / factor.
class AtQuotient final : public InBothPrecisions<AtQuotient> {
 public:
  AtQuotient(ConstraintPtr inner, double factor) : inner_(std::move(inner)), factor_(factor) {}

  template <class R>
  Finding test(Point<R> x) const {
    std::vector<Enclosure<R>> y;
    for (const Enclosure<R>& coordinate : x) y.push_back(divide(coordinate, static_cast<R>(factor_)));
    return inner_->examine(y);
  }

 private:
  ConstraintPtr inner_;
  double factor_;
};

}  // namespace softradial::reference
