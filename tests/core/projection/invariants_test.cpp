// The laws that every map onto every set keeps, in both precisions: one function, run over the whole zoo. A new set joins
// by being added to the zoo.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "reference/dense_jacobian.hpp"
#include "reference/exact_judge.hpp"
#include "reference/ray_exit.hpp"
#include "support/batch.hpp"
#include "support/point_layer.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using reference::ExactJudge;
using reference::Verdict;
using support::Batch;
using support::NamedSet;
using support::RandomPoints;

constexpr std::size_t kRowsPerScale = 12;

bool is_hard(const Method& method) { return std::holds_alternative<HardRadial>(method); }

// A layer with the batch that every law looks at.
template <class T>
struct Subject {
  Projection<T> layer;
  Workspace<T> workspace;
  Eigen::VectorXd anchor;  // rounded to T, as the layer uses it
  Batch<T> u;
  Batch<T> x;

  Subject(const Set& set, const Method& method, RandomPoints& random)
      : layer(set, method),
        workspace(layer.make_workspace()),
        anchor(layer.anchor().point.template cast<T>().template cast<double>()),
        u(support::rows_at_scales<T>(random, anchor, support::all_scales<T>(), kRowsPerScale)),
        x(project(u)) {}

  [[nodiscard]] Batch<T> project(const Batch<T>& rows) {
    Batch<T> out(rows.count(), rows.dim());
    layer.project(rows.view(), out.rows(), workspace);
    return out;
  }
  [[nodiscard]] Eigen::VectorXd direction(std::size_t i) const {
    const Eigen::MatrixXd& normals = layer.anchor().hull.normals;
    Eigen::VectorXd d = u.get(i) - anchor;
    // Twice: the first pass leaves the rounding error of what it removes.
    for (int pass = 0; pass < 2; ++pass) d -= normals.transpose() * (normals * d).eval();
    return d;
  }
};

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

template <class T>
void is_strictly_feasible(const Subject<T>& s) {
  const ExactJudge judge(s.layer.set(), s.layer.anchor().hull);
  for (std::size_t i = 0; i < s.x.count(); ++i) {
    const Verdict verdict = judge.judge(s.x[i]);
    EXPECT_TRUE(verdict.inside) << "row " << i << ": slack " << verdict.slack << ", u = " << s.u.get(i).transpose()
                                << ", x = " << s.x.get(i).transpose();
    EXPECT_LE(verdict.residual, reference::kResidualUlps * std::numeric_limits<T>::epsilon())
        << "row " << i << ": u = " << s.u.get(i).transpose() << ", x = " << s.x.get(i).transpose();
  }
}

// To a few ulp: the hull's projection rounds.
template <class T>
void fixes_the_anchor(Subject<T>& s) {
  Batch<T> row(1, s.layer.dim());
  row.set(0, s.anchor);
  const Eigen::VectorXd moved = s.project(row).get(0) - s.anchor;
  EXPECT_LE(moved.cwiseAbs().maxCoeff(), 4 * std::numeric_limits<T>::epsilon() * s.anchor.cwiseAbs().maxCoeff());
}

// x - u0 = t (u - u0) with 0 <= t <= 1 on the hull: the part of x - u0 across the ray is rounding.
template <class T>
void keeps_the_direction(const Subject<T>& s) {
  for (std::size_t i = 0; i < s.u.count(); ++i) {
    const Eigen::VectorXd moved = s.x.get(i) - s.anchor;
    const Eigen::VectorXd d = s.direction(i);
    if (!(d.norm() > 0) || !std::isfinite(d.squaredNorm())) continue;
    const Eigen::VectorXd v = d / d.norm();
    const double along = moved.dot(v);
    // d is rounded relative to u and to the anchor, which may be much longer than what is left on the hull; so is x.
    const double ends = s.anchor.norm() + s.u.get(i).norm();
    const double u_noise = 16 * std::numeric_limits<T>::epsilon() * (ends / d.norm()) * moved.norm();
    const double x_noise = 16 * std::numeric_limits<T>::epsilon() * (s.anchor.norm() + moved.norm());
    EXPECT_GE(along, -x_noise) << "row " << i;
    EXPECT_LE((moved - along * v).norm(), u_noise + x_noise) << "row " << i;
  }
}

