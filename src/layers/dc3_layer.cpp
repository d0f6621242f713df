#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <vector>

#include "builders.hpp"
#include "eigen_rows.hpp"
#include "kernels/correction_kernels.hpp"
#include "linear_data.hpp"
#include "option_checks.hpp"
#include "softradial/sets/coordinates.hpp"

namespace softradial::layers {
namespace {

// The independent coordinates xi move down the gradient of the squared violation V = |relu(violations)|^2:
//   m <- momentum m + grad V(x(xi)),   xi <- xi - rate m,      `steps` times.
// In evaluation, the exact projection of the result follows.
template <class T>
class Dc3Layer : public Layer<T> {
 public:
  Dc3Layer(const Set& set, const Dc3& method)
      : dim_(set.dim()),
        steps_(static_cast<std::size_t>(method.steps)),
        rate_(static_cast<T>(method.learning_rate)),
        momentum_(static_cast<T>(method.momentum)),
        exact_(make_orthogonal<T>(set, "dc3")) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return dim_; }
  std::size_t evaluate(Rows<const T> u, Rows<T> x) const override {
    std::vector<T> reached(u.count() * dim_);
    const Rows<T> rows(reached.data(), u.count(), dim_);
    const std::size_t taken = this->project(u, rows, {});
    return taken + exact_->project(rows, x, {});
  }

 protected:
  std::size_t dim_;
  std::size_t steps_;
  T rate_;
  T momentum_;

 private:
  LayerPtr<T> exact_;
};

// The paper's symmetric variant (eq. dc3-complete) on coordinate sets, by vectorised kernels.
template <class T>
class Dc3Coordinates final : public Dc3Layer<T> {
 public:
  Dc3Coordinates(const CoordinateSet& set, const Set& value, const Dc3& method)
      : Dc3Layer<T>(value, method), bounds_(set), symmetric_(method.symmetric) {}

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    std::vector<T> m(this->dim_);
    kernels::dc3(kernel(), u, x, m.data());
    return this->steps_ * u.count();
  }
  void project_vjp(Rows<const T> u, Rows<const T>, Rows<const T>, Rows<const T> grad_x, Rows<T> grad_u) const override {
    std::vector<T> m(this->dim_);
    std::vector<T> path((this->steps_ + 1) * this->dim_);
    kernels::dc3_vjp(kernel(), u, grad_x, grad_u, m.data(), {path.data(), this->steps_ + 1, this->dim_});
  }

 private:
  [[nodiscard]] kernels::Dc3Steps<T> kernel() const noexcept {
    return {bounds_.view(), bounds_.sum, symmetric_, this->steps_, this->rate_, this->momentum_};
  }

  CoordinateBounds<T> bounds_;
  bool symmetric_;
};

// General linear constraints A x <= b, E x = f:
//   x = offset + N xi,   grad_xi V = 2 (A N)' relu(A x - b).
// E is factored with column pivoting; xi are the coordinates that are no pivots, and the pivots follow from them.
template <class T>
class Dc3Linear final : public Dc3Layer<T> {
 public:
  using Matrix = RowMatrix<T>;
  using Row = Eigen::Matrix<T, 1, Eigen::Dynamic>;

