#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>

#include "hull_projector.hpp"
#include "softradial/set.hpp"

// Gauges of sets whose coordinates have unlike sizes: metres beside nanometres, dollars beside shares (docs/math/margin.md).
namespace softradial {

// The set in the coordinates y_j = x_j / sizes_j, sizes powers of two: by its own data, or as a preimage.
[[nodiscard]] Set set_in_sizes(const Set& set, const Eigen::VectorXd& sizes);

// The gauge of a set at an anchor. Where the set reaches much further along some coordinates than along others, so that kappa |d|
// would take a share of gamma(d) that can be seen, it is that of the set in y, in whose coordinates it reaches equally far, and
// counts kappa |d / sizes| itself.
template <class T>
[[nodiscard]] GaugePtr<T> sized_gauge(const Set& set, const AnchoredHull& at);

// Whether the set of a gauge reaches about as far along each coordinate as along another.
template <class T>
[[nodiscard]] Units units_of(const Gauge<T>& gauge, std::size_t dim);

// The gauge of a part of a set: sized where `at` says so.
template <class T>
[[nodiscard]] GaugePtr<T> gauge_of_part(const Set& part, const AnchoredHull& at);

// The gauge of a set in x from its gauge in y = x / sizes.
template <class T>
[[nodiscard]] GaugePtr<T> gauge_from_sizes(GaugePtr<T> in_sizes, const Eigen::VectorXd& sizes);

// How far a set with this steepness reaches along each coordinate, in units of the shortest reach and as powers of two; nothing
// where they differ by no more than `like`. A coordinate along which it reaches for ever counts as the longest of the others.
[[nodiscard]] std::optional<Eigen::VectorXd> unlike_sizes(std::span<const double> steepness, double like,
                                                          double longest);

}  // namespace softradial
