#pragma once

#include "softradial/set.hpp"

namespace softradial {

// Base class of simplices, boxes and polyhedra: everything that follows from their linear system alone.
class PolyhedralSet : public ConvexSet {
 public:
  [[nodiscard]] std::size_t dim() const noexcept final { return system_.dim(); }
  bool append_linear(LinearSystem& out) const final;
  [[nodiscard]] std::size_t num_inequalities() const final { return system_.inequalities().size(); }
  [[nodiscard]] std::string inequality_name(std::size_t index) const final {
    return system_.inequalities()[index].name;
  }
  void slacks(std::span<const double> x, std::span<double> out) const final;
  [[nodiscard]] std::optional<BarrierTerms> barrier(const Eigen::VectorXd& x, double t) const final;
  [[nodiscard]] std::optional<BarrierTerms> nonlinear_barrier(const Eigen::VectorXd& x, double t) const final;
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const override;

 protected:
  explicit PolyhedralSet(LinearSystem system) : system_(std::move(system)) {}
  [[nodiscard]] const LinearSystem& system() const noexcept { return system_; }

 private:
  LinearSystem system_;
};

// {x : A x <= b, E x = f}; dense or sparse by the type of A. gamma(d) = max_i a_i.d / (b_i - a_i.u0), floored at 0.
// Rows that are constant on the affine hull (implicit equalities) take no part in the gauge.
class Polyhedron final : public PolyhedralSet {
 public:
  [[nodiscard]] static SetType type();
  Polyhedron(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
  Polyhedron(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::MatrixXd& E, const Eigen::VectorXd& f);
  Polyhedron(const SparseMatrix& A, const Eigen::VectorXd& b);
  Polyhedron(const SparseMatrix& A, const Eigen::VectorXd& b, const SparseMatrix& E, const Eigen::VectorXd& f);

  [[nodiscard]] Description describe() const override;
  [[nodiscard]] GaugePtr<float> gauge_f32(const AnchoredHull& at) const override;
  [[nodiscard]] GaugePtr<double> gauge_f64(const AnchoredHull& at) const override;
  [[nodiscard]] TensorGaugeAt gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const override;
  [[nodiscard]] std::optional<Set> in_sizes(const Eigen::VectorXd& sizes) const override;

 private:
  friend class PolyhedralSet;
  Polyhedron(LinearSystem system, bool sparse) : PolyhedralSet(std::move(system)), sparse_(sparse) {}

  bool sparse_;
};

}  // namespace softradial
