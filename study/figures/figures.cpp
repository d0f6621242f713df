#include "figures/figures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "figures/scene.hpp"
#include "plot/ticks.hpp"
#include "softradial/errors.hpp"
#include "softradial/projection.hpp"
#include "softradial/set_json.hpp"
#include "softradial/sets.hpp"

namespace softradial::study {
namespace {

using plot::Box;
using plot::Panel;
using plot::Picture;
using plot::Point;

// Adds a landscape with its two insets at its right edge, where the sets of the scenes leave room.
void add_with_insets(Picture& picture, const SceneView& view, const std::string& title, const Box& box) {
  picture.panels.push_back({view.landscape(title), box});
  const double side = 0.33 * box.width;
  const double left = box.left + box.width - side - 6;
  picture.panels.push_back({view.warped_grid(), {left, box.top + 6, side, side}, true});
  picture.panels.push_back({view.loss(), {left, box.top + side + 14, side, 0.58 * side}, true});
}

// Figure 1 of the paper: the same gradient descent through two layers.
Picture projection() {
  Picture picture{.title = "Descent through an orthogonal and through a soft radial projection",
                  .description =
                      "Two panels. Both descents start behind a corner of a triangle. With the orthogonal projection "
                      "the gradient is zero there and nothing moves; the soft radial projection reaches the target. "
                      "Insets: where the map takes a square grid (A), and the loss over the steps (B).",
                  .width = 900,
                  .height = 480,
                  .panels = {}};
  const Scene scene = triangle_scene();
  add_with_insets(picture, SceneView(scene, Orthogonal{}), "(a) Orthogonal projection P(u)", {10, 34, 430, 430});
  add_with_insets(picture, SceneView(scene, SoftRadial{}), "(b) Soft radial projection p(u)", {460, 34, 430, 430});
  return picture;
}

// Figure 2 of the paper: the anchor, a ray through u, the point where it leaves the set, and x on the way there.
Picture intuition() {
  const Set set = parse_set(
      R"({"type": "intersection", "sets": [{"type": "ball", "center": [0, 0], "radius": 1.5},
          {"type": "polyhedron", "A": [[0.3, -1], [-1, 0.2], [0.5, 1]], "b": [1.1, 1.2, 1.15]}]})");
  const Anchor anchor = require_anchor(set);
  const plane::PlaneView view = plane::view_of(set, anchor);
  const plane::Vector2d u(3.2, 0.7);
  const auto through = [&](const LayerMethod& method) {
    const LayerPtr<double> layer = make_layer<double>(set, method);
    const plane::Vector2d x = plane::PlaneLayer(*layer, view).project({&u, 1}).front();
    return Point{x.x(), x.y()};
  };
  const Point at_u{u.x(), u.y()};
  const Point at_anchor{anchor.point[0], anchor.point[1]};
  const Point q = through(HardRadial{});
  // A large lambda, so that x and q lie apart in the drawing.
  const Point x = through(SoftRadial{.lambda = 6});
  std::vector<Point> edge;
  for (const auto& p : plane::boundary(set, anchor, view, 10)) edge.push_back({p.x(), p.y()});
  Panel panel{.title = {}, .description = {}, .x = {}, .y = {}, .marks = {}};
  panel.x.range = {-1.7, 4.3};
  panel.y.range = {-1.5, 1.6};
  const auto dot = [](Point at, int color, plot::Marker marker) {
    return plot::Scatter{.name = {}, .points = {at}, .marker = marker, .size = 5, .color = color};
  };
  panel.marks = {plot::Polygon{edge, {.color = 0, .width = 2}, 0.12},
                 plot::Line{"", {at_anchor, at_u}, {.color = plot::kInk, .width = 1.3, .opacity = 0.6, .dashed = true}},
                 plot::Line{"", {at_anchor, x}, {.color = 2, .width = 3}},
                 dot(at_anchor, 0, plot::Marker::dot),
                 dot(x, 2, plot::Marker::dot),
                 dot(q, 1, plot::Marker::ring),
                 dot(at_u, plot::kInk, plot::Marker::dot),
                 plot::Label{{-0.85, -0.75}, "C", plot::Align::middle, 0, 18},
                 plot::Label{at_anchor, "anchor u0", plot::Align::middle, 0, 15, 0, 24},
                 plot::Label{x, "x = p(u)", plot::Align::end, 2, 15, 4, -12},
                 plot::Label{q, "q(u), on the boundary", plot::Align::start, 1, 15, 8, 22},
                 plot::Label{at_u, "u, anywhere", plot::Align::middle, plot::kInk, 15, 0, -14}};
  return {.title = "The soft radial projection",
          .description =
              "The ray from the anchor u0 through u leaves the set C at q(u). The soft radial projection x = p(u) lies "
              "on the same ray between the anchor and q(u), strictly inside.",
          .width = 640,
          .height = 331,
          .panels = {{panel, {0, 0, 640, 331}}}};
}

