#pragma once

#include <string>
#include <vector>

#include "plane/plane_layer.hpp"
#include "plot/svg.hpp"

namespace softradial::study {

// Gradient descent through a layer towards a target, on a set in the plane: the paper's example.
struct Scene {
  Set set;
  plane::Vector2d start;
  plane::Vector2d target;
  double step = 0.5;
  int steps = 200;
  plot::Range x, y;  // the part of the plane that is shown
};

// A triangle, a start behind one of its corners and a target inside.
[[nodiscard]] Scene triangle_scene();
// The same scene for layers on boxes, and for layers on simplices: the weights of three assets.
[[nodiscard]] Scene box_scene();
[[nodiscard]] Scene simplex_scene();

// The panels of a layer on a scene, all computed by the layer itself.
class SceneView {
 public:
  SceneView(const Scene& scene, const LayerMethod& method);

  // The contours of the loss as a function of u, with the path of u (rings) and of x (plus signs) from start to target.
  [[nodiscard]] plot::Panel landscape(const std::string& title) const;
  // (A) The image of a square grid under the layer.
  [[nodiscard]] plot::Panel warped_grid() const;
  // (B) The loss over the steps.
  [[nodiscard]] plot::Panel loss() const;

  [[nodiscard]] double last_loss() const { return descent_.loss.back(); }

 private:
  Scene scene_;
  Anchor anchor_;
  plane::PlaneView view_;
  LayerPtr<double> layer_;
  std::vector<plane::Vector2d> boundary_;
  plane::Descent descent_;
};

}  // namespace softradial::study
