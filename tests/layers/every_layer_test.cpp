// The laws that every constraint layer keeps, on every set of the zoo that it supports.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "softradial/errors.hpp"
#include "softradial/layer.hpp"
#include "softradial/violation.hpp"
#include "support/cotangent_checker.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using support::Batch;

// A method on a set of the zoo.
struct Pair {
  std::string method;
  support::NamedSet named;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.method << " on " << pair.named.name; }

// Small: the laws hold whatever the network has learned.
LayerMethod quick(const std::string& name) {
  LayerMethod method = method_named(name);
  if (auto* hp = std::get_if<Hp>(&method)) *hp = {.couplings = 2, .hidden = 8, .training_steps = 30, .batch = 32};
  return method;
}

LayerPtr<double> layer_of(const Pair& pair) { return make_layer<double>(pair.named.set, quick(pair.method)); }

bool supported(const std::string& method, const Set& set) {
  try {
    static_cast<void>(make_layer<double>(set, quick(method)));
    return true;
  } catch (const InvalidSet&) {
    return false;
  }
}

// RP, HoP and HP ask for bounded sets: their rays must have an end.
bool bounded(const support::NamedSet& named) {
  const auto recessions = support::gather(&support::Specimen::recessions);
  return std::ranges::none_of(recessions, [&](const auto& recession) { return recession.member == named.name; });
}

std::vector<Pair> pairs() {
  std::vector<Pair> out;
  for (const std::string_view method : method_names()) {
    const bool rays = method == "ray_scalar" || method == "hop" || method == "hp";
    for (const auto& named : support::set_zoo()) {
      if (rays && !bounded(named)) continue;
      if (supported(std::string(method), named.set)) out.push_back({std::string(method), named});
    }
  }
  return out;
}

struct NameOfPair {
  template <class Info>
  std::string operator()(const Info& info) const {
    return info.param.method + "_" + info.param.named.name;
  }
};

template <class T>
Batch<T> inputs(const Layer<T>& layer, double scale, std::size_t count, std::uint64_t seed) {
  support::RandomPoints random(seed);
  return support::rows_at_scales<T>(random, Eigen::VectorXd::Zero(static_cast<Eigen::Index>(layer.input_dim())),
                                    {scale}, count);
}

class EveryLayer : public testing::TestWithParam<Pair> {};

TEST_P(EveryLayer, CotangentsAreThoseOfFiniteDifferences) {
  const auto layer = layer_of(GetParam());
  support::RandomPoints random(7);
  int checked = 0;
  for (const double scale : {0.3, 1.0, 3.0}) {
    for (int trial = 0; trial < 3; ++trial) {
      const Eigen::VectorXd u = scale * random.gaussian(layer->input_dim());
      const Eigen::VectorXd grad_x = random.gaussian(layer->dim());
      Batch<double> in(1, layer->input_dim());
      Batch<double> x(1, layer->dim());
      Batch<double> state(1, layer->state_dim());
      Batch<double> g(1, layer->dim());
      Batch<double> grad_u(1, layer->input_dim());
      in.set(0, u);
      g.set(0, grad_x);
      layer->project(in.view(), x.rows(), state.rows());
      layer->project_vjp(in.view(), x.view(), state.view(), g.view(), grad_u.rows());
      const auto map = [&](const Eigen::VectorXd& at) {
        Batch<double> here(1, layer->input_dim());
        Batch<double> there(1, layer->dim());
        here.set(0, at);
        layer->project(here.view(), there.rows(), {});
        return there.get(0);
      };
      const auto report = support::check_cotangent(map, u, grad_x, grad_u.get(0));
      checked += report.checked;
      // HP's x is as exact as its bisection: 2^-40 of the ray, over the step of the differences.
      EXPECT_LE(report.error, GetParam().method == "hp" ? 1e-5 : 1e-7) << "u = " << u.transpose();
    }
  }
  EXPECT_GT(checked, 0);
}

