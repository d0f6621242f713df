// The theorems of docs/math/soft_orthogonal.md, each by its name.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/dense_jacobian.hpp"
#include "reference/exact_judge.hpp"
#include "softradial/layer.hpp"
#include "softradial/sets.hpp"
#include "support/point_layer.hpp"
#include "support/random_points.hpp"
#include "support/vectors.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::apply;
using support::vec;

struct Case {
  const char* name;
  Set set;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

Set triangle() { return Polyhedron((MatrixXd(3, 2) << -1, 0, 0, -1, 1, 1).finished(), vec({0, 0, 1})); }

std::vector<Case> cases() {
  MatrixXd E(1, 3);
  E << 1, 2, 1;
  return {{"triangle", triangle()},
          {"capped_simplex", CappedSimplex(4, 0.4)},
          {"simplex", Simplex(5, 2)},
          {"box", Box(vec({-1, 0, 2}), vec({1, 2, 3}))},
          {"half_open_box", Box(vec({0, -std::numeric_limits<double>::infinity()}), vec({1, 2}))},
          {"ball", Ball(vec({1, 2, 0}), 2)},
          {"half_space", Polyhedron((MatrixXd(1, 2) << 1, 2).finished(), vec({1}))},
          {"flat", Polyhedron(-MatrixXd::Identity(3, 3), vec({0, 0, 0}), E, vec({1}))},
          {"ball_and_half_plane",
           Intersection({Ball(vec({0, 0}), 1), Polyhedron((MatrixXd(1, 2) << 1, 1).finished(), vec({0.5}))})}};
}

class SoftOrthogonalTheorem : public testing::TestWithParam<Case> {
 protected:
  Set set_ = GetParam().set;
  Anchor anchor_ = require_anchor(set_);
  SoftOrthogonal method_{.kappa = 0.05, .delta = 0.02};
  LayerPtr<double> layer_ = make_layer<double>(set_, method_);
  LayerPtr<double> nearest_ = make_layer<double>(set_, Orthogonal{});
  support::RandomPoints random_{5};