// A layer along a ray of the unit ball: how far x stays from the boundary, and how fast x still moves along the ray.
struct OnRay {
  std::vector<Point> left, speed;
};

template <class T>
OnRay on_ray(Contraction contraction) {
  constexpr std::size_t kPoints = 161;
  constexpr double kFirst = 0.1;
  constexpr double kDecades = 8;
  const Projection<T> layer(Ball(Eigen::VectorXd::Zero(2), 1), SoftRadial{.contraction = contraction});
  std::vector<T> u(2 * kPoints);
  std::vector<T> tangent(2 * kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) {
    u[2 * i] = static_cast<T>(kFirst * std::pow(10, kDecades * static_cast<double>(i) / (kPoints - 1)));
    tangent[2 * i] = 1;
  }
  std::vector<T> x(u.size());
  std::vector<T> moved(u.size());
  Workspace<T> workspace = layer.make_workspace();
  layer.project({u.data(), kPoints, 2}, {x.data(), kPoints, 2}, workspace);
  layer.project_jvp({u.data(), kPoints, 2}, {tangent.data(), kPoints, 2}, {moved.data(), kPoints, 2}, workspace);
  OnRay ray;
  for (std::size_t i = 0; i < kPoints; ++i) {
    ray.left.push_back({static_cast<double>(u[2 * i]), 1 - static_cast<double>(x[2 * i])});
    ray.speed.push_back({static_cast<double>(u[2 * i]), static_cast<double>(moved[2 * i])});
  }
  return ray;
}

// The part of a line that a logarithmic axis shows.
std::vector<Point> above(std::vector<Point> line, double low) {
  for (Point& p : line) p.y = p.y < low ? std::nan("") : p.y;
  return line;
}

// Where a layer saturates, by contraction and precision.
Picture saturation() {
  Picture picture{
      .title = "Saturation by contraction and precision",
      .description =
          "Two panels over the size of u, on the unit ball with lambda = 1. Left: the distance that x keeps "
          "from the boundary falls like 1/|u|^2 for the rational contraction and exponentially for the "
          "others, and stops near 1e-6 in single and 1e-15 in double precision. Right: the "
          "derivative along the ray falls like 1/|u|^3 for the rational contraction and exponentially for "
          "the others.",
      .width = 900,
      .height = 400,
      .panels = {}};
  const auto panel = [](std::string title, std::string label, plot::Range y) {
    Panel result{.title = std::move(title), .description = {}, .x = {}, .y = {}, .marks = {}};
    const plot::Range x = {0.1, 1e7};
    result.x = {.range = x, .scale = plot::Scale::log, .label = "|u|", .ticks = round_ticks(x, plot::Scale::log)};
    result.y = {
        .range = y, .scale = plot::Scale::log, .label = std::move(label), .ticks = round_ticks(y, plot::Scale::log)};
    return result;
  };
  Panel left = panel("(a) Distance of x to the boundary", "1 - |x|", {1e-17, 1});
  Panel speed = panel("(b) Derivative of x along the ray", "dx/du", {1e-14, 1});
  int color = 0;
  for (const auto& [contraction, name] : {std::pair{Contraction::rational, "rational"},
                                          {Contraction::exponential, "exponential"},
                                          {Contraction::hyperbolic, "hyperbolic"}}) {
    const OnRay in_double = on_ray<double>(contraction);
    const OnRay in_float = on_ray<float>(contraction);
    for (const auto& [to, line, dashed] : {std::tuple{&left, &in_double.left, false},
                                           {&left, &in_float.left, true},
                                           {&speed, &in_double.speed, false},
                                           {&speed, &in_float.speed, true}}) {
      to->marks.emplace_back(
          plot::Line{"",
                     above(*line, to->y.range.low),
                     {.color = color, .width = dashed ? 2.6 : 1.6, .opacity = 0.9, .dashed = dashed}});
    }
    left.marks.emplace_back(plot::Label{{2e3, 0.2 * std::pow(0.02, color)}, name, plot::Align::start, color, 14});
    ++color;
  }
  speed.marks.emplace_back(plot::Label{{2e3, 0.2}, "solid: float64", plot::Align::start, plot::kInk, 14});
  speed.marks.emplace_back(plot::Label{{2e3, 0.004}, "dashed: float32", plot::Align::start, plot::kInk, 14});
  picture.panels = {{left, {70, 34, 350, 310}}, {speed, {530, 34, 350, 310}}};
  return picture;
}

