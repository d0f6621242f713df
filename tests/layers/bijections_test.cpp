// The laws of the layers that are one-to-one onto the interior, besides the maps of the core, on every set that they take.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/dense_jacobian.hpp"
#include "reference/exact_judge.hpp"
#include "softradial/errors.hpp"
#include "softradial/layer.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::Batch;

struct Pair {
  std::string name;
  LayerMethod method;
  support::NamedSet named;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name << " on " << pair.named.name; }

std::vector<std::pair<std::string, LayerMethod>> bijections() {
  return {{"soft_orthogonal", SoftOrthogonal{}},
          {"soft_orthogonal_wide", SoftOrthogonal{.kappa = 0.2, .delta = 0.1}},
          {"mirror", Mirror{}},
          {"mirror_cold", Mirror{.temperature = 0.1}}};
}

std::vector<Pair> pairs() {
  std::vector<Pair> out;
  for (const auto& [name, method] : bijections()) {
    for (const auto& named : support::set_zoo()) {
      try {
        static_cast<void>(make_layer<float>(named.set, method));
        out.push_back({name, method, named});
      } catch (const InvalidSet&) {
        continue;
      }
    }
  }
  return out;
}

// A layer with vectors instead of batches.
class OnePoint {
 public:
  explicit OnePoint(const Pair& pair) : layer_(make_layer<double>(pair.named.set, pair.method)) {}

  [[nodiscard]] VectorXd project(const VectorXd& u) const {
    VectorXd x(u.size());
    layer_->project(row(u), row(x), {});
    return x;
  }
  [[nodiscard]] VectorXd vjp(const VectorXd& u, const VectorXd& g) const {
    VectorXd x(u.size());
    VectorXd out(u.size());
    std::vector<double> state(layer_->state_dim());
    const Rows<double> states(state.data(), 1, state.size());
    layer_->project(row(u), row(x), states);
    layer_->project_vjp(row(u), row(std::as_const(x)), states, row(g), row(out));
    return out;
  }
  [[nodiscard]] VectorXd jvp(const VectorXd& u, const VectorXd& v) const {
    VectorXd out(u.size());
    layer_->project_jvp(row(u), row(v), row(out));
    return out;
  }
  [[nodiscard]] VectorXd inverse(const VectorXd& x) const {
    VectorXd u(x.size());
    layer_->inverse(row(x), row(u));
    return u;
  }
  [[nodiscard]] double log_abs_det(const VectorXd& u) const {
    double out = 0;
    layer_->log_abs_det(row(u), {&out, 1});
    return out;
  }
  [[nodiscard]] MatrixXd jacobian(const VectorXd& u) const {
    MatrixXd J(u.size(), u.size());
    for (Eigen::Index j = 0; j < u.size(); ++j) J.col(j) = jvp(u, VectorXd::Unit(u.size(), j));
    return J;
  }

 private:
  static Rows<const double> row(const VectorXd& v) { return {v.data(), 1, static_cast<std::size_t>(v.size())}; }
  static Rows<double> row(VectorXd& v) { return {v.data(), 1, static_cast<std::size_t>(v.size())}; }

  LayerPtr<double> layer_;
};

class BijectiveLayer : public testing::TestWithParam<Pair> {
 protected:
  Set set_ = GetParam().named.set;
  Anchor anchor_ = set_.anchor() ? check_anchor(set_, *set_.anchor()) : require_anchor(set_);
  support::RandomPoints random_{21};

  [[nodiscard]] VectorXd point(double scale) { return anchor_.point + scale * random_.gaussian(set_.dim()); }

  template <class T>
  void expect_strictly_inside() {
    const auto layer = make_layer<T>(set_, GetParam().method);
    const reference::ExactJudge judge(set_, anchor_.hull);
    Batch<T> u = support::rows_at_scales<T>(random_, anchor_.point, support::all_scales<T>(), 12);
    // Ties, single coordinates, denormal differences.
    for (std::size_t i = 0; i < u.count(); i += 4) {
      const T size = u[i][0];
      for (std::size_t j = 0; j < u.dim(); ++j) u[i][j] = j % 2 == 0 ? size : -size;
      if (i % 8 == 0) std::ranges::fill(u[i], size);
      if (i % 12 == 0) u[i][u.dim() - 1] = std::nextafter(size, T{0});
    }
    Batch<T> x(u.count(), u.dim());
    layer->project(u.view(), x.rows(), {});
    for (std::size_t i = 0; i < u.count(); ++i) {
      const auto verdict = judge.judge(std::span<const T>(x[i]));
      EXPECT_TRUE(verdict.inside) << "u = " << u.get(i).transpose() << ", x = " << x.get(i).transpose();
      EXPECT_LE(verdict.residual, reference::kResidualUlps * std::numeric_limits<T>::epsilon())
          << "u = " << u.get(i).transpose() << ", x = " << x.get(i).transpose();
    }
  }

  template <class T>
  void expect_finite_gradients() {
    const auto layer = make_layer<T>(set_, GetParam().method);
    const Batch<T> u = support::rows_at_scales<T>(random_, anchor_.point, support::all_scales<T>(), 6);
    Batch<T> x(u.count(), u.dim());
    Batch<T> state(u.count(), layer->state_dim());
    Batch<T> g(u.count(), u.dim());
    Batch<T> grad_u(u.count(), u.dim());
    for (std::size_t i = 0; i < g.count(); ++i) g.set(i, random_.gaussian(g.dim()));
    layer->project(u.view(), x.rows(), state.rows());
    layer->project_vjp(u.view(), x.view(), state.view(), g.view(), grad_u.rows());
    for (std::size_t i = 0; i < u.count(); ++i) {
      EXPECT_TRUE(grad_u.get(i).allFinite()) << "u = " << u.get(i).transpose();
    }
  }
};

