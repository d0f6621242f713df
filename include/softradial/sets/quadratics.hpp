#pragma once

#include "softradial/set.hpp"

namespace softradial {

// The inequality 1/2 y'P y + q'y + c <= 0,  y = x - center,  P symmetric positive semidefinite.
struct QuadraticForm {
  Eigen::VectorXd center;
  Eigen::MatrixXd P;
  Eigen::VectorXd q;
  double c;
};

// V and sizes with V'V = diag(sizes) S diag(sizes), to rounding, for a symmetric positive semidefinite S: one row of V for each
// positive eigenvalue of the right-hand side. Sizes are powers of two; 1 unless the diagonal of S is of unlike sizes.
struct PsdFactor {
  Eigen::MatrixXd rows;
  Eigen::VectorXd sizes;

  [[nodiscard]] bool has_sizes() const { return (sizes.array() != 1).any(); }
  // L with L'L = S, to rounding.
  [[nodiscard]] Eigen::MatrixXd of_given() const { return rows * sizes.cwiseInverse().asDiagonal(); }
};

// Base class of the sets that one quadratic inequality describes.
class QuadraticSet : public SmoothSet {
 public:
  [[nodiscard]] virtual QuadraticForm form() const = 0;
};

// {x : |x - center| <= radius}; slack: radius - |x - center|.
class Ball final : public QuadraticSet {
 public:
  [[nodiscard]] static SetType type();
  Ball(Eigen::VectorXd center, double radius);

  [[nodiscard]] const Eigen::VectorXd& center() const noexcept { return center_; }
  [[nodiscard]] double radius() const noexcept { return radius_; }
  [[nodiscard]] std::size_t dim() const noexcept override { return static_cast<std::size_t>(center_.size()); }
  [[nodiscard]] Description describe() const override;
  [[nodiscard]] QuadraticForm form() const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<Eigen::VectorXd> closed_form_anchor() const override { return center_; }
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const override;
  [[nodiscard]] Tensor anchor_in_tensors(const SampleTensors& data, const Eigen::VectorXd& own) const override;

 private:
  Eigen::VectorXd center_;
  double radius_;
};

// {x : 1/2 x'Px + q'x + c <= 0}, P symmetric positive semidefinite, singular allowed. Slack: -(1/2 x'Px + q'x + c).
class Quadratic final : public QuadraticSet {
 public:
  [[nodiscard]] static SetType type();
  Quadratic(Eigen::MatrixXd P, Eigen::VectorXd q, double c);

  [[nodiscard]] std::size_t dim() const noexcept override { return static_cast<std::size_t>(q_.size()); }
  [[nodiscard]] Description describe() const override;
  [[nodiscard]] QuadraticForm form() const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<Eigen::VectorXd> closed_form_anchor() const override;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const override;

 private:
  Eigen::MatrixXd P_;
  Eigen::VectorXd q_;
  double c_;
  PsdFactor factor_;  // of P
};

// {x : (x - center)' shape (x - center) <= 1}, shape symmetric positive semidefinite. Slack: 1 - (x-c)' shape (x-c).
class Ellipsoid final : public QuadraticSet {
 public:
  [[nodiscard]] static SetType type();
  Ellipsoid(Eigen::VectorXd center, Eigen::MatrixXd shape);

  [[nodiscard]] std::size_t dim() const noexcept override { return static_cast<std::size_t>(center_.size()); }
  [[nodiscard]] Description describe() const override;
  [[nodiscard]] QuadraticForm form() const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<Eigen::VectorXd> closed_form_anchor() const override { return center_; }
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const override;
  [[nodiscard]] Tensor anchor_in_tensors(const SampleTensors& data, const Eigen::VectorXd& own) const override;

 private:
  Eigen::VectorXd center_;
  Eigen::MatrixXd shape_;
  PsdFactor factor_;  // of shape
};

}  // namespace softradial
