#include "reference/paper_projection.hpp"

#include <algorithm>
#include <cmath>

#include "reference/ray_exit.hpp"

namespace softradial::reference {
namespace {

// The part of u - u0 that runs along the hull.
Eigen::VectorXd direction_on_hull(const Eigen::VectorXd& anchor, const AffineHull& hull, const Eigen::VectorXd& u) {
  const Eigen::VectorXd d = u - anchor;
  return d - hull.normals.transpose() * (hull.normals * d);
}

}  // namespace

long double contraction(const SoftRadial& method, long double rho) {
  const long double lambda = method.lambda;
  const long double epsilon = method.epsilon;
  switch (method.contraction) {
    case Contraction::rational:
      return epsilon + (1 - epsilon) * (rho / (rho + lambda));
    case Contraction::exponential:
      return epsilon + (1 - epsilon) * (1 - std::exp(-rho / lambda));
    case Contraction::hyperbolic:
      break;
  }
  return epsilon + (1 - epsilon) * std::tanh(rho / lambda);
}

long double contraction_slope(const SoftRadial& method, long double rho) {
  const long double lambda = method.lambda;
  const long double scale = 1 - static_cast<long double>(method.epsilon);
  switch (method.contraction) {
    case Contraction::rational:
      return scale * lambda / ((rho + lambda) * (rho + lambda));
    case Contraction::exponential:
      return scale * std::exp(-rho / lambda) / lambda;
    case Contraction::hyperbolic:
      break;
  }
  return scale / (std::cosh(rho / lambda) * std::cosh(rho / lambda)) / lambda;
}

long double alpha_star(const ConvexSet& set, const Eigen::VectorXd& anchor, const Eigen::VectorXd& u) {
  return std::min(1.0L, ray_exit(set, anchor, u - anchor));
}

Eigen::VectorXd hard_radial(const ConvexSet& set, const Eigen::VectorXd& anchor, const AffineHull& hull,
                            const Eigen::VectorXd& u) {
  const Eigen::VectorXd d = direction_on_hull(anchor, hull, u);
  const long double alpha = std::min(1.0L, ray_exit(set, anchor, d));
  return anchor + static_cast<double>(alpha) * d;
}

Eigen::VectorXd soft_radial(const SoftRadial& method, const ConvexSet& set, const Eigen::VectorXd& anchor,
                            const AffineHull& hull, const Eigen::VectorXd& u) {
  const Eigen::VectorXd q = hard_radial(set, anchor, hull, u);
  const long double rho = direction_on_hull(anchor, hull, u).cast<long double>().squaredNorm();
  return anchor + static_cast<double>(contraction(method, rho)) * (q - anchor);
}

Eigen::VectorXd gauge_map(const GaugeMap& method, const ConvexSet& set, const Eigen::VectorXd& anchor,
                          const AffineHull& hull, const Eigen::VectorXd& u) {
  const Eigen::VectorXd d = direction_on_hull(anchor, hull, u);
  const long double gamma = gauge_by_bisection(set, anchor, d);
  const long double z = gamma / method.lambda;
  long double s = z / (1 + z);
  if (method.contraction == Contraction::exponential) s = 1 - std::exp(-z);
  if (method.contraction == Contraction::hyperbolic) s = std::tanh(z);
  const long double phi = gamma > 0 ? s / gamma : 1 / static_cast<long double>(method.lambda);
  return anchor + static_cast<double>(phi) * d;
}

}  // namespace softradial::reference
