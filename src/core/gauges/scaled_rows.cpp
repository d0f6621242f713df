#include "gauges/scaled_rows.hpp"

#include <algorithm>
#include <cmath>

namespace softradial {
namespace {

bool constant_on_hull(const LinearSystem::Row& row, const AffineHull& hull) {
  if (hull.codimension() == 0) {
    return std::none_of(row.entries.begin(), row.entries.end(), [](const auto& e) { return e.value != 0; });
  }
  Eigen::VectorXd a = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(hull.dim()));
  for (const auto& e : row.entries) a[static_cast<Eigen::Index>(e.column)] += e.value;
  return hull.freedom(a) < kConstantOnHull;
}

}  // namespace

template <class T>
ScaledRows scale_rows(const LinearSystem& system, const AnchoredHull& at) {
  ScaledRows out;
  std::size_t terms = 0;
  double largest = 0;
  for (const auto& row : system.inequalities()) {
    if (constant_on_hull(row, at.hull)) continue;
    const double slack = residual(row, at.point.data());
    require_inside(slack, row.name);
    double size = 0;
    double squares = 0;
    for (const auto& e : row.entries) {
      size += std::abs(e.value * at.point[static_cast<Eigen::Index>(e.column)]);
      squares += e.value * e.value;
    }
    constexpr double kExtended = std::numeric_limits<long double>::epsilon();
    const double setup = kExtended * static_cast<double>(row.entries.size()) * (size + std::abs(row.bound)) / slack;
    const double sigma = kUlp<T> * (kRoundings + size / slack) + setup;
    require_resolvable<T>(sigma, row.name, slack);
    const double scale = 1 / (slack * (1 - sigma));
    LinearSystem::Row scaled = row;
    for (auto& e : scaled.entries) e.value *= scale;
    out.rows.push_back(std::move(scaled));
    out.margin.sigma = std::max(out.margin.sigma, sigma);
    terms = std::max(terms, row.entries.size());
    largest = std::max(largest, std::sqrt(squares) * scale);
  }
  out.margin.lipschitz = largest;
  out.margin.kappa = kUlp<T> * (static_cast<double>(terms) / 2 + 2) * largest;
  return out;
}

template ScaledRows scale_rows<float>(const LinearSystem&, const AnchoredHull&);
template ScaledRows scale_rows<double>(const LinearSystem&, const AnchoredHull&);

}  // namespace softradial