// Every image has a preimage, p^-1(p(u)) = u on the hull. An error e in x becomes e / (smallest singular value of J) in u.
template <class T>
void round_trips(Subject<T>& s) {
  Batch<T> back(s.x.count(), s.x.dim());
  s.layer.inverse(s.x.view(), back.rows(), s.workspace);
  for (std::size_t i = 0; i < s.u.count(); ++i) {
    EXPECT_TRUE(back.get(i).allFinite()) << "row " << i << ": x = " << s.x.get(i).transpose() << " has no preimage";
    const double distance = s.direction(i).norm();
    if (!(distance < 1e4)) continue;
    const Eigen::MatrixXd jacobian = s.layer.jacobian(s.u[i]).template cast<double>();
    const double smallest = reference::singular_values_on_hull(jacobian, s.layer.anchor().hull).minCoeff();
    const double x_noise = 64 * std::numeric_limits<T>::epsilon() * (s.x.get(i).norm() + s.anchor.norm());
    const double tolerance = x_noise / smallest + 64 * std::numeric_limits<T>::epsilon() * distance;
    // Where the error bar is as long as the ray itself, the precision holds no information on u.
    if (!(tolerance < distance / 8)) continue;
    const Eigen::VectorXd u_on_hull = s.anchor + s.direction(i);
    EXPECT_LE((back.get(i) - u_on_hull).norm(), tolerance)
        << "row " << i << ": u = " << u_on_hull.transpose() << ", back = " << back.get(i).transpose();
  }
}

// log|det J| = sum of the logarithms of the singular values on the hull.
template <class T>
void log_det_agrees_with_the_dense_jacobian(Subject<T>& s) {
  std::vector<T> log_det(s.u.count());
  s.layer.log_abs_det(s.u.view(), log_det, s.workspace);
  for (std::size_t i = 0; i < s.u.count(); ++i) {
    if (!(s.direction(i).norm() < 1e4)) continue;
    const Eigen::MatrixXd jacobian = s.layer.jacobian(s.u[i]).template cast<double>();
    const Eigen::VectorXd singular = reference::singular_values_on_hull(jacobian, s.layer.anchor().hull);
    const double condition = singular.maxCoeff() / singular.minCoeff();
    if (condition * std::numeric_limits<T>::epsilon() > 1e-3) {
      // Singular to the precision: the closed form must not claim otherwise.
      if (is_hard(s.layer.method())) {
        EXPECT_EQ(log_det[i], -std::numeric_limits<T>::infinity()) << "row " << i;
      }
      continue;
    }
    const double tolerance = 64 * std::numeric_limits<T>::epsilon() * condition * static_cast<double>(singular.size());
    EXPECT_NEAR(log_det[i], singular.array().log().sum(), tolerance) << "row " << i;
  }
}

// slack(u) = 1 - gamma(p(u) - u0) > 0, with gamma by bisection on the constraints.
template <class T>
void slack_is_one_minus_gauge(Subject<T>& s) {
  std::vector<T> slack(s.u.count());
  s.layer.slack(s.u.view(), slack, s.workspace);
  const auto gauge = s.layer.set()->template gauge<T>({s.anchor, s.layer.anchor().hull});
  for (std::size_t i = 0; i < s.u.count(); ++i) {
    EXPECT_GT(slack[i], 0) << "row " << i;
    const Eigen::VectorXd moved = s.x.get(i) - s.anchor;
    if (!(moved.norm() < 1e6)) continue;
    const auto gamma = static_cast<double>(reference::gauge_by_bisection(*s.layer.set(), s.anchor, moved));
    // The guard, twice, and the resolution of x as the gauge sees it.
    const double resolution = std::numeric_limits<T>::epsilon() * (s.anchor.norm() + moved.norm());
    const double tolerance = 2 * gauge->sigma() +
                             (2 * gauge->kappa() + 16 * std::numeric_limits<T>::epsilon()) * moved.norm() +
                             16 * gauge->lipschitz() * resolution + 16 * std::numeric_limits<T>::epsilon();
    EXPECT_LE(slack[i], 1 - gamma + tolerance) << "row " << i << ": x = " << s.x.get(i).transpose();
    // The factor of a quadratic's P is known to 8 n ulp of double: its guard adds f |d|^2 to gamma^2, which shows along
    // the null space of a singular P.
    const double size = gauge->lipschitz() * moved.norm();
    const double factor_guard = 64 * std::numeric_limits<double>::epsilon() * size * size;
    EXPECT_GE(slack[i], 1 - std::sqrt(gamma * gamma + factor_guard) - tolerance)
        << "row " << i << ": x = " << s.x.get(i).transpose();
  }
}

template <class T>
void gradients_are_finite(Subject<T>& s, RandomPoints& random) {
  Batch<T> grad_x(s.u.count(), s.u.dim());
  for (std::size_t i = 0; i < grad_x.count(); ++i) grad_x.set(i, random.gaussian(s.u.dim()));
  Batch<T> grad_u(s.u.count(), s.u.dim());
  Batch<T> tangent_x(s.u.count(), s.u.dim());
  s.layer.project_vjp(s.u.view(), grad_x.view(), grad_u.rows(), s.workspace);
  s.layer.project_jvp(s.u.view(), grad_x.view(), tangent_x.rows(), s.workspace);
  for (std::size_t i = 0; i < s.u.count(); ++i) {
    EXPECT_TRUE(grad_u.get(i).allFinite()) << "row " << i << ": u = " << s.u.get(i).transpose();
    EXPECT_TRUE(tangent_x.get(i).allFinite()) << "row " << i << ": u = " << s.u.get(i).transpose();
  }
}

