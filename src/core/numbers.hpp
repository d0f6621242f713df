#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>

#include "softradial/tensor.hpp"

// The functions that formulas are written with, for float, double, long double and Tensor alike. A formula is a template over
// its numbers: with scalars it is evaluated row by row, with tensors for a whole batch and with derivatives.
//
// `choose` evaluates both sides: where a side must not be evaluated at an argument, give it another one by `where_else`.
namespace softradial {

template <class N>
concept Scalar = std::floating_point<N>;

template <Scalar N>
[[nodiscard]] N choose(bool condition, N yes, N no) noexcept {
  return condition ? yes : no;
}
[[nodiscard]] inline Tensor choose(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  return condition.value().choose(yes, no);
}

// These values where the condition holds, a constant elsewhere.
template <Scalar N>
[[nodiscard]] N where_else(bool condition, N values, double otherwise) noexcept {
  return condition ? values : static_cast<N>(otherwise);
}
[[nodiscard]] inline Tensor where_else(const Tensor& condition, const Tensor& values, double otherwise) {
  return values.value().where(condition, otherwise);
}

template <Scalar N>
[[nodiscard]] N larger(N a, std::type_identity_t<N> b) noexcept {
  return std::max(a, b);
}
[[nodiscard]] inline Tensor larger(const Tensor& a, const Tensor& b) {
  return a.value().apply(TensorValue::Binary::larger, b);
}
[[nodiscard]] inline Tensor larger(const Tensor& a, double b) {
  return a.value().apply(TensorValue::Binary::larger, b);
}
template <Scalar N>
[[nodiscard]] N smaller(N a, std::type_identity_t<N> b) noexcept {
  return std::min(a, b);
}
[[nodiscard]] inline Tensor smaller(const Tensor& a, const Tensor& b) {
  return a.value().apply(TensorValue::Binary::smaller, b);
}
[[nodiscard]] inline Tensor smaller(const Tensor& a, double b) {
  return a.value().apply(TensorValue::Binary::smaller, b);
}

// -1, 0 or 1
template <Scalar N>
[[nodiscard]] N sign(N x) noexcept {
  return static_cast<N>((x > 0) - (x < 0));
}
[[nodiscard]] inline Tensor sign(const Tensor& x) { return x.value().apply(TensorValue::Unary::sign); }

// sqrt(x) for x >= 0; its derivative at 0 counts as 0.
template <Scalar N>
[[nodiscard]] N root(N x) noexcept {
  return std::sqrt(x);
}
[[nodiscard]] inline Tensor root(const Tensor& x) {
  const Tensor positive = x > 0;
  return where_else(positive, where_else(positive, x, 1).value().apply(TensorValue::Unary::root), 0);
}

// x^p for x >= 0, p > 0; its derivative at 0 counts as 0.
template <Scalar N>
[[nodiscard]] N power(N x, double p) noexcept {
  return std::pow(x, static_cast<N>(p));
}
[[nodiscard]] inline Tensor power(const Tensor& x, double p) {
  const Tensor positive = x > 0;
  return where_else(positive, where_else(positive, x, 1).value().apply(TensorValue::Binary::power, p), 0);
}

// x^(1/p) for x >= 0, p > 0, with the same derivative at 0; 1/p is rounded to the precision of x.
template <Scalar N>
[[nodiscard]] N power_root(N x, double p) noexcept {
  return std::pow(x, 1 / static_cast<N>(p));
}
[[nodiscard]] inline Tensor power_root(const Tensor& x, double p) { return power(x, 1 / p); }

// 1 - exp(-z) for z >= 0 without cancellation; for tensors by functions that every exporter knows.
template <Scalar N>
[[nodiscard]] N one_minus_exp(N z) noexcept {
  return -std::expm1(-z);
}
[[nodiscard]] inline Tensor one_minus_exp(const Tensor& z) { return tanh(z / 2) * (1 + exp(-z)); }

// The largest finite number in the argument's precision.
template <Scalar N>
[[nodiscard]] double largest_number(N) noexcept {
  return std::numeric_limits<N>::max();
}
[[nodiscard]] inline double largest_number(const Tensor& x) { return x.value().largest_number(); }

// The same numbers without derivatives.
template <Scalar N>
[[nodiscard]] N frozen(N x) noexcept {
  return x;
}
[[nodiscard]] inline Tensor frozen(const Tensor& x) { return x.value().frozen(); }

// Vectors: rows of numbers in memory, Eigen's, or tensors (..., n) whose products and sums are (..., 1).

[[nodiscard]] inline Tensor sum(const Tensor& x) { return x.value().reduce(TensorValue::Reduction::sum); }
[[nodiscard]] inline Tensor largest(const Tensor& x) { return x.value().reduce(TensorValue::Reduction::largest); }
[[nodiscard]] inline Tensor all(const Tensor& x) { return x.value().reduce(TensorValue::Reduction::all); }

[[nodiscard]] inline Tensor dot(const Tensor& a, const Tensor& b) { return sum(a * b); }
template <class A, class B>
[[nodiscard]] typename A::Scalar dot(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return a.dot(b);
}

[[nodiscard]] inline Tensor norm(const Tensor& x) { return root(dot(x, x)); }
template <class A>
[[nodiscard]] typename A::Scalar norm(const Eigen::MatrixBase<A>& x) {
  return x.norm();
}

// M x; a tensor's M is a constant that is given as its columns, M'.
[[nodiscard]] inline Tensor product(const Tensor& columns, const Tensor& x) { return x.value().product(columns); }
template <class M, class V>
[[nodiscard]] auto product(const Eigen::MatrixBase<M>& matrix, const Eigen::MatrixBase<V>& x) {
  return (matrix * x).eval();
}

// sum_j term(x_j), sum_j term(x_j, y_j), max_j size(x_j): one number. A tensor's entries are taken all at once.
template <Scalar Real, class T, class Term>
[[nodiscard]] Real sum_over(std::span<const T> x, const Term& term) noexcept {
  Real total = 0;
  for (const T v : x) total += term(static_cast<Real>(v));
  return total;
}
template <Scalar Real, class Term>
[[nodiscard]] Real sum_over(std::span<const double> x, const Eigen::VectorXd& y, const Term& term) noexcept {
  Real total = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    total += term(static_cast<Real>(x[j]), static_cast<Real>(y[static_cast<Eigen::Index>(j)]));
  }
  return total;
}
template <std::same_as<Tensor> Real, class Term>
[[nodiscard]] Tensor sum_over(const Tensor& x, const Term& term) {
  return sum(term(x));
}
template <std::same_as<Tensor> Real, class Term>
[[nodiscard]] Tensor sum_over(const Tensor& x, const Tensor& y, const Term& term) {
  return sum(term(x, y));
}

template <Scalar Real, class T, class Size>
[[nodiscard]] Real largest_over(std::span<const T> x, const Size& size) noexcept {
  Real top = size(static_cast<Real>(x[0]));
  for (const T v : x) top = std::max(top, size(static_cast<Real>(v)));
  return top;
}
template <Scalar Real, class Size>
[[nodiscard]] Real largest_over(std::span<const double> x, const Eigen::VectorXd& y, const Size& size) noexcept {
  Real top = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    top = std::max(top, size(static_cast<Real>(x[j]), static_cast<Real>(y[static_cast<Eigen::Index>(j)])));
  }
  return top;
}
template <std::same_as<Tensor> Real, class Size>
[[nodiscard]] Tensor largest_over(const Tensor& x, const Size& size) {
  return largest(size(x));
}

}  // namespace softradial
