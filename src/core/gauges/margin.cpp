#include "gauges/margin.hpp"

#include "sets/number_text.hpp"
#include "softradial/errors.hpp"

namespace softradial {

template <class T>
Margin general_margin(double lipschitz, std::size_t terms, const Eigen::VectorXd& u0, double setup_error) {
  const double half_terms = static_cast<double>(terms) / 2;
  return {.sigma = kUlp<T> * (kRoundings + half_terms + lipschitz * u0.norm()) + setup_error,
          .kappa = kUlp<T> * (half_terms + 2) * lipschitz,
          .lipschitz = lipschitz};
}

template <class T>
void require_resolvable(double sigma, const std::string& constraint, double slack) {
  constexpr double kMostSigma = 0.25;
  if (sigma < kMostSigma) return;
  throw AnchorNotInterior("anchor: " + constraint + " has slack " + number_text(slack) + ", too little for " +
                          (sizeof(T) == 4 ? "single" : "double") + " precision");
}

void require_inside(double slack, const std::string& constraint) {
  if (slack > 0) return;
  throw AnchorNotInterior("anchor: " + constraint + " has slack " + number_text(slack));
}

template Margin general_margin<float>(double, std::size_t, const Eigen::VectorXd&, double);
template Margin general_margin<double>(double, std::size_t, const Eigen::VectorXd&, double);
template void require_resolvable<float>(double, const std::string&, double);
template void require_resolvable<double>(double, const std::string&, double);

}  // namespace softradial