// With what the forward pass left behind, the backward pass gives the same bits as without.
template <class T>
void row_state_changes_nothing(Subject<T>& s, RandomPoints& random) {
  Batch<T> grad_x(s.u.count(), s.u.dim()), with(s.u.count(), s.u.dim()), without(s.u.count(), s.u.dim());
  for (std::size_t i = 0; i < grad_x.count(); ++i) grad_x.set(i, random.gaussian(s.u.dim()));
  std::vector<RowState<T>> state(s.u.count());
  Batch<T> x(s.u.count(), s.u.dim());
  s.layer.project(s.u.view(), x.rows(), s.workspace, state);
  s.layer.project_vjp(s.u.view(), grad_x.view(), with.rows(), s.workspace, state);
  s.layer.project_vjp(s.u.view(), grad_x.view(), without.rows(), s.workspace);
  EXPECT_TRUE(same_bits<T>(x.data(), s.x.data()));
  EXPECT_TRUE(same_bits<T>(with.data(), without.data()));
  // Every byte of a state is written, whatever was there.
  std::vector<RowState<T>> used(s.u.count());
  std::memset(static_cast<void*>(used.data()), 0xFF, used.size() * sizeof(RowState<T>));
  s.layer.project(s.u.view(), x.rows(), s.workspace, used);
  EXPECT_EQ(std::memcmp(used.data(), state.data(), used.size() * sizeof(RowState<T>)), 0);
}

// A NaN or an infinity makes its own row NaN, is counted, and leaves the others alone, to the bit.
template <class T>
void bad_rows_stay_alone(Subject<T>& s) {
  Batch<T> spoiled = s.u;
  const std::size_t last = s.u.dim() - 1;
  spoiled[1][last] = std::numeric_limits<T>::quiet_NaN();
  spoiled[4][0] = std::numeric_limits<T>::infinity();
  spoiled[7][last] = -std::numeric_limits<T>::infinity();
  Batch<T> out(s.u.count(), s.u.dim());
  EXPECT_EQ(s.layer.project(spoiled.view(), out.rows(), s.workspace), 3U);
  EXPECT_EQ(s.layer.project(s.u.view(), out.rows(), s.workspace), 0U);
  s.layer.project(spoiled.view(), out.rows(), s.workspace);
  Batch<T> in_place = spoiled;
  s.layer.project(in_place.view(), in_place.rows(), s.workspace);
  Batch<T> grad_u(s.u.count(), s.u.dim()), grad_spoiled(s.u.count(), s.u.dim());
  s.layer.project_vjp(s.u.view(), s.u.view(), grad_u.rows(), s.workspace);
  s.layer.project_vjp(spoiled.view(), s.u.view(), grad_spoiled.rows(), s.workspace);
  for (std::size_t i = 0; i < s.u.count(); ++i) {
    if (i == 1 || i == 4 || i == 7) {
      EXPECT_TRUE(out.get(i).array().isNaN().all()) << "row " << i;
      EXPECT_TRUE(grad_spoiled.get(i).array().isNaN().all()) << "row " << i;
    } else {
      EXPECT_TRUE(same_bits<T>(out[i], s.x[i])) << "row " << i;
      EXPECT_TRUE(same_bits<T>(in_place[i], s.x[i])) << "row " << i;
      EXPECT_TRUE(same_bits<T>(grad_spoiled[i], grad_u[i])) << "row " << i;
    }
  }
}

template <class T>
void a_row_alone_is_the_row_in_the_batch(Subject<T>& s) {
  Batch<T> one(1, s.u.dim());
  for (std::size_t i = 0; i < s.u.count(); ++i) {
    s.layer.project(s.u.view().slice(i, 1), one.rows(), s.workspace);
    EXPECT_TRUE(same_bits<T>(one[0], s.x[i])) << "row " << i;
  }
}

template <class T>
void threads_change_nothing(Subject<T>& s) {
  // Enough rows for several blocks.
  Batch<T> many(6 * s.u.count(), s.u.dim());
  for (std::size_t i = 0; i < many.count(); ++i) std::ranges::copy(s.u[i % s.u.count()], many[i].begin());
  const Batch<T> expected_x = s.project(many);
  Batch<T> expected_grad(many.count(), many.dim());
  s.layer.project_vjp(many.view(), expected_x.view(), expected_grad.rows(), s.workspace);
  for (int threads : {2, 3}) {
    const Projection<T> layer(s.layer.set(), s.layer.method(), {.threads = threads});
    Workspace<T> workspace = layer.make_workspace();
    Batch<T> x(many.count(), many.dim()), grad(many.count(), many.dim());
    layer.project(many.view(), x.rows(), workspace);
    layer.project_vjp(many.view(), x.view(), grad.rows(), workspace);
    EXPECT_TRUE(same_bits<T>(x.data(), expected_x.data())) << threads << " threads";
    EXPECT_TRUE(same_bits<T>(grad.data(), expected_grad.data())) << threads << " threads";
  }
}

