#include "softradial/sets/lmi.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "algebra/symmetric_eigen.hpp"
#include "sets/log_barrier.hpp"
#include "sets/validation.hpp"

namespace softradial {
namespace {

constexpr std::string_view kLmi = "lmi";

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

std::string entry_name(std::size_t i) { return "F[" + std::to_string(i) + "]"; }

LongMatrix long_value(const std::vector<Eigen::MatrixXd>& F, std::span<const double> x) {
  LongMatrix sum = F[0].cast<long double>();
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<long double>(x[i]) * F[i + 1].cast<long double>();
  return sum;
}

template <class T>
Eigen::Matrix<T, Eigen::Dynamic, 1> eigenvalues(const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& symmetric) {
  return SymmetricEigen<T>(symmetric, SymmetricEigen<T>::Want::values).values();
}

}  // namespace

Lmi::Lmi(std::vector<Eigen::MatrixXd> F) : F_(std::move(F)) {
  if (F_.size() < 2) reject(kLmi, "F has " + std::to_string(F_.size()) + " matrices, at least 2 are needed");
  require_dim(kLmi, dim());
  if (F_[0].size() == 0) reject(kLmi, "F[0] is empty");
  for (std::size_t i = 0; i < F_.size(); ++i) {
    require_symmetric(kLmi, entry_name(i), F_[i]);
    if (F_[i].rows() != F_[0].rows()) {
      const auto size_text = [this](std::size_t k) {
        return std::to_string(F_[k].rows()) + "x" + std::to_string(F_[k].cols());
      };
      reject(kLmi, entry_name(i) + " is " + size_text(i) + ", F[0] is " + size_text(0));
    }
  }
}

Description Lmi::describe() const { return {std::string(kLmi), {{"F", F_}}}; }

Eigen::MatrixXd Lmi::value(const Eigen::VectorXd& x) const { return long_value(F_, {x.data(), dim()}).cast<double>(); }

// The smallest eigenvalue of F(x). Doubles know it up to k eps |F(x)|, k the size of F; where that leaves its sign
// open it is found again in extended precision (ten times slower, and rarely needed).
void Lmi::slacks(std::span<const double> x, std::span<double> out) const {
  constexpr double kSafety = 8;
  const LongMatrix at_x = long_value(F_, x);
  const Eigen::MatrixXd rounded = at_x.cast<double>();
  if (!rounded.allFinite()) {
    out[0] = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const Eigen::VectorXd lambda = eigenvalues(rounded);
  const double error = kSafety * static_cast<double>(lambda.size()) * std::numeric_limits<double>::epsilon() *
                       lambda.cwiseAbs().maxCoeff();
  out[0] = std::abs(lambda[0]) > error ? lambda[0] : static_cast<double>(eigenvalues(at_x)[0]);
}

// -log det G,  G = F(x) + t I = L L',  with S_i = L^-1 F_i L^-T and S_t = L^-1 L^-T:
//   gradient -tr S_i,   Hessian tr(S_i S_j).
std::optional<BarrierTerms> Lmi::barrier(const Eigen::VectorXd& x, double t) const {
  const Eigen::Index size = F_[0].rows();
  Eigen::MatrixXd G = value(x);
  G.diagonal().array() += t;
  if (!G.allFinite()) return std::nullopt;
  const Eigen::LLT<Eigen::MatrixXd> cholesky(G);
  if (cholesky.info() != Eigen::Success) return std::nullopt;
  const Eigen::VectorXd pivots = cholesky.matrixLLT().diagonal();

  BarrierTerms terms(dim());
  terms.value = -2 * pivots.array().log().sum();
  const Eigen::Index last = x.size();
  Eigen::MatrixXd stacked(size * size, last + 1);  // column i: the entries of S_i
  for (Eigen::Index i = 0; i <= last; ++i) {
    Eigen::MatrixXd half = i < last ? F_[i + 1] : Eigen::MatrixXd::Identity(size, size);
    cholesky.matrixL().solveInPlace(half);
    half.transposeInPlace();
    cholesky.matrixL().solveInPlace(half);
    terms.gradient[i] = -half.trace();
    stacked.col(i) = half.reshaped();
  }
  terms.hessian = stacked.transpose() * stacked;
  return if_finite(std::move(terms));
}

}  // namespace softradial
