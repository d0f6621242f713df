#pragma once

#include <vector>

#include "linear_data.hpp"
#include "quadratic_constraint.hpp"
#include "softradial/layer.hpp"
#include "softradial/sets/coordinates.hpp"

// The orthogonal projection, family by family; `make_orthogonal` chooses.
namespace softradial::layers {

template <class T>
[[nodiscard]] LayerPtr<T> make_orthogonal_coordinates(const CoordinateSet& set);
template <class T>
[[nodiscard]] LayerPtr<T> make_orthogonal_polyhedron(const LinearData& data);
template <class T>
[[nodiscard]] LayerPtr<T> make_orthogonal_intersection(std::size_t dim, std::vector<QuadraticConstraint> curved,
                                                       const LinearData& linear);

}  // namespace softradial::layers
