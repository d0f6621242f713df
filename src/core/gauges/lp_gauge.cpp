#include <algorithm>
#include <cmath>
#include <vector>

#include "gauges/margin.hpp"
#include "softradial/sets/lp_ball.hpp"

namespace softradial {
namespace {

// From the centre, gamma(d) = |d|_p / R, evaluated in double with the largest entry scaled out:
//   |d|_p = m (sum_j (|d_j| / m)^p)^(1/p),  m = max_j |d_j|;      n_j = sign(d_j) (|d_j| / |d|_p)^(p-1) / R.
// p = infinity: the largest entry, smallest index first. p = 1: sign(d_j), 0 at 0.
template <class T>
class LpGauge final : public GuardedGauge<T> {
 public:
  LpGauge(double p, double radius, Margin margin)
      : GuardedGauge<T>(margin), p_(p), per_radius_(1 / (radius * (1 - margin.sigma))) {}

  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t) const override {
    return std::make_unique<GaugeScratch>();
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch&) const noexcept override {
    for (std::size_t i = 0; i < d.count(); ++i) at[i] = {static_cast<T>(per_radius_ * norm(d[i])), 0};
  }

  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch&) const noexcept override {
    if (!(at.gamma > 0)) return;
    const double size = norm(d);
    const double factor = static_cast<double>(scale) * per_radius_;
    if (std::isinf(p_)) {
      const auto first = std::max_element(d.begin(), d.end(), [](T a, T b) { return std::abs(a) < std::abs(b); });
      out[static_cast<std::size_t>(first - d.begin())] += static_cast<T>(*first > 0 ? factor : -factor);
      return;
    }
    for (std::size_t j = 0; j < d.size(); ++j) {
      if (d[j] == 0) continue;
      const double slope = factor * std::pow(std::abs(static_cast<double>(d[j])) / size, p_ - 1);
      out[j] += static_cast<T>(d[j] > 0 ? slope : -slope);
    }
  }

  [[nodiscard]] GaugeForm form() const override { return NormForm{per_radius_, p_}; }

 private:
  [[nodiscard]] double norm(std::span<const T> d) const noexcept {
    double largest = 0;
    for (const T v : d) largest = std::max(largest, std::abs(static_cast<double>(v)));
    if (!(largest > 0) || std::isinf(p_)) return largest;
    double sum = 0;
    for (const T v : d) sum += std::pow(std::abs(static_cast<double>(v)) / largest, p_);
    return largest * std::pow(sum, 1 / p_);
  }

  double p_;
  double per_radius_;
};

double lp_norm(const Eigen::VectorXd& v, double p) {
  const double largest = v.cwiseAbs().maxCoeff();
  if (!(largest > 0) || std::isinf(p)) return largest;
  return largest * std::pow((v.cwiseAbs() / largest).array().pow(p).sum(), 1 / p);
}

// Nothing where the anchor is not the centre, up to the anchor's own rounding: that is a matter for the level set's root.
template <class T>
GaugePtr<T> make_lp_gauge(const Eigen::VectorXd& center, double radius, double p, const Eigen::VectorXd& u0) {
  const double offset = lp_norm(u0 - center, p);
  if (offset > kUlp<T> * lp_norm(center, p)) return nullptr;
  const double n = static_cast<double>(center.size());
  const double lipschitz = std::pow(n, std::max(0.0, 1 / p - 0.5)) / radius;
  const Margin margin = general_margin<T>(lipschitz, 8, u0, offset / radius + 2 * n * kUlp<double>);
  require_resolvable<T>(margin.sigma, "radius", radius);
  return std::make_unique<LpGauge<T>>(p, radius, margin);
}

}  // namespace

GaugePtr<float> LpBall::gauge_f32(const AnchoredHull& at) const {
  auto gauge = make_lp_gauge<float>(center_, radius_, p_, at.point);
  return gauge ? std::move(gauge) : LevelSet::gauge_f32(at);
}
GaugePtr<double> LpBall::gauge_f64(const AnchoredHull& at) const {
  auto gauge = make_lp_gauge<double>(center_, radius_, p_, at.point);
  return gauge ? std::move(gauge) : LevelSet::gauge_f64(at);
}

}  // namespace softradial
