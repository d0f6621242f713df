#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <string>

#include "numbers.hpp"
#include "softradial/gauge.hpp"

// The guard's two constants, derived in docs/math/margin.md:
//   sigma   relative shrink of the set: resolution of the anchor, rounding of the gauge's data
//   kappa   per unit of |d|: rounding of x = u0 + phi d and of the gauge's sums over d
namespace softradial {

template <class T>
inline constexpr double kUlp = std::numeric_limits<T>::epsilon();

// Roundings of phi, of 1/gamma and of the data, each at most an ulp: 4 are counted in the derivation, 8 are taken.
inline constexpr double kRoundings = 8;

// A margin that eats this part of the way to the boundary is refused: the anchor is too close to it for the precision.
inline constexpr double kMostSigma = 0.25;

// In numbers for a fixed anchor, in tensors (..., 1) for an anchor of each sample.
template <class N>
struct MarginOf {
  N sigma{};
  N kappa{};
  N lipschitz{};
};
using Margin = MarginOf<double>;

// An ulp of the arithmetic, and one of the type that x is rounded to at the end: 0 where that is the same.
struct Ulps {
  double working;
  double coarse = 0;
};

// For a gauge with gamma(v) <= lipschitz |v| that is evaluated by sums of at most `terms` products, |u0| = anchor_size:
//   sigma = ulp (8 + terms / 2 + lipschitz |u0|) + setup_error,   kappa = ulp (terms / 2 + 2) lipschitz.
// Rounding x to a coarser type errs by at most ulp / 2 |x_j|, hence in the gauge by ulp / 2 lipschitz (|u0| + phi |d|), and
// so does rounding u0 itself: coarse (1 + lipschitz |u0|) and coarse lipschitz more.
template <class N>
[[nodiscard]] MarginOf<N> general_margin(Ulps ulp, const N& lipschitz, std::size_t terms, const N& anchor_size,
                                         const N& setup_error) {
  const double half_terms = static_cast<double>(terms) / 2;
  MarginOf<N> margin{ulp.working * ((kRoundings + half_terms) + lipschitz * anchor_size) + setup_error,
                     ulp.working * (half_terms + 2) * lipschitz, lipschitz};
  if (ulp.coarse > 0) {
    margin.sigma = margin.sigma + ulp.coarse * (1 + lipschitz * anchor_size);
    margin.kappa = margin.kappa + ulp.coarse * lipschitz;
  }
  return margin;
}

template <class T>
[[nodiscard]] Margin general_margin(double lipschitz, std::size_t terms, const Eigen::VectorXd& u0,
                                    double setup_error) {
  return general_margin<double>({kUlp<T>}, lipschitz, terms, u0.norm(), setup_error);
}

[[nodiscard]] MarginOf<Tensor> general_margin(const TensorSpace& space, const Tensor& lipschitz, std::size_t terms,
                                              const Tensor& u0, const Tensor& setup_error);

// The relative error of a slack that was computed in double as a difference of terms of these sizes.
[[nodiscard]] Tensor slack_error(const Tensor& sizes, const Tensor& slack, std::size_t terms);

// Throws AnchorNotInterior where the margin would eat kMostSigma of the way to the boundary.
template <class T>
void require_resolvable(double sigma, const std::string& constraint, double slack);

// Throws AnchorNotInterior where the slack is not positive.
void require_inside(double slack, const std::string& constraint);

// The gauge divided by 1 - sigma, in the working precision; switched off where the anchor is not inside by its margin.
[[nodiscard]] TensorGaugeAt guarded(TensorGauge gauge, const MarginOf<Tensor>& margin, const Tensor& inside,
                                    const TensorSpace& space);

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