  [[nodiscard]] VectorXd point(double scale) {
    return anchor_.hull.project(anchor_.point + scale * random_.gaussian(set_.dim()));
  }
  [[nodiscard]] static Rows<const double> row(const VectorXd& v) {
    return {v.data(), 1, static_cast<std::size_t>(v.size())};
  }
  [[nodiscard]] static Rows<double> row(VectorXd& v) { return {v.data(), 1, static_cast<std::size_t>(v.size())}; }
  [[nodiscard]] VectorXd inverse(const VectorXd& x) const {
    VectorXd u(x.size());
    layer_->inverse(row(x), row(u));
    return u;
  }
  [[nodiscard]] MatrixXd jacobian(const VectorXd& u) const {
    MatrixXd J(u.size(), u.size());
    VectorXd column(u.size());
    for (Eigen::Index j = 0; j < u.size(); ++j) {
      const VectorXd unit = VectorXd::Unit(u.size(), j);
      layer_->project_jvp(row(u), row(unit), row(column));
      J.col(j) = column;
    }
    return J;
  }
  // The nearest point of the shrunk set.
  [[nodiscard]] VectorXd nearest_in_shrunk(const VectorXd& u) const {
    const double shrink = 1 - method_.delta;
    return anchor_.point + shrink * (apply(*nearest_, anchor_.point + (u - anchor_.point) / shrink) - anchor_.point);
  }
};

// Every interior point, also in the outermost part of the shell, is the image of exactly one point.
TEST_P(SoftOrthogonalTheorem, IsABijectionOntoTheInterior) {
  const reference::ExactJudge judge(set_, anchor_.hull);
  for (int trial = 0; trial < 60; ++trial) {
    const VectorXd u = point(std::exp(random_.uniform(-2, 3)));
    const VectorXd x = apply(*layer_, u);
    EXPECT_TRUE(judge.judge(std::span<const double>(x.data(), set_.dim())).inside) << x.transpose();
    // x was rounded; near the boundary u moves by (distance of u)^2 / kappa times that.
    const double stretch = 1 + (u - x).squaredNorm() / (method_.kappa * method_.delta * method_.delta);
    EXPECT_LE((inverse(x) - u).norm(), 1e-12 * stretch * (1 + u.norm())) << u.transpose();
    // Another interior point: a share of the way from the anchor to x, up to the shell.
    const VectorXd inner = anchor_.point + random_.uniform(0, 1) * (x - anchor_.point);
    EXPECT_LE((apply(*layer_, inverse(inner)) - inner).norm(), 1e-11 * (1 + inner.norm())) << inner.transpose();
  }
}

TEST_P(SoftOrthogonalTheorem, JacobianIsInvertibleWhereverItExists) {
  for (int trial = 0; trial < 40; ++trial) {
    const VectorXd u = point(std::exp(random_.uniform(-2, 2)));
    const VectorXd singular = reference::singular_values_on_hull(jacobian(u), anchor_.hull);
    const VectorXd w = u - nearest_in_shrunk(u);
    // phi^2 / kappa along w and phi across it are the smallest that are possible, up to the tilt of the gauge's gradient.
    const double phi = w.norm() > 0 ? (apply(*layer_, u) - nearest_in_shrunk(u)).norm() / w.norm() : 1;
    EXPECT_GT(singular.minCoeff(), 1e-3 * phi * phi) << u.transpose();
  }
}

TEST_P(SoftOrthogonalTheorem, JacobianIsThatOfFiniteDifferences) {
  int checked = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const VectorXd u = point(1.5);
    const auto map = [&](const VectorXd& at) { return apply(*layer_, at); };
    const MatrixXd coarse = reference::dense_jacobian(map, u, 1e-5);
    const MatrixXd fine = reference::dense_jacobian(map, u, 1e-6);
    if ((coarse - fine).cwiseAbs().maxCoeff() > 1e-6) continue;  // a kink is near
    EXPECT_LE((jacobian(u) - fine).cwiseAbs().maxCoeff(), 1e-6) << u.transpose();
    ++checked;
  }
  EXPECT_GT(checked, 5);
}

TEST_P(SoftOrthogonalTheorem, IsTheIdentityDeepInside) {
  for (int trial = 0; trial < 20; ++trial) {
    const VectorXd x = apply(*nearest_, point(2));
    const VectorXd inside = anchor_.point + random_.uniform(0, 1 - 1.01 * method_.delta) * (x - anchor_.point);
    EXPECT_LE((apply(*layer_, inside) - inside).norm(), 1e-13 * (1 + inside.norm()));
  }
}

