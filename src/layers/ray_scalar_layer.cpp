#include <algorithm>
#include <cmath>
#include <limits>

#include "builders.hpp"
#include "ray_gauge.hpp"

namespace softradial::layers {
namespace {

// x = u0 + phi d,  d = P_hull(v) / size,  phi = sigmoid(s) / gamma(d):  the length of v does not matter, so v is divided
// by a power of two near its length, and nothing overflows. d = 0 stays at the anchor; gamma = 0 (an unbounded direction)
// steps by d.
template <class T>
class RayScalarLayer final : public Layer<T> {
 public:
  RayScalarLayer(const Set& set, const ProjectionOptions& options) : gauge_(set, options) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return gauge_.dim(); }
  [[nodiscard]] std::size_t input_dim() const noexcept override { return gauge_.dim() + 1; }

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    const auto scratch = gauge_.make_scratch();
    std::vector<T> d(dim());
    for (std::size_t i = 0; i < u.count(); ++i) {
      const Ray ray = load(u[i], d, *scratch);
      for (std::size_t j = 0; j < dim(); ++j) x.row(i)[j] = gauge_.anchor()[j] + ray.phi * d[j];
    }
    return 0;
  }

  // grad_d = phi g + (d.g) dphi/dgamma grad gamma,   grad_s = (d.g) dphi/ds
  void project_vjp(Rows<const T> u, Rows<const T>, Rows<const T>, Rows<const T> grad_x, Rows<T> grad_u) const override {
    const auto scratch = gauge_.make_scratch();
    std::vector<T> d(dim());
    for (std::size_t i = 0; i < u.count(); ++i) {
      const Ray ray = load(u[i], d, *scratch);
      const std::span<T> out(grad_u.row(i), dim());
      T along = 0;
      for (std::size_t j = 0; j < dim(); ++j) {
        along += d[j] * grad_x.row(i)[j];
        out[j] = ray.phi * grad_x.row(i)[j];
      }
      const T gamma = ray.at.gamma;
      if (gamma > 0) gauge_.add_gradient(-along * ray.phi / gamma, d, ray.at, out, *scratch);
      gauge_.to_hull(out);
      for (T& v : out) v = std::ldexp(v, -ray.exponent);
      grad_u.row(i)[dim()] = along * (1 - ray.share) * ray.phi;
    }
  }

 private:
  struct Ray {
    typename RayGauge<T>::At at;
    int exponent = 0;
    T share = 0;  // sigmoid(s)
    T phi = 0;
  };

  Ray load(std::span<const T> row, std::span<T> d, GaugeScratch& scratch) const {
    Ray ray;
    T largest = 0;
    for (std::size_t j = 0; j < dim(); ++j) largest = std::max(largest, std::abs(row[j]));
    if (largest > 0 && std::isfinite(largest)) ray.exponent = std::ilogb(largest);
    for (std::size_t j = 0; j < dim(); ++j) d[j] = std::ldexp(row[j], -ray.exponent);
    gauge_.to_hull(d);
    ray.at = gauge_.evaluate(d, scratch);
    ray.share = sigmoid(row[dim()]);
    ray.phi = ray.at.gamma > 0 ? ray.share / ray.at.gamma : ray.share;
    bool finite = true;
    for (const T v : row) finite = finite && std::isfinite(v);
    if (!finite) ray.phi = std::numeric_limits<T>::quiet_NaN();
    return ray;
  }

  RayGauge<T> gauge_;
};

}  // namespace

template <class T>
LayerPtr<T> make_ray_scalar(const Set& set, const ProjectionOptions& options) {
  return std::make_unique<RayScalarLayer<T>>(set, options);
}
template LayerPtr<float> make_ray_scalar<float>(const Set&, const ProjectionOptions&);
template LayerPtr<double> make_ray_scalar<double>(const Set&, const ProjectionOptions&);

}  // namespace softradial::layers
