#include "sets/margin.hpp"

#include <utility>

#include "sets/number_text.hpp"
#include "softradial/errors.hpp"

namespace softradial {

MarginOf<Tensor> general_margin(const TensorSpace& space, const Tensor& lipschitz, std::size_t terms, const Tensor& u0,
                                const Tensor& setup_error) {
  const Ulps ulps{space.ulp(), space.coarse_ulp()};
  return general_margin<Tensor>(ulps, frozen(lipschitz), terms, norm(frozen(u0)), frozen(setup_error));
}

Tensor slack_error(const Tensor& sizes, const Tensor& slack, std::size_t terms) {
  return 4 * kUlp<double> * static_cast<double>(terms + 4) * (1 + sizes / slack);
}

template <class T>
void require_resolvable(double sigma, const std::string& constraint, double slack) {
  if (sigma < guard::kMostSigma) return;
  throw AnchorNotInterior("anchor: " + constraint + " has slack " + number_text(slack) + ", too little for " +
                          precision_name<T>());
}

template <class T>
void require_reach(double lipschitz) {
  if (lipschitz <= guard::kLargestNorm<T>) return;
  throw AnchorNotInterior("anchor: the set reaches only " + number_text(1 / lipschitz) + " around it, too little for " +
                          precision_name<T>());
}

void require_inside(double slack, const std::string& constraint) {
  if (slack > 0) return;
  throw AnchorNotInterior("anchor: " + constraint + " has slack " + number_text(slack));
}

TensorGaugeAt guarded(TensorGauge gauge, const MarginOf<Tensor>& margin, const Tensor& inside,
                      const TensorSpace& space) {
  const double most = 1 / TensorMath(space).smallest_slack();
  const Tensor interior = inside && !(margin.sigma >= guard::kMostSigma) && !(margin.lipschitz > most);
  const Tensor grow = space.working(1 / (1 - where_else(interior, margin.sigma, 0)));
  return {[gauge = std::move(gauge), grow](const Tensor& d) { return grow * gauge(d); },
          space.working(where_else(interior, margin.kappa, 0)), interior, margin.lipschitz};
}

template <class T>
GuardedSlack guard_slack(double slack, double loss, const std::string& constraint) {
  require_inside(slack, constraint);
  const guard::Scalars<T, double> math;
  const double guarded = guard::guarded_slack(math, slack, loss);
  const double sigma = guard::kRoundings * kUlp<T> + loss / slack;
  require_resolvable<T>(guard::resolvable(math, slack, guarded) ? sigma : 1, constraint, slack);
  return {sigma, guard::reciprocal_slack(math, false, guarded)};
}

template GuardedSlack guard_slack<float>(double, double, const std::string&);
template GuardedSlack guard_slack<double>(double, double, const std::string&);
template void require_reach<float>(double);
template void require_reach<double>(double);
template void require_resolvable<float>(double, const std::string&, double);
template void require_resolvable<double>(double, const std::string&, double);

}  // namespace softradial
