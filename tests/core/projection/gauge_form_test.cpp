// The closed forms that gauges state as data, evaluated slowly, against what the gauges and the maps themselves return.

#include "softradial/gauge_form.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/closed_form.hpp"
#include "softradial/projection.hpp"
#include "softradial/sets.hpp"
#include "support/batch.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::Batch;
using support::NamedSet;
using support::RandomPoints;

const std::vector<double> kScales = {1e-3, 1, 1e3};
constexpr std::size_t kRowsPerScale = 30;

template <class T>
constexpr double kUlp = std::numeric_limits<T>::epsilon();

// A gauge of precision T in units of its exact value, which the form has up to double precision: after its sums over d,
// which kappa |d| bounds, no more than 4 operations, an ulp each. What double precision itself leaves open (the roots of
// level functions, above all) the guard of the double gauge bounds by its sigma, for the gauge and for the reference.
template <class T>
double rounding_of(double gamma, double length, double kappa, double sigma_in_double) {
  constexpr double kOperations = 4;
  return (kOperations * kUlp<T> + 2 * sigma_in_double) * gamma + kappa * length;
}

Anchor anchor_of(const Set& set) { return set.anchor() ? check_anchor(set, *set.anchor()) : require_anchor(set); }

template <class T>
void form_is_the_gauge(const Set& set, RandomPoints& random) {
  const Anchor anchor = anchor_of(set);
  const VectorXd u0 = anchor.point.cast<T>().template cast<double>();
  const GaugePtr<T> gauge = set->gauge<T>({u0, anchor.hull});
  const GaugeForm form = gauge->form();
  const double sigma_in_double = set->gauge<double>({u0, anchor.hull})->sigma();

  const Batch<T> d = support::rows_at_scales<T>(random, VectorXd::Zero(u0.size()), kScales, kRowsPerScale);
  std::vector<GaugeAt<T>> at(d.count());
  gauge->evaluate(d.view(), at, *gauge->make_scratch(d.count()));
  for (std::size_t i = 0; i < d.count(); ++i) {
    const double expected = reference::evaluate(form, d.get(i));
    EXPECT_NEAR(at[i].gamma, expected, rounding_of<T>(expected, d.get(i).norm(), gauge->kappa(), sigma_in_double))
        << "d = " << d.get(i).transpose();
  }
}

// With s = z / (1 + z) of the gauge, a map's slack is 1 / (1 + gamma): the guarded gauge can be read from it.
// d = P_hull(u - u0) is rounded by at most ulp (dim / 2 + 4) (|u| + |u0|), which the gauge turns into its Lipschitz
// constant's multiple; the slack's slope is slack^2, and its own two operations round by an ulp.
template <class T>
void form_is_the_map(const Set& set, RandomPoints& random) {
  const Projection<T> layer(set, GaugeMap{});
  const MapForm form = layer.evaluator().form();
  const Batch<T> u = support::rows_at_scales<T>(random, form.anchor, kScales, kRowsPerScale);
  std::vector<T> slack(u.count());
  auto workspace = layer.make_workspace();
  layer.slack(u.view(), slack, workspace);
  const double direction_error = kUlp<T> * (static_cast<double>(u.dim()) / 2 + 4) * form.lipschitz;
  for (std::size_t i = 0; i < u.count(); ++i) {
    VectorXd d = u.get(i) - form.anchor;
    // Twice: normals that are rounded to T leave an ulp of what the first pass removes.
    for (int pass = 0; pass < 2; ++pass) d -= form.normals.transpose() * (form.normals * d).eval();
    const double gamma = reference::evaluate(form.gauge, d) + form.kappa * d.norm();
    const double gamma_error = rounding_of<T>(gamma, d.norm(), form.kappa, form.sigma) +
                               direction_error * (u.get(i).norm() + form.anchor.norm());
    const double expected = 1 / (1 + gamma);
    EXPECT_NEAR(slack[i], expected, expected * (expected * gamma_error + kUlp<T>)) << "u = " << u.get(i).transpose();
  }
}

template <class T>
void map_states_its_own_numbers(const Set& set) {
  const Projection<T> layer(set);
  const MapForm form = layer.evaluator().form();
  EXPECT_EQ(form.anchor, layer.anchor().point.template cast<T>().template cast<double>());
  EXPECT_EQ(form.normals, layer.anchor().hull.normals.template cast<T>().template cast<double>());
  const GaugePtr<T> gauge = set->gauge<T>({form.anchor, layer.anchor().hull});
  EXPECT_EQ(form.sigma, gauge->sigma());
  EXPECT_EQ(form.lipschitz, gauge->lipschitz());
  // Rounded up to the next number of T but one at the most.
  EXPECT_GE(form.kappa, gauge->kappa());
  EXPECT_LE(form.kappa, gauge->kappa() * (1 + 2 * kUlp<T>));
}

class GaugeFormOfSet : public ::testing::TestWithParam<NamedSet> {
 protected:
  RandomPoints random_{17};
};

TEST_P(GaugeFormOfSet, IsWhatTheGaugeReturns) {
  form_is_the_gauge<float>(GetParam().set, random_);
  form_is_the_gauge<double>(GetParam().set, random_);
}

TEST_P(GaugeFormOfSet, IsWhatTheMapUses) {
  form_is_the_map<float>(GetParam().set, random_);
  form_is_the_map<double>(GetParam().set, random_);
}

