// What the playground draws, as C functions beside those of softradial.h, with the same rules: a status, handles, lengths.
// Points are pairs of coordinates in the plane of the set, unless it says "in the set's own space".
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "arguments.hpp"
#include "errors.hpp"
#include "handles.hpp"
#include "layer_options.hpp"
#include "plane/plane_layer.hpp"
#include "plane/polygon.hpp"
#include "softradial/violation.hpp"

namespace {

using namespace softradial;
using namespace softradial::c_abi;
using plane::PlaneLayer;
using plane::PlaneView;
using plane::Vector2d;

std::vector<Vector2d> points_of(const double* data, std::size_t count, const char* name) {
  const auto given = numbers(data, 2 * count, name);
  std::vector<Vector2d> points(count);
  for (std::size_t i = 0; i < count; ++i) points[i] = {given[2 * i], given[2 * i + 1]};
  return points;
}

double* write(const Vector2d& point, double* out) {
  out[0] = point.x();
  out[1] = point.y();
  return out + 2;
}

}  // namespace

// A set, the anchor that is found for it and the plane that it is drawn in.
struct sp_plane {  // NOLINT(readability-identifier-naming)
  Set set;
  Anchor anchor;
  PlaneView view;
};

// A layer on points of that plane.
struct sp_map {  // NOLINT(readability-identifier-naming)
  PlaneView view;
  LayerPtr<double> layer;
  mutable ViolationMeter meter;
};

