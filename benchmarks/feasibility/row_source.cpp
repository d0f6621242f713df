#include "row_source.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace softradial::feasibility {

template <class T>
RowSource<T>::RowSource(const Eigen::VectorXd& anchor, const std::vector<Eigen::VectorXd>& normals, std::uint64_t seed)
    : anchor_(anchor), normals_(normals), engine_(seed) {}

// A size: half of the time between 1e-3 and 1e6, else anywhere from the smallest subnormal to the largest number; now and then
// exactly 0 or the largest number.
template <class T>
double RowSource<T>::magnitude() {
  const double kind = uniform(0, 1);
  if (kind < 0.01) return 0;
  if (kind < 0.02) return std::numeric_limits<T>::max();
  if (kind < 0.5) return std::exp(uniform(std::log(1e-3), std::log(1e6)));
  return std::exp(uniform(std::log(static_cast<double>(std::numeric_limits<T>::denorm_min())),
                          std::log(static_cast<double>(std::numeric_limits<T>::max()))));
}

template <class T>
void RowSource<T>::fill(std::span<T> row) {
  constexpr double kLargest = std::numeric_limits<T>::max();
  const auto store = [&](std::size_t j, double value) {
    row[j] = static_cast<T>(std::clamp(value, -kLargest, kLargest));
  };
  const auto around_anchor = [&](std::size_t j, double value) { store(j, anchor_[Eigen::Index(j)] + value); };
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(engine_() % count); };
  const double scale = magnitude();

  switch (pick(normals_.empty() ? 7 : 8)) {
    case 0:  // one coordinate
      for (std::size_t j = 0; j < row.size(); ++j) around_anchor(j, 0);
      around_anchor(pick(row.size()), uniform(0, 1) < 0.5 ? scale : -scale);
      break;
    case 1: {  // a common offset that dwarfs everything else
      const double ratio = std::exp(uniform(std::log(1e-20), 0));
      for (std::size_t j = 0; j < row.size(); ++j) store(j, scale + scale * ratio * normal_(engine_));
      break;
    }
    case 2:  // every coordinate of its own size
      for (std::size_t j = 0; j < row.size(); ++j) around_anchor(j, magnitude() * (uniform(0, 1) < 0.5 ? 1 : -1));
      break;
    case 3:  // ties
      for (std::size_t j = 0; j < row.size(); ++j) around_anchor(j, scale * (static_cast<double>(pick(3)) - 1));
      break;
    case 4:  // not measured from the anchor
      for (std::size_t j = 0; j < row.size(); ++j) store(j, scale * normal_(engine_));
      break;
    case 7: {  // along a normal or against it
      const Eigen::VectorXd& direction = normals_[pick(normals_.size())];
      const double step = uniform(0, 1) < 0.5 ? scale : -scale;
      for (std::size_t j = 0; j < row.size(); ++j) around_anchor(j, step * direction[Eigen::Index(j)]);
      break;
    }
    default:
      for (std::size_t j = 0; j < row.size(); ++j) around_anchor(j, scale * normal_(engine_));
  }
}

template <class T>
void RowSource<T>::nudge(std::span<const T> x, std::span<T> u) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    u[j] = x[j];
    const int ulps = static_cast<int>(engine_() % 7) - 3;
    const T towards = ulps < 0 ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    for (int k = 0; k < std::abs(ulps); ++k) u[j] = std::nextafter(u[j], towards);
  }
}

template class RowSource<float>;
template class RowSource<double>;

}  // namespace softradial::feasibility
