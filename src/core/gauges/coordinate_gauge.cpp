#include <algorithm>
#include <cmath>
#include <vector>

#include "algebra/as_doubles.hpp"
#include "gauges/margin.hpp"
#include "kernels/coordinate_kernels.hpp"
#include "softradial/sets/coordinate_set.hpp"

namespace softradial {
namespace {

// gamma(d) = max_j max(d_j up_j, -d_j down_j, 0).
// The guard is exact coordinate by coordinate, so that kappa = 0: x_j is rounded relative to |x_j| alone, and near a
// bound |x_j| is at most M = max(|u0_j|, |bound_j|):  sigma_j = ulp (8 + M / slack).
template <class T>
class CoordinateGauge final : public Gauge<T> {
 public:
  CoordinateGauge(const CoordinateSet& set, const AnchoredHull& at)
      : up_(set.dim(), T{0}), down_(set.dim(), T{0}), zeros_(set.dim(), T{0}) {
    for (std::size_t j = 0; j < set.dim(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      if (!free_on_hull(at.hull, i)) continue;
      const double u0 = at.point[i];
      up_[j] = reciprocal_slack(set.upper()[i] - u0, u0, set.upper()[i], "upper bound " + std::to_string(j));
      down_[j] = reciprocal_slack(u0 - set.lower()[i], u0, set.lower()[i], "lower bound " + std::to_string(j));
    }
  }

  struct Scratch final : GaugeScratch {
    explicit Scratch(std::size_t max_rows) : state(max_rows) {}
    std::vector<kernels::CoordinateState<T>> state;
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t max_rows) const override {
    return std::make_unique<Scratch>(max_rows);
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    auto& state = static_cast<Scratch&>(scratch).state;
    const kernels::CoordinateData<T> data{up_.size(), false,        false, zeros_.data(),
                                          up_.data(), down_.data(), T{0},  T{0}};
    kernels::reduce(data, d, state.data());
    for (std::size_t i = 0; i < d.count(); ++i) at[i] = {state[i].gamma, state[i].active};
  }

  void add_gradient(T scale, std::span<const T>, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch&) const noexcept override {
    if (!(at.gamma > 0)) return;
    const auto active = static_cast<std::size_t>(at.active);
    if (active < up_.size()) {
      out[active] += scale * up_[active];
    } else {
      out[active - up_.size()] -= scale * down_[active - up_.size()];
    }
  }

  [[nodiscard]] std::int32_t num_pieces() const noexcept override { return static_cast<std::int32_t>(2 * up_.size()); }
  [[nodiscard]] double kappa() const noexcept override { return 0; }
  [[nodiscard]] double sigma() const noexcept override { return sigma_; }
  [[nodiscard]] double lipschitz() const noexcept override {
    return std::max(*std::max_element(up_.begin(), up_.end()), *std::max_element(down_.begin(), down_.end()));
  }
  [[nodiscard]] GaugeForm form() const override { return SidesForm{as_doubles<T>(up_), as_doubles<T>(down_)}; }
  [[nodiscard]] CoordinateSides<T> coordinate_sides() const noexcept override { return {up_, down_}; }

 private:
  // |P e_j| > 0 on the hull's directions.
  static bool free_on_hull(const AffineHull& hull, Eigen::Index j) {
    return 1 - hull.normals.col(j).squaredNorm() > kConstantOnHull;
  }

  T reciprocal_slack(double slack, double u0, double bound, const std::string& name) {
    if (std::isinf(bound)) return 0;
    require_inside(slack, name);
    const double sigma = kUlp<T> * (kRoundings + std::max(std::abs(u0), std::abs(bound)) / slack);
    require_resolvable<T>(sigma, name, slack);
    sigma_ = std::max(sigma_, sigma);
    return static_cast<T>(1 / (slack * (1 - sigma)));
  }

  std::vector<T> up_;
  std::vector<T> down_;
  std::vector<T> zeros_;
  double sigma_ = 0;
};

}  // namespace

GaugePtr<float> CoordinateSet::gauge_f32(const AnchoredHull& at) const {
  return std::make_unique<CoordinateGauge<float>>(*this, at);
}
GaugePtr<double> CoordinateSet::gauge_f64(const AnchoredHull& at) const {
  return std::make_unique<CoordinateGauge<double>>(*this, at);
}

}  // namespace softradial
