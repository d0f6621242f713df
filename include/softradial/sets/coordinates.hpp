#pragma once

#include "softradial/sets/polyhedra.hpp"

namespace softradial {

// lower_j <= x_j <= upper_j, either side open (+-infinity), with or without sum(x) = total: boxes, simplices and capped
// simplices. Their gauge needs one pass over the coordinates and no matrix:
//   gamma(d) = max_j max( d_j / (upper_j - u0_j), -d_j / (u0_j - lower_j) ), floored at 0.
class CoordinateSet : public PolyhedralSet {
 public:
  [[nodiscard]] const Eigen::VectorXd& lower() const noexcept { return lower_; }
  [[nodiscard]] const Eigen::VectorXd& upper() const noexcept { return upper_; }
  [[nodiscard]] std::optional<double> total() const noexcept { return total_; }

  [[nodiscard]] std::optional<Eigen::VectorXd> closed_form_anchor() const final;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const final;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const final;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const final;

 protected:
  CoordinateSet(Eigen::VectorXd lower, Eigen::VectorXd upper, std::optional<double> total);

 private:
  Eigen::VectorXd lower_;
  Eigen::VectorXd upper_;
  std::optional<double> total_;
};

// {x : lower <= x <= upper}; sides may be open, lower_j = upper_j fixes a coordinate.
class Box final : public CoordinateSet {
 public:
  [[nodiscard]] static SetType type();
  Box(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper);
  [[nodiscard]] Description describe() const override;
};

// {x >= 0 : sum(x) = sum}.
class Simplex final : public CoordinateSet {
 public:
  [[nodiscard]] static SetType type();
  explicit Simplex(std::size_t dim, double sum = 1);
  [[nodiscard]] Description describe() const override;
};

// {0 <= x <= cap : sum(x) = sum}, one cap for all coordinates or one for each.
class CappedSimplex final : public CoordinateSet {
 public:
  [[nodiscard]] static SetType type();
  CappedSimplex(std::size_t dim, double cap, double sum = 1);
  explicit CappedSimplex(const Eigen::VectorXd& caps, double sum = 1);
  [[nodiscard]] Description describe() const override;

 private:
  bool one_cap_;
};

}  // namespace softradial
