#pragma once

#include <Eigen/Core>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "softradial/affine_hull.hpp"
#include "softradial/description.hpp"
#include "softradial/gauge.hpp"
#include "softradial/linear_system.hpp"
#include "softradial/tensor.hpp"

namespace softradial {

struct SetType;
class Set;

// Value, gradient and Hessian of a barrier in the variables (x, t), t last.
struct BarrierTerms {
  double value = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;

  explicit BarrierTerms(std::size_t dim)
      : gradient(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(dim) + 1)),
        hessian(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(dim) + 1, static_cast<Eigen::Index>(dim) + 1)) {}
};

// Where a gauge is taken: an interior point (already rounded to the precision of the gauge) and the affine hull along
// which directions run.
struct AnchoredHull {
  const Eigen::VectorXd& point;
  const AffineHull& hull;
  // Whether a set that is made of others may take theirs in units of each coordinate (docs/math/margin.md).
  bool parts_in_sizes = false;
};

// A closed convex set, described by its data in double precision as they were given; constructors validate.
// A new kind of set derives from this: see CONTRIBUTING.md.
//
// Inequalities are numbered 0 ... num_inequalities() - 1; slack_i(x) is positive strictly inside, 0 on the boundary,
// negative outside, in the units of the constraint (b_i - a_i.x, R - |x - c|, smallest eigenvalue of F(x), ...).
class ConvexSet {
 public:
  virtual ~ConvexSet() = default;

  [[nodiscard]] virtual std::size_t dim() const noexcept = 0;
  [[nodiscard]] virtual Description describe() const = 0;

  // Appends the linear inequalities and the equalities that the description states, under the names that they have as
  // inequalities. Returns true if the set has no other constraints.
  virtual bool append_linear(LinearSystem& out) const = 0;

  [[nodiscard]] virtual std::size_t num_inequalities() const = 0;
  [[nodiscard]] virtual std::string inequality_name(std::size_t index) const = 0;
  virtual void slacks(std::span<const double> x, std::span<double> out) const = 0;

  // Barrier of the relaxed set: -sum_i log(slack_i(x) + t) up to the choice of an equivalent smooth slack, convex in
  // (x, t); empty outside its domain. Decreasing in t: every x is inside for t large enough.
  [[nodiscard]] virtual std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const = 0;

  // The barrier without the inequalities that append_linear lists. The search for an anchor adds the linear ones that are
  // not constant on the affine hull; an implicit equality has no slack to take a logarithm of.
  [[nodiscard]] virtual std::optional<BarrierTerms> nonlinear_barrier(const Eigen::VectorXd& x, double t) const {
    return barrier(x, t);
  }

  // An interior point in closed form, if the set has one.
  [[nodiscard]] virtual std::optional<Eigen::VectorXd> closed_form_anchor() const { return std::nullopt; }

  // The gauge at an anchor. Throws AnchorNotInterior, naming the constraint and its slack.
  [[nodiscard]] virtual GaugePtr<float> gauge_f32(const AnchoredHull& at) const = 0;
  [[nodiscard]] virtual GaugePtr<double> gauge_f64(const AnchoredHull& at) const = 0;

  template <class T>
  [[nodiscard]] GaugePtr<T> gauge(const AnchoredHull& at) const {
    if constexpr (std::same_as<T, float>) {
      return gauge_f32(at);
    } else {
      return gauge_f64(at);
    }
  }

  // The same set in the coordinates y_j = x_j / sizes_j, where the data can be written in them as they are. Sizes are powers of
  // two, so that nothing is rounded.
  [[nodiscard]] virtual std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const;

  // The gauge by tensors, for one anchor per sample, (..., dim) in double; `data` may replace the set's own data.
  // Throws InvalidSet if the set has no form in tensors.
  [[nodiscard]] virtual TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const;
  // The anchor for data of each sample if the caller gives none: the set's own, unless the data move it.
  [[nodiscard]] virtual Tensor anchor_in_tensors(const SampleTensors& data, const Eigen::VectorXd& own) const {
    return data.space().constant(own);
  }
};

// Base class of the sets with one nonlinear inequality.
class SmoothSet : public ConvexSet {
 public:
  bool append_linear(LinearSystem& /*out*/) const override { return false; }
  [[nodiscard]] std::size_t num_inequalities() const override { return 1; }
  [[nodiscard]] std::string inequality_name(std::size_t /*index*/) const override { return describe().type; }
};

// A convex set as a value: can be copied, compared and printed; immutable. Built from any ConvexSet: `Set s = Ball(center, 1);`
class Set {
 public:
  template <std::derived_from<ConvexSet> S>
  Set(S set) : set_(std::make_shared<const S>(std::move(set))) {}

  [[nodiscard]] std::size_t dim() const noexcept { return set_->dim(); }
  [[nodiscard]] const ConvexSet& operator*() const noexcept { return *set_; }
  [[nodiscard]] const ConvexSet* operator->() const noexcept { return set_.get(); }

  // A copy that carries the user's own anchor; it is checked when a projection is built.
  [[nodiscard]] Set with_anchor(Eigen::VectorXd anchor) const;
  [[nodiscard]] const std::optional<Eigen::VectorXd>& anchor() const noexcept { return anchor_; }

  bool operator==(const Set& other) const;

 private:
  std::shared_ptr<const ConvexSet> set_;
  std::optional<Eigen::VectorXd> anchor_;
};

[[nodiscard]] std::string to_string(const Set& set);

}  // namespace softradial
