#pragma once

#include <span>

#include "plane/plane_view.hpp"

namespace softradial::plane {

// The polygon with these corners: the convex hull of the points, as A x <= b with one row for each edge. Throws InvalidSet if
// they lie on one line.
[[nodiscard]] Set polygon(std::span<const Vector2d> points);

}  // namespace softradial::plane
