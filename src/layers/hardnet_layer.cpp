#include <Eigen/QR>
#include <cmath>
#include <limits>
#include <vector>

#include "builders.hpp"
#include "eigen_rows.hpp"
#include "kernels/correction_kernels.hpp"
#include "linear_data.hpp"
#include "option_checks.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets/coordinates.hpp"

namespace softradial::layers {
namespace {

// x <- x + W (relu(lower - A x) - relu(A x - upper)), `steps` times; W is a pseudoinverse of A. If `exact` is given, it
// projects the result orthogonally in evaluation.
template <class T>
class Corrections final : public Layer<T> {
 public:
  using Matrix = RowMatrix<T>;
  using Row = Eigen::Matrix<T, 1, Eigen::Dynamic>;

  Corrections(const TwoSidedRows& rows, const Eigen::MatrixXd& inverse, int steps, LayerPtr<T> exact)
      : dim_(static_cast<std::size_t>(rows.A.cols())),
        steps_(static_cast<std::size_t>(steps)),
        A_(rows.A.cast<T>()),
        W_(inverse.cast<T>()),
        lower_(rows.lower.transpose().cast<T>()),
        upper_(rows.upper.transpose().cast<T>()),
        exact_(std::move(exact)) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return dim_; }

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    Matrix at = gather<T>(u);
    for (std::size_t t = 0; t < steps_; ++t) at += violations(at) * W_.transpose();
    scatter<T>(at, x);
    return steps_ > 1 ? steps_ * u.count() : 0;
  }
  void project_vjp(Rows<const T> u, Rows<const T>, Rows<const T>, Rows<const T> grad_x, Rows<T> grad_u) const override {
    std::vector<Matrix> path{gather<T>(u)};
    for (std::size_t t = 0; t + 1 < steps_; ++t) path.push_back(path[t] + violations(path[t]) * W_.transpose());
    Matrix g = gather<T>(grad_x);
    for (std::size_t t = steps_; t-- > 0;) {
      const Matrix image = path[t] * A_.transpose();
      Matrix back = g * W_;
      for (Eigen::Index i = 0; i < back.rows(); ++i) {
        for (Eigen::Index k = 0; k < back.cols(); ++k) {
          if (!(image(i, k) < lower_[k] || image(i, k) > upper_[k])) back(i, k) = 0;
        }
      }
      g -= back * A_;
    }
    scatter<T>(g, grad_u);
  }
  std::size_t evaluate(Rows<const T> u, Rows<T> x) const override {
    if (!exact_) return project(u, x, {});
    std::vector<T> reached(u.count() * dim_);
    const Rows<T> rows(reached.data(), u.count(), dim_);
    const std::size_t taken = project(u, rows, {});
    return taken + exact_->project(rows, x, {});
  }

 private:
  [[nodiscard]] Matrix violations(const Matrix& at) const {
    Matrix v = at * A_.transpose();
    for (Eigen::Index i = 0; i < v.rows(); ++i) {
      for (Eigen::Index k = 0; k < v.cols(); ++k) {
        const T value = v(i, k);
        v(i, k) = value < lower_[k] ? lower_[k] - value : value > upper_[k] ? upper_[k] - value : value - value;
      }
    }
    return v;
  }

  std::size_t dim_;
  std::size_t steps_;
  Matrix A_;
  Matrix W_;
  Row lower_;
  Row upper_;
  LayerPtr<T> exact_;
};

// The same corrections on coordinate sets, where A = [1; I; I] (the sum, lower and upper bounds) has a pseudoinverse in
// closed form.
template <class T>
class CoordinateCorrections final : public Layer<T> {
 public:
  CoordinateCorrections(const CoordinateSet& set, int steps, LayerPtr<T> exact)
      : bounds_(set), steps_(static_cast<std::size_t>(steps)), exact_(std::move(exact)) {}
  [[nodiscard]] std::size_t dim() const noexcept override { return bounds_.lower.size(); }

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    kernels::least_squares(kernel(), u, x);
    return steps_ * u.count();
  }
  void project_vjp(Rows<const T> u, Rows<const T>, Rows<const T>, Rows<const T> grad_x, Rows<T> grad_u) const override {
    std::vector<T> path(steps_ * dim());
    kernels::least_squares_vjp(kernel(), u, grad_x, grad_u, {path.data(), steps_, dim()});
  }
  std::size_t evaluate(Rows<const T> u, Rows<T> x) const override {
    std::vector<T> reached(u.count() * dim());
    const Rows<T> rows(reached.data(), u.count(), dim());
    const std::size_t taken = project(u, rows, {});
    return taken + exact_->project(rows, x, {});
  }

 private:
  [[nodiscard]] kernels::LeastSquaresSteps<T> kernel() const noexcept { return {bounds_.view(), bounds_.sum, steps_}; }

  CoordinateBounds<T> bounds_;
  std::size_t steps_;
  LayerPtr<T> exact_;
};

// One row for each lower and one for each upper bound, as in the paper.
TwoSidedRows stacked(const LinearData& data) {
  const Eigen::Index m = data.A.rows();
  const Eigen::Index k = data.E.rows();
  TwoSidedRows rows;
  rows.A.resize(k + m, data.A.cols());
  rows.A << data.E, data.A;
  rows.lower.resize(k + m);
  rows.upper.resize(k + m);
  rows.lower << data.f, Eigen::VectorXd::Constant(m, -std::numeric_limits<double>::infinity());
  rows.upper << data.f, data.b;
  return rows;
}

Eigen::MatrixXd pseudoinverse(const Eigen::MatrixXd& A) {
  return Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(A).pseudoInverse();
}

}  // namespace

template <class T>
LayerPtr<T> make_hardnet(const Set& set, const HardNet& method) {
  require_at_least("steps", method.steps, 1);
  if (const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set)) {
    return std::make_unique<CoordinateCorrections<T>>(*coordinates, method.steps, make_orthogonal<T>(set, "hardnet"));
  }
  const TwoSidedRows rows = stacked(linear_data(set, "hardnet"));
  return std::make_unique<Corrections<T>>(rows, pseudoinverse(rows.A), method.steps,
                                          make_orthogonal<T>(set, "hardnet"));
}

template <class T>
LayerPtr<T> make_hardnet_aff(const Set& set) {
  const TwoSidedRows rows = two_sided(linear_data(set, "hardnet_aff"));
  const Eigen::Index rank = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(rows.A).rank();
  if (rank < rows.A.rows()) {
    throw InvalidSet("hardnet_aff needs independent rows: " + std::to_string(rows.A.rows()) + " rows have rank " +
                     std::to_string(rank) + "; hardnet, its least-squares variant, takes any");
  }
  return std::make_unique<Corrections<T>>(rows, pseudoinverse(rows.A), 1, nullptr);
}
template LayerPtr<float> make_hardnet<float>(const Set&, const HardNet&);
template LayerPtr<double> make_hardnet<double>(const Set&, const HardNet&);
template LayerPtr<float> make_hardnet_aff<float>(const Set&);
template LayerPtr<double> make_hardnet_aff<double>(const Set&);

}  // namespace softradial::layers
