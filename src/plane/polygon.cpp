#include "plane/polygon.hpp"

#include <algorithm>
#include <vector>

#include "softradial/errors.hpp"
#include "softradial/sets/polyhedra.hpp"

namespace softradial::plane {
namespace {

// Positive if a, b, c turn to the left.
double turn(const Vector2d& a, const Vector2d& b, const Vector2d& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

// The corners of the hull, counter-clockwise: the lower chain from left to right, then the upper one back (Andrew).
std::vector<Vector2d> corners_of(std::vector<Vector2d> points) {
  std::sort(points.begin(), points.end(),
            [](const Vector2d& a, const Vector2d& b) { return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y()); });
  std::vector<Vector2d> corners;
  const auto add_chain = [&](auto from, auto to) {
    const std::size_t begin = corners.size();
    for (; from != to; ++from) {
      while (corners.size() >= begin + 2 && turn(corners[corners.size() - 2], corners.back(), *from) <= 0) {
        corners.pop_back();
      }
      corners.push_back(*from);
    }
    corners.pop_back();  // where the other chain begins
  };
  add_chain(points.begin(), points.end());
  add_chain(points.rbegin(), points.rend());
  return corners;
}

}  // namespace

Set polygon(std::span<const Vector2d> points) {
  const std::vector<Vector2d> corners =
      points.size() < 3 ? std::vector<Vector2d>{} : corners_of({points.begin(), points.end()});
  if (corners.size() < 3) throw InvalidSet("polygon: needs three corners that do not lie on one line");
  const auto edges = static_cast<Eigen::Index>(corners.size());
  Eigen::MatrixXd A(edges, 2);
  Eigen::VectorXd b(edges);
  for (Eigen::Index i = 0; i < edges; ++i) {
    const Vector2d& from = corners[static_cast<std::size_t>(i)];
    const Vector2d along = corners[static_cast<std::size_t>((i + 1) % edges)] - from;
    A.row(i) << along.y(), -along.x();
    b[i] = A.row(i) * from;
  }
  return Polyhedron(A, b);
}

}  // namespace softradial::plane