  Dc3Linear(const Set& set, const Dc3& method) : Dc3Layer<T>(set, method) {
    const LinearData data = linear_data(set, "dc3");
    const auto n = static_cast<Eigen::Index>(set.dim());
    Eigen::MatrixXd N = Eigen::MatrixXd::Identity(n, n);
    Eigen::VectorXd offset = Eigen::VectorXd::Zero(n);
    Eigen::MatrixXd pick = Eigen::MatrixXd::Identity(n, n);
    Eigen::MatrixXd hull = Eigen::MatrixXd::Identity(n, n);
    Eigen::VectorXd shift = Eigen::VectorXd::Zero(n);
    if (data.E.rows() > 0) {
      const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(data.E);
      const Eigen::Index rank = qr.rank();
      const auto& order = qr.colsPermutation().indices();
      Eigen::MatrixXd dependent(data.E.rows(), rank);
      Eigen::MatrixXd independent(data.E.rows(), n - rank);
      for (Eigen::Index k = 0; k < rank; ++k) dependent.col(k) = data.E.col(order[k]);
      for (Eigen::Index k = rank; k < n; ++k) independent.col(k - rank) = data.E.col(order[k]);
      const auto solve = dependent.colPivHouseholderQr();
      const Eigen::MatrixXd back = solve.solve(independent);
      const Eigen::VectorXd base = solve.solve(data.f);
      N = Eigen::MatrixXd::Zero(n, n - rank);
      pick = Eigen::MatrixXd::Zero(n - rank, n);
      for (Eigen::Index k = 0; k < rank; ++k) {
        N.row(order[k]) = -back.row(k);
        offset[order[k]] = base[k];
      }
      for (Eigen::Index k = rank; k < n; ++k) {
        N(order[k], k - rank) = 1;
        pick(k - rank, order[k]) = 1;
      }
      const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> pseudo(data.E);
      hull -= pseudo.solve(data.E);
      shift = pseudo.solve(data.f);
    }
    if (method.symmetric) {
      start_ = (pick * hull).transpose().template cast<T>();
      start_offset_ = (pick * shift).transpose().template cast<T>();
    } else {
      start_ = pick.transpose().template cast<T>();
      start_offset_ = Row::Zero(pick.rows());
    }
    N_ = N.transpose().template cast<T>();
    offset_ = offset.transpose().template cast<T>();
    AN_ = (data.A * N).template cast<T>();
    margin_ = (data.b - data.A * offset).transpose().template cast<T>();
  }

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    Matrix xi = begin(u);
    Matrix m = Matrix::Zero(xi.rows(), xi.cols());
    for (std::size_t t = 0; t < this->steps_; ++t) step(xi, m);
    const Matrix out = (xi * N_).rowwise() + offset_;
    scatter<T>(out, x);
    return this->steps_ * u.count();
  }

  void project_vjp(Rows<const T> u, Rows<const T>, Rows<const T>, Rows<const T> grad_x, Rows<T> grad_u) const override {
    std::vector<Matrix> path{begin(u)};
    Matrix m = Matrix::Zero(path[0].rows(), path[0].cols());
    for (std::size_t t = 0; t < this->steps_; ++t) {
      path.push_back(path.back());
      step(path.back(), m);
    }
    Matrix grad_xi = gather<T>(grad_x) * N_.transpose();
    Matrix grad_m = Matrix::Zero(grad_xi.rows(), grad_xi.cols());
    for (std::size_t t = this->steps_; t-- > 0;) {
      grad_m -= this->rate_ * grad_xi;
      const Matrix broken =
          ((path[t] * AN_.transpose()).rowwise() - margin_).unaryExpr([](T v) { return v > 0 ? T{2} : T{0}; });
      grad_xi += (grad_m * AN_.transpose()).cwiseProduct(broken) * AN_;
      grad_m *= this->momentum_;
    }
    const Matrix out = grad_xi * start_.transpose();
    scatter<T>(out, grad_u);
  }

 private:
  [[nodiscard]] Matrix begin(Rows<const T> u) const { return (gather<T>(u) * start_).rowwise() + start_offset_; }
  void step(Matrix& xi, Matrix& m) const {
    const Matrix broken = ((xi * AN_.transpose()).rowwise() - margin_).cwiseMax(T{0});
    m = this->momentum_ * m + T{2} * (broken * AN_);
    xi -= this->rate_ * m;
  }

  Matrix start_;  // maps u to xi (dim x free)
  Row start_offset_;
  Matrix N_;  // maps xi to x (free x dim)
  Row offset_;
  Matrix AN_;   // (constraints x free)
  Row margin_;  // b - A offset
};

}  // namespace

template <class T>
LayerPtr<T> make_dc3(const Set& set, const Dc3& method) {
  require_at_least("steps", method.steps, 0);
  require_invertible<T>("learning_rate", method.learning_rate);
  if (method.momentum != 0) require_fraction("momentum", method.momentum);
  if (const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set)) {
    return std::make_unique<Dc3Coordinates<T>>(*coordinates, set, method);
  }
  return std::make_unique<Dc3Linear<T>>(set, method);
}
template LayerPtr<float> make_dc3<float>(const Set&, const Dc3&);
template LayerPtr<double> make_dc3<double>(const Set&, const Dc3&);

}  // namespace softradial::layers