// Three variants of soft radial side by side, each with its grid and its loss below.
Picture landscapes(const std::string& title, const std::vector<std::pair<std::string, SoftRadial>>& variants) {
  Picture picture{.title = title,
                  .description =
                      "Three panels: contours of the loss over the plane of inputs with the way of a descent. Insets: "
                      "where the map takes a square grid (A), and the loss over the steps (B).",
                  .width = 1080,
                  .height = 390,
                  .panels = {}};
  double left = 10;
  for (const auto& [name, method] : variants) {
    add_with_insets(picture, SceneView(triangle_scene(), method), name, {left, 32, 345, 345});
    left += 357;
  }
  return picture;
}

Figure landscape_of(Contraction contraction, const std::string& name) {
  return {"landscape_" + name, "soft radial projection with " + name + " contraction, lambda = 0.5, 1, 2", [=] {
            std::vector<std::pair<std::string, SoftRadial>> variants;
            for (const double lambda : {0.5, 1.0, 2.0}) {
              variants.emplace_back(fmt::format("{}, lambda = {:g}", name, lambda),
                                    SoftRadial{.contraction = contraction, .lambda = lambda});
            }
            return landscapes("Soft radial projection with " + name + " contraction", variants);
          }};
}

// The first scene whose set the layer accepts. Layers whose input width differs from the set's dimension are not drawn.
std::optional<Scene> scene_for(const LayerMethod& method) {
  for (const Scene& scene : {triangle_scene(), box_scene(), simplex_scene()}) {
    try {
      static_cast<void>(SceneView(scene, method));
      return scene;
    } catch (const InvalidSet&) {
      continue;
    }
  }
  return std::nullopt;
}

Picture one_map(const LayerMethod& method, const Scene& scene) {
  const std::string name(method_name(method));
  Picture picture{.title = "Descent through " + name,
                  .description =
                      "Contours of the loss over the plane of inputs with the way of a descent. Insets: where the map "
                      "takes a square grid (A), and the loss over the steps (B).",
                  .width = 450,
                  .height = 480,
                  .panels = {}};
  add_with_insets(picture, SceneView(scene, method), name, {10, 34, 430, 430});
  return picture;
}

}  // namespace

std::vector<Figure> all_figures() {
  std::vector<Figure> figures = {
      {"projection", "descent through an orthogonal and through a soft radial projection (figure 1)", projection},
      {"intuition", "anchor, ray, boundary point and soft radial projection (figure 2)", intuition},
      landscape_of(Contraction::rational, "rational"),
      landscape_of(Contraction::exponential, "exponential"),
      landscape_of(Contraction::hyperbolic, "hyperbolic"),
      {"landscape_epsilon", "soft radial projection, epsilon = 0.001, 0.01, 0.1",
       [] {
         std::vector<std::pair<std::string, SoftRadial>> variants;
         for (const double epsilon : {0.001, 0.01, 0.1}) {
           variants.emplace_back(fmt::format("epsilon = {:g}", epsilon), SoftRadial{.epsilon = epsilon});
         }
         return landscapes("Soft radial projection for three values of epsilon", variants);
       }},
      {"saturation", "how near to the boundary, and how flat, by contraction and precision", saturation}};
  for (const std::string_view name : method_names()) {
    const LayerMethod method = method_named(name);
    if (name == "soft_radial" || name == "orthogonal") continue;  // drawn in the figures of the paper
    const std::optional<Scene> scene = scene_for(method);
    if (!scene) continue;
    figures.push_back({"map_" + std::string(name), "the same descent through " + std::string(name),
                       [method, scene = *scene] { return one_map(method, scene); }});
  }
  return figures;
}

}  // namespace softradial::study