template <class T>
void strides_and_places_change_nothing(Subject<T>& s) {
  const std::size_t wide = s.u.dim() + 3;
  const T mark = T(7);
  std::vector<T> in(s.u.count() * wide, mark), out(s.u.count() * wide, mark);
  const Rows<T> strided_in = Rows<T>(in.data(), s.u.count(), wide).columns(1, s.u.dim());
  const Rows<T> strided_out = Rows<T>(out.data(), s.u.count(), wide).columns(2, s.u.dim());
  for (std::size_t i = 0; i < s.u.count(); ++i) std::ranges::copy(s.u[i], strided_in[i].begin());
  s.layer.project(strided_in, strided_out, s.workspace);
  for (std::size_t i = 0; i < s.u.count(); ++i) {
    EXPECT_TRUE(same_bits<T>(strided_out[i], s.x[i])) << "row " << i;
    EXPECT_EQ(out[i * wide], mark);
    EXPECT_EQ(out[i * wide + wide - 1], mark);
  }
  // In place.
  s.layer.project(strided_in, strided_in, s.workspace);
  for (std::size_t i = 0; i < s.u.count(); ++i) EXPECT_TRUE(same_bits<T>(strided_in[i], s.x[i])) << i;
}

template <class T>
void empty_batches_are_ordinary(Subject<T>& s) {
  Batch<T> none(0, s.u.dim());
  std::vector<T> numbers;
  EXPECT_NO_THROW(s.layer.project(none.rows(), none.rows(), s.workspace));
  EXPECT_NO_THROW(s.layer.project_vjp(none.rows(), none.rows(), none.rows(), s.workspace));
  EXPECT_NO_THROW(s.layer.project_jvp(none.rows(), none.rows(), none.rows(), s.workspace));
  EXPECT_NO_THROW(s.layer.inverse(none.rows(), none.rows(), s.workspace));
  EXPECT_NO_THROW(s.layer.log_abs_det(none.rows(), numbers, s.workspace));
  EXPECT_NO_THROW(s.layer.slack(none.rows(), numbers, s.workspace));
}

template <class T>
void check_invariants(const Set& set, const Method& method) {
  RandomPoints random(20240607);
  Subject<T> subject(set, method, random);
  is_strictly_feasible(subject);
  fixes_the_anchor(subject);
  keeps_the_direction(subject);
  round_trips(subject);
  log_det_agrees_with_the_dense_jacobian(subject);
  slack_is_one_minus_gauge(subject);
  gradients_are_finite(subject, random);
  row_state_changes_nothing(subject, random);
  bad_rows_stay_alone(subject);
  a_row_alone_is_the_row_in_the_batch(subject);
  threads_change_nothing(subject);
  strides_and_places_change_nothing(subject);
  empty_batches_are_ordinary(subject);
}

struct NamedMethod {
  std::string name;
  Method method;
};

std::vector<NamedMethod> methods() {
  return {{"soft rational", SoftRadial{}},
          {"soft exponential", SoftRadial{.contraction = Contraction::exponential, .lambda = 0.5}},
          {"soft hyperbolic", SoftRadial{.contraction = Contraction::hyperbolic, .lambda = 2, .epsilon = 0.1}},
          {"hard", HardRadial{}},
          {"gauge map rational", GaugeMap{}},
          {"gauge map exponential", GaugeMap{.contraction = Contraction::exponential, .lambda = 2}},
          {"gauge map hyperbolic", GaugeMap{.contraction = Contraction::hyperbolic, .lambda = 0.5}}};
}

class Invariants : public ::testing::TestWithParam<NamedSet> {};

TEST_P(Invariants, HoldInFloat) {
  for (const NamedMethod& m : methods()) {
    SCOPED_TRACE(m.name);
    check_invariants<float>(GetParam().set, m.method);
  }
}

TEST_P(Invariants, HoldInDouble) {
  for (const NamedMethod& m : methods()) {
    SCOPED_TRACE(m.name);
    check_invariants<double>(GetParam().set, m.method);
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Invariants, ::testing::ValuesIn(support::set_zoo()), support::NameOfSet());
INSTANTIATE_TEST_SUITE_P(MixedUnits, Invariants, ::testing::ValuesIn(support::gather(&support::Specimen::mixed_units)),
                         support::NameOfSet());

}  // namespace
}  // namespace softradial
