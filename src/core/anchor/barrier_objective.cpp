#include "anchor/barrier_objective.hpp"

#include <memory>
#include <utility>

#include "anchor/linear_barrier.hpp"

namespace softradial {
namespace {

constexpr int kMaxSteps = 200;

}  // namespace

NewtonObjective barrier_objective(const LinearPart& part) {
  auto linear = std::make_shared<const LinearBarrier>(part);
  return [linear, dim = part.dim()](const Eigen::VectorXd& z) -> std::optional<BarrierTerms> {
    BarrierTerms terms(dim);
    const auto n = static_cast<Eigen::Index>(dim);
    if (!linear->add_to(terms, z.head(n), z[n])) return std::nullopt;
    return terms;
  };
}

NewtonObjective barrier_objective(const LinearPart& part, const ConvexSet& set) {
  auto linear = std::make_shared<const LinearBarrier>(part);
  return [linear, &set](const Eigen::VectorXd& z) -> std::optional<BarrierTerms> {
    const auto n = static_cast<Eigen::Index>(set.dim());
    const Eigen::VectorXd x = z.head(n);
    std::optional<BarrierTerms> terms = set.nonlinear_barrier(x, z[n]);
    if (!terms || !linear->add_to(*terms, x, z[n])) return std::nullopt;
    return terms;
  };
}

NewtonObjective confined(const NewtonObjective& objective, const Eigen::VectorXd& center, double size) {
  return [&objective, &center, weight = 1 / size / size](const Eigen::VectorXd& z) {
    std::optional<BarrierTerms> terms = objective(z);
    if (terms) {
      const Eigen::Index dim = center.size();
      const Eigen::VectorXd away = z.head(dim) - center;
      terms->value += weight * away.squaredNorm() / 2;
      terms->gradient.head(dim) += weight * away;
      terms->hessian.diagonal().head(dim).array() += weight;
    }
    return terms;
  };
}

Eigen::MatrixXd normals_with_t(const AffineHull& hull, bool fix_t) {
  const Eigen::Index codimension = hull.normals.rows();
  const Eigen::Index dim = hull.normals.cols();
  Eigen::MatrixXd normals = Eigen::MatrixXd::Zero(codimension + (fix_t ? 1 : 0), dim + 1);
  normals.topLeftCorner(codimension, dim) = hull.normals;
  if (fix_t) normals(codimension, dim) = 1;
  return normals;
}

Eigen::VectorXd barrier_minimiser(const NewtonObjective& barrier, const AffineHull& hull, const Eigen::VectorXd& start,
                                  double size) {
  const Eigen::MatrixXd normals = normals_with_t(hull, true);
  const Eigen::Index dim = start.size();
  Eigen::VectorXd z(dim + 1);
  z << start, 0;

  NewtonLimits limits;
  limits.max_steps = kMaxSteps;
  limits.enough = [&](const Eigen::VectorXd& at) {
    return (at.head(dim) - start).cwiseAbs().maxCoeff() > kRunaway * size;
  };
  const NewtonResult plain = minimise(barrier, normals, z, limits);
  if (plain.end == NewtonEnd::minimum) return plain.z.head(dim);

  return minimise(confined(barrier, start, size), normals, z, {.max_steps = kMaxSteps}).z.head(dim);
}

}  // namespace softradial