TEST_P(EveryLayer, ARowIsTheSameAloneAndInABatch) {
  const auto layer = layer_of(GetParam());
  const auto u = inputs<double>(*layer, 2, 5, 3);
  Batch<double> x(5, layer->dim());
  layer->project(u.view(), x.rows(), {});
  for (std::size_t i = 0; i < 5; ++i) {
    Batch<double> alone(1, layer->dim());
    layer->project(u.view().slice(i, 1), alone.rows(), {});
    // Matrix products of other shapes sum in another order.
    EXPECT_LE((alone.get(0) - x.get(i)).cwiseAbs().maxCoeff(), 1e-12 * (1 + x.get(i).cwiseAbs().maxCoeff()));
  }
}

TEST_P(EveryLayer, ARowThatIsNotFiniteSpoilsItselfOnly) {
  const auto layer = layer_of(GetParam());
  const auto good = inputs<double>(*layer, 1, 3, 5);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Batch<double> u = good;
    u[1][0] = bad;
    Batch<double> x(3, layer->dim());
    Batch<double> expected(3, layer->dim());
    layer->project(u.view(), x.rows(), {});
    layer->project(good.view(), expected.rows(), {});
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
      EXPECT_LE((x.get(i) - expected.get(i)).cwiseAbs().maxCoeff(),
                1e-12 * (1 + expected.get(i).cwiseAbs().maxCoeff()));
    }
  }
}

// Methods that promise points of the set.
bool strict(const std::string& method) { return method != "soft_penalty" && method != "dc3" && method != "hardnet"; }

// Every method but the penalty, which enforces nothing.
class ObeyingLayer : public testing::TestWithParam<Pair> {};

TEST_P(ObeyingLayer, EvaluationEndsInTheSet) {
  ViolationMeter meter(GetParam().named.set);
  const auto layer = layer_of(GetParam());
  for (const double scale : {1.0, 1e3, 1e6}) {
    const auto u = inputs<double>(*layer, scale, 20, 11);
    Batch<double> x(20, layer->dim());
    Batch<double> trained(20, layer->dim());
    layer->evaluate(u.view(), x.rows());
    layer->project(u.view(), trained.rows(), {});
    for (std::size_t i = 0; i < 20; ++i) {
      // Solutions of systems carry rounding of the size of what is projected: u, or where unrolled steps took it.
      const double size = scale + x.get(i).cwiseAbs().maxCoeff() + trained.get(i).cwiseAbs().maxCoeff();
      const double tolerance = 1e-11 * (1 + size);
      EXPECT_LE(meter(x[i]).worst(), tolerance) << "scale " << scale;
      if (strict(GetParam().method)) {
        EXPECT_LE(meter(trained[i]).worst(), tolerance);
      }
    }
  }
}

TEST_P(EveryLayer, SinglePrecisionFollowsDouble) {
  const auto wide = layer_of(GetParam());
  const auto narrow = make_layer<float>(GetParam().named.set, quick(GetParam().method));
  const auto u = inputs<float>(*narrow, 1.5, 10, 13);
  Batch<double> same(10, wide->input_dim());
  for (std::size_t i = 0; i < 10; ++i) same.set(i, u.get(i));
  Batch<float> x(10, narrow->dim());
  Batch<double> expected(10, wide->dim());
  narrow->project(u.view(), x.rows(), {});
  wide->project(same.view(), expected.rows(), {});
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_LE((x.get(i) - expected.get(i)).cwiseAbs().maxCoeff(), 2e-4 * (1 + expected.get(i).cwiseAbs().maxCoeff()));
  }
}

std::vector<Pair> obeying_pairs() {
  std::vector<Pair> out = pairs();
  std::erase_if(out, [](const Pair& pair) { return pair.method == "soft_penalty"; });
  return out;
}
INSTANTIATE_TEST_SUITE_P(Zoo, ObeyingLayer, testing::ValuesIn(obeying_pairs()), NameOfPair());
INSTANTIATE_TEST_SUITE_P(Zoo, EveryLayer, testing::ValuesIn(pairs()), NameOfPair());

}  // namespace
}  // namespace softradial