TEST_P(BijectiveLayer, ResultsAreStrictlyInside) {
  expect_strictly_inside<float>();
  expect_strictly_inside<double>();
}

TEST_P(BijectiveLayer, GradientsAreFinite) {
  expect_finite_gradients<float>();
  expect_finite_gradients<double>();
}

// The error of x, over the smallest singular value.
TEST_P(BijectiveLayer, InverseUndoesTheProjection) {
  const OnePoint layer(GetParam());
  for (const double scale : {0.1, 0.5, 1.0, 2.0}) {
    for (int trial = 0; trial < 5; ++trial) {
      const VectorXd u = anchor_.hull.project(point(scale));
      const VectorXd x = layer.project(u);
      const VectorXd back = layer.inverse(x);
      ASSERT_TRUE(back.allFinite()) << "x = " << x.transpose();
      EXPECT_LE((anchor_.hull.project(back) - back).cwiseAbs().maxCoeff(), 1e-12 * (1 + back.cwiseAbs().maxCoeff()));
      const VectorXd singular = reference::singular_values_on_hull(layer.jacobian(u), anchor_.hull);
      const double smallest = singular.size() > 0 ? singular.minCoeff() : 1;
      EXPECT_LE((back - u).norm(), 1e-11 * (1 + u.norm()) + 1e-13 * (1 + x.norm()) / smallest) << u.transpose();
    }
  }
}

TEST_P(BijectiveLayer, ProjectionUndoesTheInverse) {
  const OnePoint layer(GetParam());
  for (int trial = 0; trial < 20; ++trial) {
    const VectorXd x = layer.project(point(std::exp(random_.uniform(-3, 6))));
    const VectorXd u = layer.inverse(x);
    ASSERT_TRUE(u.allFinite()) << "x = " << x.transpose();
    // The normal of a curved boundary carries the rounding of x over the width of the shell.
    EXPECT_LE((layer.project(u) - x).norm(), 1e-12 * (1 + x.norm()) * (1 + (u - x).norm())) << "x = " << x.transpose();
  }
}

TEST_P(BijectiveLayer, PointsOutsideHaveNoInverse) {
  const OnePoint layer(GetParam());
  for (int trial = 0; trial < 20; ++trial) {
    const VectorXd x = point(std::exp(random_.uniform(0, 3)));
    std::vector<double> slacks(set_->num_inequalities());
    set_->slacks({x.data(), set_.dim()}, slacks);
    const bool inside = std::ranges::all_of(slacks, [](double slack) { return slack > 0; });
    const bool on_hull = (anchor_.hull.project(x) - x).norm() <= 1e-9;
    if (inside && on_hull) continue;
    EXPECT_TRUE(layer.inverse(x).array().isNaN().all()) << "x = " << x.transpose();
  }
}

TEST_P(BijectiveLayer, TangentsAndCotangentsAreOfOneJacobian) {
  const OnePoint layer(GetParam());
  for (const double scale : {0.3, 1.0, 3.0}) {
    const VectorXd u = point(scale);
    const VectorXd g = random_.gaussian(set_.dim());
    const VectorXd v = random_.gaussian(set_.dim());
    const double along = g.dot(layer.jvp(u, v));
    EXPECT_NEAR(layer.vjp(u, g).dot(v), along, 1e-9 * (1 + std::abs(along)));
  }
}

TEST_P(BijectiveLayer, LogDetIsThatOfTheDenseJacobian) {
  const OnePoint layer(GetParam());
  for (const double scale : {0.3, 1.0, 3.0}) {
    for (int trial = 0; trial < 5; ++trial) {
      const VectorXd u = point(scale);
      const VectorXd singular = reference::singular_values_on_hull(layer.jacobian(u), anchor_.hull);
      // Below this the Jacobian, which is formed from x, has too few digits.
      if (singular.size() > 0 && singular.minCoeff() < 1e-8 * std::max(1.0, singular.maxCoeff())) continue;
      EXPECT_NEAR(layer.log_abs_det(u), singular.array().log().sum(), 1e-6) << "u = " << u.transpose();
    }
  }
}

TEST_P(BijectiveLayer, ARowThatIsNotFiniteIsNotANumber) {
  const OnePoint layer(GetParam());
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    VectorXd u = point(1);
    u[u.size() - 1] = bad;
    EXPECT_TRUE(layer.project(u).array().isNaN().all());
    EXPECT_TRUE(std::isnan(layer.log_abs_det(u)));
    EXPECT_TRUE(layer.inverse(u).array().isNaN().all());
  }
}

struct NameOfPair {
  template <class Info>
  std::string operator()(const Info& info) const {
    return info.param.name + "_" + info.param.named.name;
  }
};
INSTANTIATE_TEST_SUITE_P(Zoo, BijectiveLayer, testing::ValuesIn(pairs()), NameOfPair());

TEST(Bijections, OthersSayThatTheyHaveNoInverse) {
  for (const std::string_view name : method_names()) {
    const LayerMethod method = method_named(name);
    if (has_inverse(method) || name == "hp") continue;
    const auto layer = make_layer<double>(
        name == "hardnet_aff" ? Set(Box(VectorXd::Zero(2), VectorXd::Ones(2))) : Set(Simplex(3)), method);
    VectorXd x(3);
    EXPECT_THROW(layer->inverse({x.data(), 1, 3}, {x.data(), 1, 3}), NotAvailable) << name;
    EXPECT_THROW(layer->log_abs_det({x.data(), 1, 3}, {x.data(), 1}), NotAvailable) << name;
    EXPECT_THROW(layer->project_jvp({x.data(), 1, 3}, {x.data(), 1, 3}, {x.data(), 1, 3}), NotAvailable) << name;
  }
}

}  // namespace
}  // namespace softradial
