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
  MaybeTensor f;       // the same: (..., k)
  MaybeTensor lower;   // box: (..., dim)
  MaybeTensor upper;   // box: (..., dim)
  MaybeTensor cap;     // simplex, capped simplex: (..., dim)
  MaybeTensor sum;     // simplex, capped simplex: (...)
  MaybeTensor center;  // ball, ellipsoid: (..., dim)
  MaybeTensor radius;  // ball: (...)
  MaybeTensor scale;   // any set, scaled by a positive number: (...)
  MaybeTensor anchor;  // any set: (..., dim), inside each sample's set
  // What else a set has (sample_sets.hpp): fields of quadratics and cones, and all data of an intersection's parts.
  std::vector<std::pair<std::string, at::Tensor>> others;

  // All but the others.
  [[nodiscard]] std::array<MaybeTensor*, 12> tensors() {
    return {&A, &b, &E, &f, &lower, &upper, &cap, &sum, &center, &radius, &scale, &anchor};
  }
};

// The same from a dictionary; throws InvalidSet for a name that the map's set does not have.
using NamedTensors = c10::Dict<std::string, at::Tensor>;
[[nodiscard]] SampleData sample_data(const NamedTensors& named, const MapObject& map);

// The same for calls from TorchScript. Models that were scripted when the cap of a call was called `upper` still say so: on the
// sets that have a cap it is taken for it.
[[nodiscard]] SampleData scripted_sample_data(const NamedTensors& named, const MapObject& map);

// Throws InvalidSet for data that are given but that the map's set does not have.
void allow_only_data_of(const MapObject& map, const SampleData& data);

// Whether any are given, besides a scale.
[[nodiscard]] bool any_given(const SampleData& data);

// Each sample's set, from its data and the set's own: of polyhedra, and of coordinate sets.
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

// The data's own anchor, or a point inside each sample's set: in closed form for coordinate sets and balls, found for others,
// where its derivatives are those of moving with the equalities. `missing` (...) is not 0 where there is none, undefined where
// that was not looked at. In u's dtype, broadcast against u.
struct SampleAnchor {
  at::Tensor point;
  at::Tensor missing;
};
[[nodiscard]] SampleAnchor sample_anchor(const at::Tensor& u, const SampleData& data, const MapPtr& map);

// {scale y : y in C}: x = scale p(u / scale), p being `onto` the set without its scale; the anchor is scaled too. With a scale
// that is not positive the set has no interior.
using OntoSamples = std::function<SampleResult(const at::Tensor& u, const SampleData& data)>;
[[nodiscard]] SampleResult onto_scaled(const at::Tensor& u, const SampleData& data, const OntoSamples& onto);

// Projects onto each sample's set, with gradients to u and to all data. If no anchor is given it is found: in closed form
// for coordinate sets, the centre for balls and ellipsoids. For polyhedra it is a point well inside, the map's own anchor where
// that serves (interior_point); with `anchor_gradient` it is the analytic centre, and derivatives pass through it. Throws
// InvalidSet for data that the set does not have, ShapeError for shapes that do not fit.
[[nodiscard]] SampleResult project_samples(const at::Tensor& u, const SampleData& data, bool anchor_gradient,
                                           const MapPtr& map);

// The u on each sample's hull that is mapped to x, NaN where there is none; and log |det J(u)|, (...). Differentiable in x, in u
// and in all data but the anchor that is found where none is given.
[[nodiscard]] at::Tensor inverse_samples(const at::Tensor& x, const SampleData& data, const MapPtr& map);
[[nodiscard]] at::Tensor log_abs_det_samples(const at::Tensor& u, const SampleData& data, const MapPtr& map);

}  // namespace softradial::ops
