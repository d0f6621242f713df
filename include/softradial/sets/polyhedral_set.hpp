#pragma once

#include "softradial/set.hpp"

namespace softradial {

// What simplices, boxes and polyhedra share: everything that follows from their linear system alone.
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

 protected:
  explicit PolyhedralSet(LinearSystem system) : system_(std::move(system)) {}
  [[nodiscard]] const LinearSystem& system() const noexcept { return system_; }

 private:
  LinearSystem system_;
};

}  // namespace softradial
