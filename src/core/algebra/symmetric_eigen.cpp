#include "algebra/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace softradial {

template <class T>
struct SymmetricEigen<T>::Solver {
  explicit Solver(Eigen::Index order) : eigen(order), scaled(order, order), reduced(std::max<Eigen::Index>(order, 2)) {}
  Eigen::SelfAdjointEigenSolver<Matrix> eigen;
  Matrix scaled;
  Vector diagonal = Vector(scaled.rows());
  Vector squares = Vector(std::max<Eigen::Index>(scaled.rows() - 1, 0));
  Eigen::Tridiagonalization<Matrix> reduced;
};

namespace {

// Whether a tridiagonal matrix, given by its diagonal and the squares of the entries beside it, has an eigenvalue above x. It
// has one if and only if a pivot of the LDL' factorisation of the matrix less x is positive. A pivot of zero counts as a tiny
// negative one: if the next entry beside the diagonal is not zero, the next pivot is positive, as interlacing has it.
template <class T, class Vector>
bool reaches_beyond(T x, const Vector& diagonal, const Vector& squares) {
  T pivot = -1;
  for (Eigen::Index i = 0; i < diagonal.size(); ++i) {
    const T beside = i > 0 ? squares[i - 1] / pivot : T{0};
    pivot = diagonal[i] - x - beside;
    if (pivot > 0) return true;
    if (pivot == 0) pivot = -std::numeric_limits<T>::min();
  }
  return false;
}

}  // namespace

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
T SymmetricEigen<T>::largest(const Matrix& symmetric) {
  const Eigen::Index order = symmetric.rows();
  if (order == 1) return symmetric(0, 0);
  T scale = 0;
  for (Eigen::Index c = 0; c < order; ++c) {
    scale = std::max(scale, symmetric.col(c).tail(order - c).template lpNorm<Eigen::Infinity>());
  }
  if (!(scale > 0)) return scale;
  solver_->scaled = symmetric / scale;
  solver_->reduced.compute(solver_->scaled);
  Vector& diagonal = solver_->diagonal;
  Vector& squares = solver_->squares;
  diagonal = solver_->reduced.diagonal();
  squares = solver_->reduced.subDiagonal();
  T low = diagonal.maxCoeff();
  T high = low;
  for (Eigen::Index i = 0; i < order; ++i) {
    const T left = i > 0 ? std::abs(squares[i - 1]) : T{0};
    const T right = i + 1 < order ? std::abs(squares[i]) : T{0};
    high = std::max(high, diagonal[i] + left + right);
  }
  squares = squares.cwiseAbs2();
  for (T middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2) {
    (reaches_beyond(middle, diagonal, squares) ? low : high) = middle;
  }
  return scale * high;
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
