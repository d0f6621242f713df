#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <string>

#include "softradial/gauge.hpp"

// The guard's two constants, derived in docs/math/margin.md:
//   sigma   relative shrink of the set: resolution of the anchor, rounding of the gauge's data
//   kappa   per unit of |d|: rounding of x = u0 + phi d and of the gauge's sums over d
namespace softradial {

template <class T>
inline constexpr double kUlp = std::numeric_limits<T>::epsilon();

// Roundings of phi, of 1/gamma and of the data, each at most an ulp: 4 are counted in the derivation, 8 are taken.
inline constexpr double kRoundings = 8;

struct Margin {
  double sigma = 0;
  double kappa = 0;
  double lipschitz = 0;
};

// For a gauge with gamma(v) <= lipschitz |v| that is evaluated by sums of at most `terms` products:
//   sigma = ulp (8 + terms / 2 + lipschitz |u0|) + setup_error,   kappa = ulp (terms / 2 + 2) lipschitz.
template <class T>
[[nodiscard]] Margin general_margin(double lipschitz, std::size_t terms, const Eigen::VectorXd& u0, double setup_error);

// Throws AnchorNotInterior where the margin would eat a quarter of the way to the boundary: the anchor is too close to
// it for this precision.
template <class T>
void require_resolvable(double sigma, const std::string& constraint, double slack);

// Throws AnchorNotInterior where the slack is not positive.
void require_inside(double slack, const std::string& constraint);

// What gauges that only need a margin share.
template <class T>
class GuardedGauge : public Gauge<T> {
 public:
  [[nodiscard]] double kappa() const noexcept final { return margin_.kappa; }
  [[nodiscard]] double lipschitz() const noexcept final { return margin_.lipschitz; }
  [[nodiscard]] double sigma() const noexcept final { return margin_.sigma; }

 protected:
  explicit GuardedGauge(Margin margin) : margin_(margin) {}

 private:
  Margin margin_;
};

}  // namespace softradial
