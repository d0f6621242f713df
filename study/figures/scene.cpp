#include "figures/scene.hpp"

#include <fmt/format.h>

#include <cmath>

#include "plot/ticks.hpp"
#include "softradial/set_json.hpp"
#include "softradial/sets.hpp"

namespace softradial::study {
namespace {

using plane::Vector2d;
using plot::Point;

// The boundary of an unbounded set is cut off here.
constexpr double kFarOutside = 20;

std::vector<Point> points(const std::vector<Vector2d>& from, std::size_t every = 1) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < from.size(); i += every) out.push_back({from[i].x(), from[i].y()});
  return out;
}

plot::Polygon outline(const std::vector<Vector2d>& boundary) {
  return {.points = points(boundary), .stroke = {.color = 0, .width = 1.6}, .fill_opacity = 0.1};
}

}  // namespace

Scene triangle_scene() {
  return {.set = parse_set(R"({"type": "polyhedron", "A": [[-1, 0], [0, -1], [1, 1]], "b": [0.8, 0.8, 0.9]})"),
          .start = {-1.7, -1.3},
          .target = {0.2, -0.3},
          .x = {-2.2, 2.4},
          .y = {-1.7, 2.9}};
}

Scene box_scene() {
  return {.set = parse_set(R"({"type": "box", "lower": [-0.8, -0.8], "upper": [0.8, 0.8]})"),
          .start = {-1.7, -1.3},
          .target = {0.2, -0.3},
          .x = {-2.2, 2.4},
          .y = {-1.7, 2.9}};
}

Scene simplex_scene() {
  return {
      .set = Simplex(3), .start = {-1.1, -0.9}, .target = {0.15, -0.15}, .step = 0.5, .x = {-1.5, 1.7}, .y = {-1.2, 2}};
}

SceneView::SceneView(const Scene& scene, const LayerMethod& method)
    : scene_(scene),
      anchor_(require_anchor(scene.set)),
      view_(plane::view_of(scene.set, anchor_)),
      layer_(make_layer<double>(scene.set, method)),
      boundary_(plane::boundary(scene.set, anchor_, view_, kFarOutside)),
      descent_(plane::descend(plane::PlaneLayer(*layer_, view_), scene.start, scene.target, scene.step, scene.steps)) {}

plot::Panel SceneView::landscape(const std::string& title) const {
  constexpr std::size_t kSide = 81;
  plot::Grid grid{kSide, kSide, scene_.x, scene_.y, {}};
  std::vector<Vector2d> u;
  for (std::size_t row = 0; row < kSide; ++row) {
    for (std::size_t column = 0; column < kSide; ++column) {
      const auto share = [](std::size_t k) { return static_cast<double>(k) / (kSide - 1); };
      u.emplace_back(scene_.x.low + share(column) * (scene_.x.high - scene_.x.low),
                     scene_.y.low + share(row) * (scene_.y.high - scene_.y.low));
    }
  }
  for (const Vector2d& x : plane::PlaneLayer(*layer_, view_).project(u)) {
    grid.values.push_back((x - scene_.target).squaredNorm() / 2);
  }
  std::vector<double> levels;
  for (double level = 0.004; level < 4; level *= 1.6) levels.push_back(level);
  const Point target{scene_.target.x(), scene_.target.y()};
  plot::Panel panel{.title = title, .description = {}, .x = {}, .y = {}, .marks = {}};
  panel.description = fmt::format(
      "Contours of the loss over the plane of inputs. Descent from ({:g}, {:g}) towards the target at ({:g}, {:g}): "
      "after {} "
      "steps the loss is {:.1e}.",
      scene_.start.x(), scene_.start.y(), target.x, target.y, scene_.steps, last_loss());
  panel.x.range = scene_.x;
  panel.y.range = scene_.y;
  panel.marks = {
      plot::Contour{grid, levels, {.color = plot::kInk, .width = 0.7, .opacity = 0.3}},
      outline(boundary_),
      plot::Line{"", points(descent_.u), {.color = 1}},
      plot::Line{"", points(descent_.x), {.color = 0}},
      plot::Scatter{.name = {}, .points = points(descent_.u, 8), .marker = plot::Marker::ring, .size = 3.2, .color = 1},
      plot::Scatter{.name = {}, .points = points(descent_.x, 8), .marker = plot::Marker::plus, .size = 4, .color = 0},
      plot::Scatter{.name = {}, .points = {target}, .marker = plot::Marker::cross, .size = 6, .color = plot::kInk}};
  return panel;
}

plot::Panel SceneView::warped_grid() const {
  plot::Panel panel{
      .title = "A", .description = "Where the layer takes the lines of a square grid.", .x = {}, .y = {}, .marks = {}};
  std::vector<double> xs;
  std::vector<double> ys;
  for (const Vector2d& p : boundary_) {
    xs.push_back(p.x());
    ys.push_back(p.y());
  }
  // Both axes have the same scale, given by the larger extent of the set.
  const plot::Range rx = plot::range_of(xs);
  const plot::Range ry = plot::range_of(ys);
  const double half = std::max(rx.high - rx.low, ry.high - ry.low) / 2;
  panel.x.range = {(rx.low + rx.high) / 2 - half, (rx.low + rx.high) / 2 + half};
  panel.y.range = {(ry.low + ry.high) / 2 - half, (ry.low + ry.high) / 2 + half};
  panel.marks.emplace_back(outline(boundary_));
  const plane::PlaneLayer layer(*layer_, view_);
  const Vector2d center = view_.flattened(anchor_.point);
  constexpr int kLines = 12;
  constexpr int kFine = 48;
  for (const bool across : {false, true}) {
    for (int i = -kLines; i <= kLines; ++i) {
      std::vector<Vector2d> line;
      for (int j = -kFine; j <= kFine; ++j) {
        const double a = 3.5 * half * i / kLines;
        const double b = 3.5 * half * j / kFine;
        line.push_back(center + (across ? Vector2d(b, a) : Vector2d(a, b)));
      }
      panel.marks.emplace_back(plot::Line{"", points(layer.project(line)), {.color = 0, .width = 0.6, .opacity = 0.8}});
    }
  }
  return panel;
}

plot::Panel SceneView::loss() const {
  plot::Panel panel{.title = "B", .description = {}, .x = {}, .y = {}, .marks = {}};
  constexpr double kLeast = 1e-8;
  panel.description = fmt::format("The loss over {} steps: it ends at {:.1e}.", scene_.steps, last_loss());
  std::vector<Point> line;
  for (std::size_t k = 0; k < descent_.loss.size(); ++k) {
    line.push_back({static_cast<double>(k), std::max(descent_.loss[k], kLeast)});
  }
  panel.x.range = {0, static_cast<double>(scene_.steps)};
  panel.y = {.range = {kLeast, 300},
             .scale = plot::Scale::log,
             .label = {},
             .ticks = {{1e-6, "1e-6"}, {1e-3, "1e-3"}, {1, "1"}}};
  panel.marks.emplace_back(plot::Line{"", line, {.color = 0, .width = 1.8}});
  return panel;
}

}  // namespace softradial::study
