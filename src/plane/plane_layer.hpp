#pragma once

#include <span>
#include <vector>

#include "plane/plane_view.hpp"
#include "softradial/layer.hpp"

namespace softradial::plane {

// A layer on points of a plane. It refers to the layer and the view, which must outlive it.
class PlaneLayer {
 public:
  // Throws InvalidSet if the layer does not take points of the set's own space.
  PlaneLayer(const Layer<double>& layer, const PlaneView& view);

  [[nodiscard]] std::vector<Vector2d> project(std::span<const Vector2d> u) const;

  struct Pullback {
    Vector2d x;
    Vector2d grad_u;
  };
  // x at u, and the gradient J' grad_x with grad_x = gradient_at(x).
  template <class GradientAt>
  [[nodiscard]] Pullback pull_back(const Vector2d& u, const GradientAt& gradient_at) const {
    const Eigen::VectorXd lifted_u = view_->lifted(u);
    Eigen::VectorXd x(lifted_u.size());
    std::vector<double> state(layer_->state_dim());
    forward(lifted_u, x, state);
    const Vector2d flat = view_->flattened(x);
    return {flat, backward(lifted_u, x, state, gradient_at(flat))};
  }

  // The Jacobian at u, in the coordinates of the plane.
  [[nodiscard]] Eigen::Matrix2d jacobian(const Vector2d& u) const;

 private:
  void forward(const Eigen::VectorXd& u, Eigen::VectorXd& x, std::vector<double>& state) const;
  [[nodiscard]] Vector2d backward(const Eigen::VectorXd& u, const Eigen::VectorXd& x, std::span<const double> state,
                                  const Vector2d& grad_x) const;

  const Layer<double>* layer_;
  const PlaneView* view_;
};

// Gradient descent on u for |x(u) - target|^2 / 2. The lists hold the start and every step after it.
struct Descent {
  std::vector<Vector2d> u;
  std::vector<Vector2d> x;
  std::vector<double> loss;
};
[[nodiscard]] Descent descend(const PlaneLayer& layer, const Vector2d& start, const Vector2d& target, double step,
                              int steps);

// The boundary of the set, once around its anchor. Where the set does not end within `radius` of the anchor, the points lie on
// the circle of that radius.
[[nodiscard]] std::vector<Vector2d> boundary(const Set& set, const Anchor& anchor, const PlaneView& view,
                                             double radius);

}  // namespace softradial::plane
