#pragma once

#include <Eigen/Core>

#include "softradial/layer.hpp"
#include "softradial/projection.hpp"
#include "support/batch.hpp"

namespace softradial::support {

// A projection in double, one point at a time and with vectors instead of batches: for tests that read like mathematics.
class PointLayer {
 public:
  using Vector = Eigen::VectorXd;

  explicit PointLayer(Set set, Method method = SoftRadial{}, const ProjectionOptions& options = {})
      : layer_(std::move(set), method, options), workspace_(layer_.make_workspace()) {}

  [[nodiscard]] const Projection<double>& projection() const { return layer_; }
  [[nodiscard]] const ConvexSet& set() const { return *layer_.set(); }
  [[nodiscard]] const Vector& anchor() const { return layer_.anchor().point; }
  [[nodiscard]] const AffineHull& hull() const { return layer_.anchor().hull; }
  [[nodiscard]] std::size_t dim() const { return layer_.dim(); }

  [[nodiscard]] Vector project(const Vector& u) {
    Vector x(u.size());
    layer_.project(row(u), row(x), workspace_);
    return x;
  }
  [[nodiscard]] Vector vjp(const Vector& u, const Vector& grad_x) {
    Vector grad_u(u.size());
    layer_.project_vjp(row(u), row(grad_x), row(grad_u), workspace_);
    return grad_u;
  }
  [[nodiscard]] Vector jvp(const Vector& u, const Vector& tangent_u) {
    Vector tangent_x(u.size());
    layer_.project_jvp(row(u), row(tangent_u), row(tangent_x), workspace_);
    return tangent_x;
  }
  [[nodiscard]] Vector inverse(const Vector& x) {
    Vector u(x.size());
    layer_.inverse(row(x), row(u), workspace_);
    return u;
  }
  [[nodiscard]] double log_abs_det(const Vector& u) {
    double result = 0;
    layer_.log_abs_det(row(u), {&result, 1}, workspace_);
    return result;
  }
  [[nodiscard]] double slack(const Vector& u) {
    double result = 0;
    layer_.slack(row(u), {&result, 1}, workspace_);
    return result;
  }
  [[nodiscard]] Eigen::MatrixXd jacobian(const Vector& u) const {
    return layer_.jacobian({u.data(), static_cast<std::size_t>(u.size())});
  }

 private:
  static Rows<const double> row(const Vector& v) { return {v.data(), 1, static_cast<std::size_t>(v.size())}; }
  static Rows<double> row(Vector& v) { return {v.data(), 1, static_cast<std::size_t>(v.size())}; }

  Projection<double> layer_;
  Workspace<double> workspace_;
};

// One row through any layer.
[[nodiscard]] inline Eigen::VectorXd apply(const Layer<double>& layer, const Eigen::VectorXd& u) {
  Batch<double> in(1, layer.input_dim());
  Batch<double> out(1, layer.dim());
  in.set(0, u);
  layer.project(in.view(), out.rows(), {});
  return out.get(0);
}

}  // namespace softradial::support
