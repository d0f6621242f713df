#pragma once

#include <vector>

#include "softradial/set.hpp"

namespace softradial {

// The set of the points that all parts contain. gamma is the largest of the parts' gauges; ties take the first part.
class Intersection final : public ConvexSet {
 public:
  [[nodiscard]] static SetType type();
  explicit Intersection(std::vector<Set> parts);
  [[nodiscard]] const std::vector<Set>& parts() const noexcept { return parts_; }

  [[nodiscard]] std::size_t dim() const noexcept override { return parts_.front().dim(); }
  [[nodiscard]] Description describe() const override;
  bool append_linear(LinearSystem& out) const override;
  [[nodiscard]] std::size_t num_inequalities() const override;
  [[nodiscard]] std::string inequality_name(std::size_t index) const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<BarrierTerms> nonlinear_barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const override;

 private:
  std::vector<Set> parts_;
};

// The points (x_1, x_2, ...) with x_k in part k. gamma = max over the blocks: one radial scale for the whole point.
class Product final : public ConvexSet {
 public:
  [[nodiscard]] static SetType type();
  explicit Product(std::vector<Set> parts);
  [[nodiscard]] const std::vector<Set>& parts() const noexcept { return parts_; }

  [[nodiscard]] std::size_t dim() const noexcept override { return dim_; }
  [[nodiscard]] Description describe() const override;
  bool append_linear(LinearSystem& out) const override;
  [[nodiscard]] std::size_t num_inequalities() const override;
  [[nodiscard]] std::string inequality_name(std::size_t index) const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<BarrierTerms> nonlinear_barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<Eigen::VectorXd> closed_form_anchor() const override;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const override;

 private:
  std::vector<Set> parts_;
  std::size_t dim_ = 0;
};

// {x : A x + b in inner}. gamma(d) = gamma_inner(A d).
class AffinePreimage final : public ConvexSet {
 public:
  [[nodiscard]] static SetType type();
  AffinePreimage(Set inner, Eigen::MatrixXd A, Eigen::VectorXd b);

  [[nodiscard]] std::size_t dim() const noexcept override { return static_cast<std::size_t>(A_.cols()); }
  [[nodiscard]] Description describe() const override;
  bool append_linear(LinearSystem& out) const override;
  [[nodiscard]] std::size_t num_inequalities() const override { return inner_->num_inequalities(); }
  [[nodiscard]] std::string inequality_name(std::size_t index) const override;
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<BarrierTerms> nonlinear_barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const override;

 private:
  Set inner_;
  Eigen::MatrixXd A_;
  Eigen::VectorXd b_;
};

// {factor * y : y in inner}, factor > 0. gamma(d) = gamma_inner(d / factor); the anchor is factor times inner's anchor.
class Scaled final : public ConvexSet {
 public:
  [[nodiscard]] static SetType type();
  Scaled(Set inner, double factor);

  [[nodiscard]] std::size_t dim() const noexcept override { return inner_.dim(); }
  [[nodiscard]] Description describe() const override;
  bool append_linear(LinearSystem& out) const override;
  [[nodiscard]] std::size_t num_inequalities() const override { return inner_->num_inequalities(); }
  [[nodiscard]] std::string inequality_name(std::size_t index) const override { return inner_->inequality_name(index); }
  void slacks(std::span<const double> x, std::span<double> out) const override;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<BarrierTerms> nonlinear_barrier(const Eigen::VectorXd& x, double t) const override;
  [[nodiscard]] std::optional<Eigen::VectorXd> closed_form_anchor() const override;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const override;

 private:
  Set inner_;
  double factor_;
};

}  // namespace softradial