extern "C" {

// The polygon with `count` corners.
SR_API sr_status sp_polygon(const double* corners, std::size_t count, sr_set** out) {
  return guarded([&] {
    sr_set*& made = required(out, "out");
    made = nullptr;
    made = std::make_unique<sr_set>(plane::polygon(points_of(corners, count, "corners"))).release();
  });
}

SR_API sr_status sp_plane_make(const sr_set* given, sp_plane** out) {
  return guarded([&] {
    const sr_set& set = required(given, "set");
    sp_plane*& made = required(out, "out");
    made = nullptr;
    Anchor anchor = require_anchor(set.set);
    PlaneView view = plane::view_of(set.set, anchor);
    made = std::make_unique<sp_plane>(sp_plane{set.set, std::move(anchor), std::move(view)}).release();
  });
}

SR_API void sp_plane_free(sp_plane* handle) { std::unique_ptr<sp_plane>{handle}.reset(); }

SR_API std::size_t sp_plane_dim(const sp_plane* handle) { return handle == nullptr ? 0 : handle->set.dim(); }

// The anchor that was found, in the set's own space.
SR_API sr_status sp_plane_anchor(const sp_plane* handle, double* out, std::size_t length) {
  return guarded([&] {
    const sp_plane& drawn = required(handle, "plane");
    const auto place = numbers(out, length, drawn.set.dim(), "out");
    std::copy(drawn.anchor.point.begin(), drawn.anchor.point.end(), place.begin());
  });
}

// A point of the plane in the set's own space, and the point of the plane next to one of that space.
SR_API sr_status sp_plane_lift(const sp_plane* handle, const double* point, double* out, std::size_t length) {
  return guarded([&] {
    const sp_plane& drawn = required(handle, "plane");
    const auto place = numbers(out, length, drawn.set.dim(), "out");
    const Eigen::VectorXd lifted = drawn.view.lifted(points_of(point, 1, "point").front());
    std::copy(lifted.begin(), lifted.end(), place.begin());
  });
}
SR_API sr_status sp_plane_flatten(const sp_plane* handle, const double* point, std::size_t length, double* out) {
  return guarded([&] {
    const sp_plane& drawn = required(handle, "plane");
    const auto given = numbers(point, length, drawn.set.dim(), "point");
    const Eigen::Map<const Eigen::VectorXd> x(given.data(), static_cast<Eigen::Index>(given.size()));
    write(drawn.view.flattened(x), numbers(out, 2, "out").data());
  });
}

// The boundary as far as `radius` around the anchor, at most `capacity` points; `count` says how many there are.
SR_API sr_status sp_plane_boundary(const sp_plane* handle, double radius, double* out, std::size_t capacity,
                                   std::size_t* count) {
  return guarded([&] {
    const sp_plane& drawn = required(handle, "plane");
    const auto points = plane::boundary(drawn.set, drawn.anchor, drawn.view, radius);
    const std::size_t written = std::min(points.size(), capacity);
    required(count, "count") = written;
    double* place = numbers(out, 2 * capacity, "out").data();
    for (std::size_t i = 0; i < written; ++i) place = write(points[i], place);
  });
}

// `options` as for sr_layer_make. Methods with an anchor take that of the plane unless the options have one.
SR_API sr_status sp_map_make(const sp_plane* handle, const char* options, std::size_t length, sp_map** out) {
  return guarded([&] {
    const sp_plane& drawn = required(handle, "plane");
    sp_map*& made = required(out, "out");
    made = nullptr;
    LayerOptions parsed = parse_layer_options(text(options, length, "options"));
    auto& anchor = parsed.projection.anchor_point;
    if (has_anchor(parsed.method) && !anchor) anchor = drawn.anchor.point;
    auto map = std::make_unique<sp_map>(
        sp_map{drawn.view, make_layer<double>(drawn.set, parsed.method, parsed.projection), ViolationMeter(drawn.set)});
    static_cast<void>(PlaneLayer(*map->layer, map->view));  // refuses layers of another width
    made = map.release();
  });
}

SR_API void sp_map_free(sp_map* map) { std::unique_ptr<sp_map>{map}.reset(); }

// The lines of a square grid over `window` (left, bottom, right, top): `lines` upright ones, then as many level ones, each of
// `samples` points, at least 2 of both.
SR_API sr_status sp_grid(const double* window, std::size_t lines, std::size_t samples, double* out,
                         std::size_t length) {
  return guarded([&] {
    const auto ends = points_of(window, 2, "window");
    double* place = numbers(out, length, 4 * lines * samples, "out").data();
    const Vector2d size = ends[1] - ends[0];
    for (const bool level : {false, true}) {
      for (std::size_t line = 0; line < lines; ++line) {
        for (std::size_t k = 0; k < samples; ++k) {
          const double across = static_cast<double>(line) / static_cast<double>(lines - 1);
          const double along = static_cast<double>(k) / static_cast<double>(samples - 1);
          const Vector2d share = level ? Vector2d(along, across) : Vector2d(across, along);
          place = write(ends[0] + share.cwiseProduct(size), place);
        }
      }
    }
  });
}

// x for `count` points; it may be written over them.
SR_API sr_status sp_project(const sp_map* handle, const double* u, std::size_t count, double* out) {
  return guarded([&] {
    const sp_map& map = required(handle, "map");
    const auto points = points_of(u, count, "u");
    double* place = numbers(out, 2 * count, "out").data();
    for (const Vector2d& x : PlaneLayer(*map.layer, map.view).project(points)) place = write(x, place);
  });
}

// Gradient descent from `ends`, start and target: for the start and each step after it u, x and the loss, 5 numbers.
SR_API sr_status sp_descend(const sp_map* handle, const double* ends, double step, std::size_t steps, double* out,
                            std::size_t length) {
  return guarded([&] {
    const sp_map& map = required(handle, "map");
    const auto points = points_of(ends, 2, "ends");
    double* place = numbers(out, length, 5 * (steps + 1), "out").data();
    const auto path =
        plane::descend(PlaneLayer(*map.layer, map.view), points[0], points[1], step, static_cast<int>(steps));
    for (std::size_t k = 0; k < path.u.size(); ++k) {
      place = write(path.x[k], write(path.u[k], place));
      *place++ = path.loss[k];
    }
  });
}

// All about one point u of the set's own space: x there, `dim` numbers; x in the plane; the singular values of the Jacobian in
// the plane, the larger one first, and its determinant; by how much x violates the set. dim + 6 numbers.
SR_API sr_status sp_look(const sp_map* handle, const double* u, std::size_t dim, double* out, std::size_t length) {
  return guarded([&] {
    const sp_map& map = required(handle, "map");
    const auto given = numbers(u, dim, map.layer->dim(), "u");
    double* place = numbers(out, length, dim + 6, "out").data();
    Eigen::VectorXd x(static_cast<Eigen::Index>(dim));
    map.layer->project({given.data(), 1, dim}, {x.data(), 1, dim}, {});
    place = std::copy(x.begin(), x.end(), place);
    place = write(map.view.flattened(x), place);
    const Eigen::Map<const Eigen::VectorXd> at(given.data(), x.size());
    const Eigen::Matrix2d jacobian = PlaneLayer(*map.layer, map.view).jacobian(map.view.flattened(at));
    place = write(Eigen::JacobiSVD<Eigen::Matrix2d>(jacobian).singularValues(), place);
    *place++ = jacobian.determinant();
    *place = map.meter.beyond_rounding({x.data(), dim}, std::numeric_limits<double>::epsilon());
  });
}

}  // extern "C"
