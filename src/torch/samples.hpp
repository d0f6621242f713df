#pragma once

#include "bounds.hpp"
#include "map_object.hpp"

namespace softradial::ops {

// The data of a set that a layer's call may replace for each sample. Tensors broadcast over the batch: (width) for all
// samples or (..., width); numbers () or (...). Without a tensor, the set's own data are used.
struct SampleData {
  MaybeTensor A;       // polyhedron: (m, dim) or (..., m, dim)
  MaybeTensor b;       // polyhedron: (..., m)
  MaybeTensor f;       // polyhedron with equalities: (..., k)
  MaybeTensor lower;   // box: (..., dim)
  MaybeTensor upper;   // box: (..., dim)
  MaybeTensor cap;     // simplex, capped simplex: (..., dim)
  MaybeTensor sum;     // simplex, capped simplex: (...)
  MaybeTensor center;  // ball, ellipsoid: (..., dim)
  MaybeTensor radius;  // ball: (...)
  MaybeTensor scale;   // any set, scaled by a positive number: (...)
  MaybeTensor anchor;  // any set: (..., dim), inside each sample's set
};

// The same from a dictionary; throws InvalidSet for a name that is none of the above. Models that were scripted when the cap
// of a call was called `upper` still say so: on the sets that have a cap it is taken for it.
using NamedTensors = c10::Dict<std::string, at::Tensor>;
[[nodiscard]] SampleData sample_data(const NamedTensors& named, const MapObject& map);

// Projects onto each sample's set, with gradients to u and to all data. If no anchor is given it is found: in closed form
// for coordinate sets, the centre for balls and ellipsoids. For polyhedra it is a point well inside, the map's own anchor where
// that serves (interior_point); with `anchor_gradient` it is the analytic centre, and derivatives pass through it. Throws
// InvalidSet for data that the set does not have, ShapeError for shapes that do not fit.
[[nodiscard]] SampleResult project_samples(const at::Tensor& u, const SampleData& data, bool anchor_gradient,
                                           const MapPtr& map);

}  // namespace softradial::ops