// The leak saturates: however far u is, x lies between the nearest point of the shrunk set and the boundary.
TEST_P(SoftOrthogonalTheorem, StaysInTheShellOfTheProjection) {
  for (const double scale : {1.0, 10.0, 1e3}) {
    for (int trial = 0; trial < 10; ++trial) {
      const VectorXd u = point(scale);
      const VectorXd p = nearest_in_shrunk(u);
      const VectorXd x = apply(*layer_, u);
      const VectorXd w = u - p;
      if (w.norm() < 1e-6) continue;
      EXPECT_LE((x - p - w * ((x - p).dot(w) / w.squaredNorm())).norm(), 1e-11 * (1 + scale));
      // One and a half times as far along the ray as the boundary allows is outside.
      std::vector<double> slacks(set_->num_inequalities());
      const VectorXd beyond = p + w.normalized() * (x - p).norm() * (1 + method_.kappa * scale * 1e6);
      set_->slacks({beyond.data(), set_.dim()}, slacks);
      if (scale > 1) {
        EXPECT_LT(*std::ranges::min_element(slacks), 0);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, SoftOrthogonalTheorem, testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

// A linear cost whose minimiser over the set is a vertex: never attained, approached as u moves against the cost.
TEST(SoftOrthogonalInfima, AreEqualAndNotAttained) {
  const struct {
    Set set;
    VectorXd cost;
    VectorXd minimiser;
  } programmes[] = {{triangle(), vec({-1, -2}), vec({0, 1})},
                    {CappedSimplex(4, 0.4), vec({3, 1, 2, 4}), vec({0.2, 0.4, 0.4, 0})},
                    {Ball(vec({1, 2}), 2), vec({3, 4}), vec({1 - 1.2, 2 - 1.6})}};
  for (const auto& [set, cost, minimiser] : programmes) {
    const auto layer = make_layer<double>(set, SoftOrthogonal{});
    const double optimum = cost.dot(minimiser);
    const VectorXd anchor = require_anchor(set).point;
    support::RandomPoints random(1);
    for (int trial = 0; trial < 200; ++trial) {
      EXPECT_GT(cost.dot(apply(*layer, anchor + std::exp(random.uniform(-2, 4)) * random.gaussian(set.dim()))),
                optimum);
    }
    const double at_anchor = cost.dot(anchor) - optimum;
    double before = at_anchor;
    for (const double t : {10.0, 1e3, 1e5, 1e7}) {
      // Along the ray from the shrunk vertex through the vertex the saturated leak ends there.
      const double gap = cost.dot(apply(*layer, minimiser + t * (minimiser - anchor))) - optimum;
      EXPECT_GT(gap, 0);
      // The nearest point of u is known up to the rounding of u.
      EXPECT_LT(gap, before + 8 * std::numeric_limits<double>::epsilon() * t);
      before = gap;
    }
    EXPECT_LT(before, 1e-5 * at_anchor);
  }
}

// A side of a few ulp: the smaller set keeps away from it, so that nothing is divided by a slack of 0; where it has no room,
// the layer is refused.
TEST(SoftOrthogonalOnThinBoxes, AreStrictWithTangentsAndDeterminants) {
  for (const double width : {1e-2, 1e-4, 1e-5, 4e-6, 1e-6, 3e-7, 1e-8}) {
    SCOPED_TRACE(width);
    const Set set = Box(vec({0, 1, -1}), vec({1e-4, 1 + width, 1}));
    LayerPtr<float> layer;
    try {
      layer = make_layer<float>(set, SoftOrthogonal{});
    } catch (const Error& error) {
      EXPECT_LE(width, 1e-6) << error.what();
      continue;
    }
    EXPECT_GE(width, 3e-7);
    const std::vector<float> u = {52260.36F, 0.998915F, 5.2e-4F, 2, 0.5F, 0, -1, 1e9F, 3, 5e-5F, 1, 0.1F};
    std::vector<float> x(u.size());
    std::vector<float> tangent(u.size());
    std::vector<float> gradient(u.size());
    std::vector<float> log_det(4);
    std::vector<float> state(4 * layer->state_dim());
    const std::vector<float> v = {1, 0.5F, -0.3F, 0.2F, 1, 1, -1, 2, 0, 0.7F, 0.1F, -2};
    const Rows<const float> rows(u.data(), 4, 3);
    const Rows<const float> directions(v.data(), 4, 3);
    layer->project(rows, {x.data(), 4, 3}, {state.data(), 4, layer->state_dim()});
    layer->project_jvp(rows, directions, {tangent.data(), 4, 3});
    layer->project_vjp(rows, {x.data(), 4, 3}, {state.data(), 4, layer->state_dim()}, directions,
                       {gradient.data(), 4, 3});
    layer->log_abs_det(rows, log_det);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(std::isfinite(log_det[i])) << i;
      EXPECT_TRUE(x[3 * i + 1] > 1 && static_cast<double>(x[3 * i + 1]) < 1 + width) << i;
      // v.(J v) = (J'v).v
      double forward = 0;
      double backward = 0;
      double size = 0;
      for (std::size_t j = 3 * i; j < 3 * i + 3; ++j) {
        forward += static_cast<double>(v[j]) * tangent[j];
        backward += static_cast<double>(v[j]) * gradient[j];
        size += std::abs(static_cast<double>(v[j]) * tangent[j]) + std::abs(static_cast<double>(v[j]) * gradient[j]);
      }
      EXPECT_NEAR(forward, backward, 1e-3 * size) << i;
    }
  }
}

}  // namespace
}  // namespace softradial
