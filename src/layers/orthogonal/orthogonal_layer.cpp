#include <algorithm>
#include <vector>

#include "builders.hpp"
#include "orthogonal/parts.hpp"
#include "softradial/sets.hpp"

namespace softradial::layers {
namespace {

// Collects the curved constraints of a set; append_linear gives its linear ones. Returns false if the set has others.
bool collect_curved(const Set& set, std::vector<QuadraticConstraint>& out) {
  if (const auto* intersection = dynamic_cast<const Intersection*>(&*set)) {
    const auto& parts = intersection->parts();
    return std::all_of(parts.begin(), parts.end(), [&](const Set& part) { return collect_curved(part, out); });
  }
  if (auto constraint = QuadraticConstraint::of(set)) {
    out.push_back(std::move(*constraint));
    return true;
  }
  LinearSystem system(set.dim());
  return set->append_linear(system);
}

}  // namespace

std::optional<std::vector<QuadraticConstraint>> curved_constraints(const Set& set) {
  std::vector<QuadraticConstraint> curved;
  if (!collect_curved(set, curved)) return std::nullopt;
  return curved;
}

void reject_orthogonal(std::string_view method, const Set& set) {
  reject_set(method,
             "boxes, simplices, capped simplices, polyhedra, balls, ellipsoids, quadratics and intersections of these",
             set);
}

template <class T>
LayerPtr<T> make_orthogonal(const Set& set, std::string_view name) {
  if (const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set)) {
    return make_orthogonal_coordinates<T>(*coordinates);
  }
  auto curved = curved_constraints(set);
  if (!curved) reject_orthogonal(name, set);
  if (curved->empty()) return make_orthogonal_polyhedron<T>(linear_part(set));
  return make_orthogonal_intersection<T>(set.dim(), std::move(*curved), linear_part(set));
}
template <class T>
LayerPtr<T> make_hardnet_cvx(const Set& set) {
  return make_orthogonal_polyhedron<T>(linear_data(set, "hardnet_cvx"));
}
template LayerPtr<float> make_orthogonal<float>(const Set&, std::string_view);
template LayerPtr<double> make_orthogonal<double>(const Set&, std::string_view);
template LayerPtr<float> make_hardnet_cvx<float>(const Set&);
template LayerPtr<double> make_hardnet_cvx<double>(const Set&);

}  // namespace softradial::layers
