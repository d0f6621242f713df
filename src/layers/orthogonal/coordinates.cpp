#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/simplex_kernels.hpp"
#include "orthogonal/parts.hpp"

namespace softradial::layers {
namespace {

// A bound rounded to T towards the inside, so that the results keep the bound as it was given.
template <class T>
T inwards(double bound, double side) {
  const T rounded = static_cast<T>(bound);
  const bool outside = side * (static_cast<double>(rounded) - bound) > 0;
  return outside ? std::nextafter(rounded, static_cast<T>(-side) * std::numeric_limits<T>::infinity()) : rounded;
}

template <class T>
class OrthogonalBox final : public Layer<T> {
 public:
  explicit OrthogonalBox(const CoordinateSet& set) {
    for (std::size_t j = 0; j < set.dim(); ++j) {
      lower_.push_back(inwards<T>(set.lower()[static_cast<Eigen::Index>(j)], -1));
      upper_.push_back(inwards<T>(set.upper()[static_cast<Eigen::Index>(j)], 1));
    }
  }
  [[nodiscard]] std::size_t dim() const noexcept override { return lower_.size(); }
  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    for (std::size_t i = 0; i < u.count(); ++i) {
      for (std::size_t j = 0; j < dim(); ++j) {
        const T v = u.row(i)[j];
        x.row(i)[j] = v < lower_[j] ? lower_[j] : v > upper_[j] ? upper_[j] : v;
      }
    }
    return 0;
  }
  void project_vjp(Rows<const T> u, Rows<const T>, Rows<const T>, Rows<const T> grad_x, Rows<T> grad_u) const override {
    for (std::size_t i = 0; i < u.count(); ++i) {
      for (std::size_t j = 0; j < dim(); ++j) {
        const T v = u.row(i)[j];
        grad_u.row(i)[j] = v > lower_[j] && v < upper_[j] ? grad_x.row(i)[j] : T{0};
      }
    }
  }

 private:
  std::vector<T> lower_;
  std::vector<T> upper_;
};

template <class T>
class OrthogonalSimplex final : public Layer<T> {
 public:
  explicit OrthogonalSimplex(const CoordinateSet& set) : total_(static_cast<T>(*set.total())) {
    const double spare = *set.total() - set.lower().sum();
    for (Eigen::Index j = 0; j < static_cast<Eigen::Index>(set.dim()); ++j) {
      lower_.push_back(inwards<T>(set.lower()[j], -1));
      upper_.push_back(inwards<T>(std::min(set.upper()[j], set.lower()[j] + spare), 1));
    }
    guide_ = kernels::sum_guide<T>(lower_, upper_, total_);
  }
  [[nodiscard]] std::size_t dim() const noexcept override { return lower_.size(); }
  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    return kernels::project_bounded_sum(set(), u, x);
  }
  void project_vjp(Rows<const T>, Rows<const T> x, Rows<const T>, Rows<const T> grad_x, Rows<T> grad_u) const override {
    kernels::bounded_sum_vjp(set(), x, grad_x, grad_u);
  }

 private:
  [[nodiscard]] kernels::BoundedSum<T> set() const noexcept {
    return {lower_.size(), lower_.data(), upper_.data(), total_, guide_};
  }
  std::vector<T> lower_;
  std::vector<T> upper_;
  T total_;
  kernels::SumGuide<T> guide_;
};

}  // namespace

template <class T>
LayerPtr<T> make_orthogonal_coordinates(const CoordinateSet& set) {
  if (set.total()) return std::make_unique<OrthogonalSimplex<T>>(set);
  return std::make_unique<OrthogonalBox<T>>(set);
}
template LayerPtr<float> make_orthogonal_coordinates<float>(const CoordinateSet&);
template LayerPtr<double> make_orthogonal_coordinates<double>(const CoordinateSet&);

}  // namespace softradial::layers
