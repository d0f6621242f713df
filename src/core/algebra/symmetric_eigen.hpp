#pragma once

#include <Eigen/Core>
#include <memory>

namespace softradial {

// Eigenvalues, ascending, and eigenvectors of symmetric matrices of one order; only the lower triangle is read. Buffers
// are made by the constructor: `compute` does not allocate. The class wraps Eigen's solver, so that it is compiled once, not in
// every file that needs it.
template <class T>
class SymmetricEigen {
 public:
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  enum class Want { values, vectors };

  explicit SymmetricEigen(Eigen::Index order);
  SymmetricEigen(const Matrix& symmetric, Want want);
  ~SymmetricEigen();

  void compute(const Matrix& symmetric, Want want);
  // The largest eigenvalue alone, by bisection on the tridiagonal form; at order 50 this takes a third of the time.
  [[nodiscard]] T largest(const Matrix& symmetric);
  [[nodiscard]] const Vector& values() const noexcept;
  [[nodiscard]] const Matrix& vectors() const noexcept;  // one per column

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
};

extern template class SymmetricEigen<float>;
extern template class SymmetricEigen<double>;
extern template class SymmetricEigen<long double>;

}  // namespace softradial
