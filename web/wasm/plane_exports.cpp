// What the playground draws, as C functions beside those of softradial.h, with the same rules: a status, handles, lengths.
// Points are pairs of coordinates in the plane of the set.
#include <Eigen/SVD>
#include <algorithm>
#include <memory>
#include <vector>

#include "arguments.hpp"
#include "errors.hpp"
#include "handles.hpp"
#include "layer_options.hpp"
#include "plane/plane_layer.hpp"

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

// A set, its anchor and the plane that it is drawn in.
struct sp_plane {  // NOLINT(readability-identifier-naming)
  Set set;
  Anchor anchor;
  PlaneView view;
};

// A layer on points of that plane.
struct sp_map {  // NOLINT(readability-identifier-naming)
  PlaneView view;
  LayerPtr<double> layer;
};

extern "C" {

// `anchor`: an interior point of the set, `length` numbers, or 0 of them for one that is found.
SR_API sr_status sp_plane_make(const sr_set* given, const double* anchor, std::size_t length, sp_plane** out) {
  return guarded([&] {
    const sr_set& set = required(given, "set");
    sp_plane*& handle = required(out, "out");
    handle = nullptr;
    const auto point = numbers(anchor, length, "anchor");
    Anchor found = length == 0 ? require_anchor(set.set)
                               : check_anchor(set.set, Eigen::Map<const Eigen::VectorXd>(
                                                           point.data(), static_cast<Eigen::Index>(point.size())));
    PlaneView view = plane::view_of(set.set, found);
    handle = std::make_unique<sp_plane>(sp_plane{set.set, std::move(found), std::move(view)}).release();
  });
}

SR_API void sp_plane_free(sp_plane* handle) { std::unique_ptr<sp_plane>{handle}.reset(); }

SR_API std::size_t sp_plane_dim(const sp_plane* handle) { return handle == nullptr ? 0 : handle->set.dim(); }

// The anchor in the plane, 2 numbers; origin, dim of them; the two directions, dim each: a point p of the plane is
// origin + p_0 right + p_1 up.
SR_API sr_status sp_plane_view(const sp_plane* handle, double* out, std::size_t length) {
  return guarded([&] {
    const sp_plane& drawn = required(handle, "plane");
    double* place = numbers(out, length, 2 + 3 * drawn.set.dim(), "out").data();
    place = write(drawn.view.flattened(drawn.anchor.point), place);
    place = std::copy(drawn.view.origin.begin(), drawn.view.origin.end(), place);
    std::copy_n(drawn.view.basis.data(), drawn.view.basis.size(), place);
  });
}

// The boundary as far as `radius` around the anchor, at most `capacity` points; `count` says how many there are.
SR_API sr_status sp_plane_boundary(const sp_plane* handle, double radius, double* out, std::size_t capacity,
                                   std::size_t* count) {
  return guarded([&] {
    const sp_plane& drawn = required(handle, "plane");
    const auto points = plane::boundary(drawn.set, drawn.anchor, drawn.view, radius);
    required(count, "count") = std::min(points.size(), capacity);
    double* place = numbers(out, 2 * capacity, "out").data();
    for (std::size_t i = 0; i < std::min(points.size(), capacity); ++i) place = write(points[i], place);
  });
}

// `options` as for sr_layer_make. Methods with an anchor take that of the plane.
SR_API sr_status sp_map_make(const sp_plane* handle, const char* options, std::size_t length, sp_map** out) {
  return guarded([&] {
    const sp_plane& drawn = required(handle, "plane");
    sp_map*& made = required(out, "out");
    made = nullptr;
    LayerOptions parsed = parse_layer_options(text(options, length, "options"));
    if (has_anchor(parsed.method)) parsed.projection.anchor_point = drawn.anchor.point;
    auto map =
        std::make_unique<sp_map>(sp_map{drawn.view, make_layer<double>(drawn.set, parsed.method, parsed.projection)});
    static_cast<void>(PlaneLayer(*map->layer, map->view));  // refuses layers of another width
    made = map.release();
  });
}

SR_API void sp_map_free(sp_map* map) { std::unique_ptr<sp_map>{map}.reset(); }

// x for `count` points, in place of which they may be written.
SR_API sr_status sp_project(const sp_map* handle, const double* u, std::size_t count, double* out) {
  return guarded([&] {
    const sp_map& map = required(handle, "map");
    const auto points = points_of(u, count, "u");
    double* place = numbers(out, 2 * count, "out").data();
    for (const Vector2d& x : PlaneLayer(*map.layer, map.view).project(points)) place = write(x, place);
  });
}

// Gradient descent from `ends`, start and target: for each step and the start before them u, x and the loss, 5 numbers.
SR_API sr_status sp_descend(const sp_map* handle, const double* ends, double step, int steps, double* out,
                            std::size_t length) {
  return guarded([&] {
    const sp_map& map = required(handle, "map");
    const auto points = points_of(ends, 2, "ends");
    double* place = numbers(out, length, 5 * (static_cast<std::size_t>(steps) + 1), "out").data();
    const auto path = plane::descend(PlaneLayer(*map.layer, map.view), points[0], points[1], step, steps);
    for (std::size_t k = 0; k < path.u.size(); ++k) {
      place = write(path.x[k], write(path.u[k], place));
      *place++ = path.loss[k];
    }
  });
}

// All about one point: u and x in the set's own space, dim numbers each; x in the plane; the singular values of the Jacobian,
// the larger one first, and its determinant.
SR_API sr_status sp_look(const sp_map* handle, const double* u, double* out, std::size_t length) {
  return guarded([&] {
    const sp_map& map = required(handle, "map");
    const Vector2d point = points_of(u, 1, "u").front();
    const std::size_t dim = map.layer->dim();
    double* place = numbers(out, length, 2 * dim + 5, "out").data();
    const Eigen::VectorXd lifted = map.view.lifted(point);
    place = std::copy(lifted.begin(), lifted.end(), place);
    Eigen::VectorXd x(lifted.size());
    map.layer->project({lifted.data(), 1, dim}, {x.data(), 1, dim}, {});
    place = std::copy(x.begin(), x.end(), place);
    place = write(map.view.flattened(x), place);
    const Eigen::Matrix2d jacobian = PlaneLayer(*map.layer, map.view).jacobian(point);
    place = write(Eigen::JacobiSVD<Eigen::Matrix2d>(jacobian).singularValues(), place);
    *place = jacobian.determinant();
  });
}

}  // extern "C"
