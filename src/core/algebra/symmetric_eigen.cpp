#include "algebra/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace softradial {

template <class T>
struct SymmetricEigen<T>::Solver {
  explicit Solver(Eigen::Index order) : eigen(order) {}
  Eigen::SelfAdjointEigenSolver<Matrix> eigen;
};

template <class T>
SymmetricEigen<T>::SymmetricEigen(Eigen::Index order) : solver_(std::make_unique<Solver>(order)) {}

template <class T>
SymmetricEigen<T>::SymmetricEigen(const Matrix& symmetric, Want want) : SymmetricEigen(symmetric.rows()) {
  compute(symmetric, want);
}

template <class T>
SymmetricEigen<T>::~SymmetricEigen() = default;

template <class T>
void SymmetricEigen<T>::compute(const Matrix& symmetric, Want want) {
  solver_->eigen.compute(symmetric, want == Want::vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
}

template <class T>
const typename SymmetricEigen<T>::Vector& SymmetricEigen<T>::values() const noexcept {
  return solver_->eigen.eigenvalues();
}

template <class T>
const typename SymmetricEigen<T>::Matrix& SymmetricEigen<T>::vectors() const noexcept {
  return solver_->eigen.eigenvectors();
}

template class SymmetricEigen<float>;
template class SymmetricEigen<double>;
template class SymmetricEigen<long double>;

}  // namespace softradial
