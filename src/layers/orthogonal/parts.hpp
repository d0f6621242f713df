#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "linear_data.hpp"
#include "quadratic_constraint.hpp"
#include "softradial/layer.hpp"
#include "softradial/sets/coordinates.hpp"

// Orthogonal projections, one maker for each family of sets; `make_orthogonal` chooses.
namespace softradial::layers {

// The curved constraints of a set whose other constraints are linear. Empty if it has others: then there is no projection.
[[nodiscard]] std::optional<std::vector<QuadraticConstraint>> curved_constraints(const Set& set);
[[noreturn]] void reject_orthogonal(std::string_view method, const Set& set);

template <class T>
[[nodiscard]] LayerPtr<T> make_orthogonal_coordinates(const CoordinateSet& set);
template <class T>
[[nodiscard]] LayerPtr<T> make_orthogonal_polyhedron(const LinearData& data, int steps = 0);  // 0: exact
template <class T>
[[nodiscard]] LayerPtr<T> make_orthogonal_intersection(std::size_t dim, std::vector<QuadraticConstraint> curved,
                                                       const LinearData& linear);

}  // namespace softradial::layers
