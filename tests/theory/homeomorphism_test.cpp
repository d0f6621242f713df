// Theorem "Homeomorphism": p is a continuous bijection of R^n (of the hull, where C is flat) onto the interior of C, with a
// continuous inverse.

#include <algorithm>

#include "reference/dense_jacobian.hpp"
#include "reference/exact_judge.hpp"
#include "theory/on_several_sets.hpp"

namespace softradial::theory {
namespace {

class Homeomorphism : public OnSeveralSets {
 protected:
  // A point of the interior: a share in [0, 0.98] of the way to the boundary, at most 50 away.
  VectorXd interior_point() {
    const VectorXd v = random_.unit_on(anchor_.hull);
    return anchor_.point + random_.uniform(0, 0.98) * std::min(50.0, 1 / gauge_.value(v)) * v;
  }
};

TEST_P(Homeomorphism, InverseUndoesTheProjection) {
  for (const SoftRadial& method : contractions()) {
    SCOPED_TRACE(name_of(method.contraction));
    support::PointLayer soft = layer(method);
    for (int k = 0; k < 60; ++k) {
      const VectorXd u = point(random_.uniform(0, 5));
      const VectorXd x = soft.project(u);
      const double smallest = reference::singular_values_on_hull(soft.jacobian(u), anchor_.hull).minCoeff();
      EXPECT_LT((soft.inverse(x) - u).norm(), 1e-12 + 1e-13 * (1 + x.norm()) / smallest) << "u = " << u.transpose();
    }
  }
}

TEST_P(Homeomorphism, ProjectionUndoesTheInverse) {
  for (const SoftRadial& method : contractions()) {
    SCOPED_TRACE(name_of(method.contraction));
    support::PointLayer soft = layer(method);
    for (int k = 0; k < 60; ++k) {
      const VectorXd x = interior_point();
      const VectorXd u = soft.inverse(x);
      ASSERT_TRUE(u.allFinite()) << "x = " << x.transpose();
      EXPECT_LT((soft.project(u) - x).norm(), 1e-12 * (1 + x.norm())) << "x = " << x.transpose();
    }
  }
}

TEST_P(Homeomorphism, EveryImageIsInterior) {
  support::PointLayer soft = layer(SoftRadial{});
  const reference::ExactJudge judge(set_, anchor_.hull);
  for (int k = 0; k < 200; ++k) {
    const VectorXd x = soft.project(point(std::exp(random_.uniform(-20, 60))));
    EXPECT_TRUE(judge.judge(std::span<const double>(x.data(), set_.dim())).inside) << "x = " << x.transpose();
  }
}

// Distinct points have distinct images, and by no less than the smallest singular value between them promises.
TEST_P(Homeomorphism, IsInjective) {
  support::PointLayer soft = layer(SoftRadial{});
  std::vector<VectorXd> points, images;
  for (int k = 0; k < 60; ++k) {
    points.push_back(point(random_.uniform(0, 3)));
    // The same ray, a little farther: the pairs that a hard projection would merge.
    points.push_back(anchor_.point + 1.05 * (points.back() - anchor_.point));
  }
  for (const VectorXd& u : points) images.push_back(soft.project(u));
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GT((images[i] - images[j]).norm(), 1e-5 * delta_ * std::min(1.0, (points[i] - points[j]).norm()));
    }
  }
}

TEST_P(Homeomorphism, InverseIsContinuous) {
  support::PointLayer soft = layer(SoftRadial{});
  for (int k = 0; k < 30; ++k) {
    const VectorXd x = interior_point();
    const VectorXd u = soft.inverse(x);
    const double room = delta_ * (1 - std::min(1.0, gauge_.value(x - anchor_.point)));
    const VectorXd direction = random_.unit_on(anchor_.hull);
    double before = std::numeric_limits<double>::infinity();
    for (double size : {0.5, 0.05, 0.005, 0.0005}) {
      const VectorXd step = size * room * direction;
      const double moved = (soft.inverse(x + step) - u).norm();
      EXPECT_LT(moved, before) << "x = " << x.transpose();
      before = moved;
    }
    EXPECT_LT(before, 1e-2 * (1 + (u - anchor_.point).norm()));
  }
}

INSTANTIATE_TEST_SUITE_P(Theory, Homeomorphism, ::testing::ValuesIn(several_sets()), support::NameOfSet());

}  // namespace
}  // namespace softradial::theory