TEST_P(GaugeFormOfSet, ComesWithTheNumbersOfTheMap) {
  map_states_its_own_numbers<float>(GetParam().set);
  map_states_its_own_numbers<double>(GetParam().set);
}

INSTANTIATE_TEST_SUITE_P(Zoo, GaugeFormOfSet, ::testing::ValuesIn(support::set_zoo()), support::NameOfSet());

// Small sets far from the origin: in single precision their sigma is hundreds of ulp or more, so that a form whose numbers
// lack it is not the gauge.
std::vector<NamedSet> far_away() {
  const VectorXd c = VectorXd{{100, -70.3}};
  const VectorXd off_centre = c + VectorXd{{0.01, -0.02}};
  const MatrixXd I = MatrixXd::Identity(2, 2);
  const MatrixXd R = MatrixXd{{0.6, -0.8}, {0.8, 0.5}};
  const MatrixXd J = MatrixXd{{1, 0}, {0, -1}};
  const MatrixXd K = MatrixXd{{0, 1}, {1, 0}};
  const auto value = [c](std::span<const double> x) {
    return std::pow(x[0] - c[0], 2) + 2 * std::pow(x[1] - c[1], 2) - 0.01;
  };
  const auto gradient = [c](std::span<const double> x, std::span<double> out) {
    out[0] = 2 * (x[0] - c[0]);
    out[1] = 4 * (x[1] - c[1]);
  };
  const MatrixXd A = MatrixXd{{-1, 0}, {0, -1}, {1, 1}};
  const VectorXd b = A * c + VectorXd::Constant(3, 0.1);
  return {{"box", Box(c.array() - 0.1, c.array() + 0.2)},
          {"polyhedron", Polyhedron(A, b)},
          {"polyhedron_sparse", Polyhedron(SparseMatrix(A.sparseView()), b)},
          {"ellipsoid", Set(Ellipsoid(c, 100 * R.transpose() * R)).with_anchor(off_centre)},
          {"cone", SecondOrderCone(R, -R * c, VectorXd::Zero(2), 0.1)},
          {"lmi", Lmi({MatrixXd(0.1 * I - c[0] * J - c[1] * K), J, K})},
          {"lp_ball", LpBall(c, 0.1, 1.5)},
          {"lp_ball_off_centre", Set(LpBall(c, 0.1, 4)).with_anchor(off_centre)},
          {"log_sum_exp", LogSumExp(3, 1000)},
          {"level_set", Set(LevelSet(2, value, gradient)).with_anchor(c)},
          {"intersection", Intersection({Box(c.array() - 0.1, c.array() + 0.2), Ball(off_centre, 0.1)})},
          {"affine_preimage", AffinePreimage(Ball(VectorXd::Zero(2), 1), 10 * R, -10 * R * c)},
          {"scaled", Scaled(Ball(c / 10, 0.01), 10)}};
}

INSTANTIATE_TEST_SUITE_P(FarAway, GaugeFormOfSet, ::testing::ValuesIn(far_away()), support::NameOfSet());

GaugeForm form_of(const Set& set) {
  const Anchor anchor = anchor_of(set);
  return set->gauge<double>({anchor.point, anchor.hull})->form();
}

template <class Function>
bool has_function(const GaugeForm& form) {
  return std::holds_alternative<Function>(std::get<LevelForm>(form).function);
}

Set level_set_by_name(const std::string& name) { return support::from_zoo({name}).front().set; }

TEST(GaugeForm, LevelFunctionsOfTheLibraryAreData) {
  EXPECT_TRUE(has_function<LpDistanceForm>(form_of(level_set_by_name("lp_ball_4_off_centre"))));
  EXPECT_TRUE(has_function<LogSumExpForm>(form_of(level_set_by_name("log_sum_exp"))));
  const auto kl_ball = std::get<MaxForm>(form_of(level_set_by_name("kl_ball")));
  EXPECT_TRUE(has_function<DivergenceForm>(kl_ball.parts.front().form));
}

TEST(GaugeForm, CallablesAreGivenAsThemselves) {
  EXPECT_TRUE(has_function<std::shared_ptr<const ConvexFunction>>(form_of(level_set_by_name("level_set"))));
}

TEST(GaugeForm, CopiesAreValues) {
  GaugeForm form = form_of(level_set_by_name("scaled_product"));
  const GaugeForm copy = form;
  const VectorXd d = VectorXd::LinSpaced(4, -1, 2);
  const double before = reference::evaluate(copy, d);
  form = NormForm{.scale = 1, .p = 2};
  EXPECT_EQ(reference::evaluate(copy, d), before);
  EXPECT_EQ(reference::evaluate(form, d), d.norm());
}

// A sparse polyhedron and the same one given densely state the same rows.
TEST(GaugeForm, SparseRowsAreStatedDensely) {
  const MatrixXd A = MatrixXd{{1, 0, -0.5}, {0, 2, 0}, {-1, 0, 0}};
  const VectorXd b = VectorXd::Ones(3);
  const auto anchored = [](const Set& set) { return set.with_anchor(VectorXd::Constant(3, 0.1)); };
  const GaugeForm dense = form_of(anchored(Polyhedron(A, b)));
  const GaugeForm sparse = form_of(anchored(Polyhedron(SparseMatrix(A.sparseView()), b)));
  EXPECT_EQ(std::get<RowsForm>(dense).W, std::get<RowsForm>(sparse).W);
}

}  // namespace
}  // namespace softradial
