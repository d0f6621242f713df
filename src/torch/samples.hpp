#pragma once

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bounds.hpp"
#include "map_object.hpp"
#include "softradial/sets/coordinates.hpp"
#include "softradial/sets/quadratics.hpp"

namespace softradial::ops {

// The data of a set that a layer's call may replace for each sample. Tensors broadcast over the batch: (width) for all
// samples or (..., width); numbers () or (...). Without a tensor, the set's own data are used.
struct SampleData {
  MaybeTensor A;       // polyhedron: (m, dim) or (..., m, dim)
  MaybeTensor b;       // polyhedron: (..., m)
  MaybeTensor E;       // polyhedron with equalities: (k, dim) or (..., k, dim)
  MaybeTensor f;       // polyhedron with equalities: (..., k)
  MaybeTensor lower;   // box: (..., dim)
  MaybeTensor upper;   // box: (..., dim)
  MaybeTensor cap;     // simplex, capped simplex: (..., dim)
  MaybeTensor sum;     // simplex, capped simplex: (...)
  MaybeTensor center;  // ball, ellipsoid: (..., dim)
  MaybeTensor radius;  // ball: (...)
  MaybeTensor scale;   // any set, scaled by a positive number: (...)
  MaybeTensor anchor;  // any set: (..., dim), inside each sample's set
  // Other data of a set (sample_sets.hpp): fields of quadratics and cones, and all data of an intersection's parts.
  std::vector<std::pair<std::string, at::Tensor>> others;

  // All members above, without `others`.
  [[nodiscard]] std::array<MaybeTensor*, 12> tensors() {
    return {&A, &b, &E, &f, &lower, &upper, &cap, &sum, &center, &radius, &scale, &anchor};
  }
};

// Reads the data from a dictionary. Throws InvalidSet for a name that the map's set does not have.
using NamedTensors = c10::Dict<std::string, at::Tensor>;
[[nodiscard]] SampleData sample_data(const NamedTensors& named, const MapObject& map);

// Reads the dictionary of a TorchScript call. Older scripts name a cap `upper`; on sets that have a cap, the name `upper` is
// read as the cap.
[[nodiscard]] SampleData scripted_sample_data(const NamedTensors& named, const MapObject& map);

// Throws InvalidSet if data are given that the map's set does not have.
void allow_only_data_of(const MapObject& map, const SampleData& data);

// Whether any data except a scale are given.
[[nodiscard]] bool any_given(const SampleData& data);

// Each sample's set, from its own data and else from the set's: for polyhedra, and for coordinate sets.
struct PolyhedraOfSamples {
  at::Tensor A;
  at::Tensor b;
  MaybeTensor E;  // both or neither
  MaybeTensor f;
};
[[nodiscard]] PolyhedraOfSamples sample_polyhedra(const at::Tensor& u, const SampleData& data, const MapObject& map);
struct BallsOfSamples {
  at::Tensor center;
  at::Tensor radius;  // (..., 1)
};
[[nodiscard]] BallsOfSamples sample_balls(const at::Tensor& u, const SampleData& data, const Ball& ball);
[[nodiscard]] BoundsData sample_bounds(const at::Tensor& u, const SampleData& data, const CoordinateSet& set,
                                       const MapObject& map);

// The data's own anchor, or else a point inside each sample's set: in closed form for coordinate sets and balls, found by a
// search for others, whose derivatives follow the equalities only. `missing` (...) is not 0 for samples that have no anchor,
// and undefined if that was not checked. In u's dtype, broadcast against u.
struct SampleAnchor {
  at::Tensor point;
  at::Tensor missing;
};
[[nodiscard]] SampleAnchor sample_anchor(const at::Tensor& u, const SampleData& data, const MapPtr& map);

// Handles a scale, {scale y : y in C}: x = scale p(u / scale), where p is `onto` the set without its scale; the anchor is
// scaled too. A set whose scale is not positive has no interior.
using OntoSamples = std::function<SampleResult(const at::Tensor& u, const SampleData& data)>;
[[nodiscard]] SampleResult onto_scaled(const at::Tensor& u, const SampleData& data, const OntoSamples& onto);

// Projects onto each sample's set, with gradients to u and to all data. An anchor that is not given is found: in closed form
// for coordinate sets, the centre for balls and ellipsoids. For polyhedra it is a point well inside, which is the map's own
// anchor if that serves (interior_point); with `anchor_gradient` it is the analytic centre, and derivatives pass through it.
// Throws InvalidSet for data that the set does not have, ShapeError for shapes that do not fit.
[[nodiscard]] SampleResult project_samples(const at::Tensor& u, const SampleData& data, bool anchor_gradient,
                                           const MapPtr& map);

// The u on each sample's hull that is mapped to x, NaN if there is none; and log |det J(u)|, (...). Differentiable in x, in u
// and in all data, except through an anchor that was found because none was given.
[[nodiscard]] at::Tensor inverse_samples(const at::Tensor& x, const SampleData& data, const MapPtr& map);
[[nodiscard]] at::Tensor log_abs_det_samples(const at::Tensor& u, const SampleData& data, const MapPtr& map);

}  // namespace softradial::ops
