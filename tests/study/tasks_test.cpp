#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include <cmath>

#include "metrics/block_bootstrap.hpp"
#include "metrics/losses.hpp"
#include "metrics/portfolio_metrics.hpp"
#include "study/instruction_sets.hpp"
#include "study/synthetic_tables.hpp"
#include "tasks/smoothing.hpp"
#include "tasks/trial.hpp"

namespace softradial::study {
namespace {

using torch::Tensor;

at::Generator generator(uint64_t seed) { return at::detail::createCPUGenerator(seed); }

DecisionLayer softmax(int64_t n) {
  return {[](const Tensor& u, bool) { return torch::softmax(u, -1); }, n, n};
}

DecisionLayer equal_weight(int64_t n) {
  return {[n](const Tensor& u, bool) {
            return torch::full({u.size(0), n}, 1.0 / static_cast<double>(n), u.options());
          },
          n, n};
}

// Weights (0.5, 0.5), relatives (1.2, 0.8): gross 1, drifted (0.6, 0.4); going to (0.5, 0.5) moves 0.2 in all.
TEST(PortfolioReturns, KnownValues) {
  Table weights(3, 2), relatives(2, 2);
  weights << 0.5, 0.5, 0.5, 0.5, 1, 0;
  relatives << 1.2, 0.8, 1.1, 1.1;
  const PortfolioReturns r = portfolio_returns(weights, relatives, 0.1);
  EXPECT_NEAR(r.turnover(0), 0.1, 1e-15);
  EXPECT_NEAR(r.cost(0), 0.01, 1e-15);
  EXPECT_NEAR(r.net(0), -0.01, 1e-15);
  EXPECT_NEAR(r.turnover(1), 0.5, 1e-15);
  EXPECT_NEAR(r.net(1), 0.1 - 0.05, 1e-15);
  EXPECT_THROW(portfolio_returns(weights, relatives.topRows(1), 0.1), std::invalid_argument);
}

TEST(PortfolioMetrics, KnownValues) {
  PortfolioReturns r;
  r.net = Eigen::Vector4d(0.1, -0.5, 0.2, 0.1);
  r.turnover = Eigen::Vector4d(0.1, 0.2, 0.3, 0.4);
  r.cost = Eigen::Vector4d(0.01, 0.02, 0.03, 0.04);
  const PortfolioMetrics m = portfolio_metrics(r);
  const double mean = -0.025, deviation = std::sqrt((0.125 * 0.125 * 2 + 0.475 * 0.475 + 0.225 * 0.225) / 3);
  EXPECT_NEAR(m.sharpe, mean / deviation * std::sqrt(252), 1e-12);
  EXPECT_NEAR(m.annual_volatility, deviation * std::sqrt(252), 1e-12);
  EXPECT_NEAR(m.max_drawdown, 0.5, 1e-12);
  EXPECT_NEAR(m.annual_return, std::pow(1.1 * 0.5 * 1.2 * 1.1, 63) - 1, 1e-12);
  EXPECT_NEAR(m.turnover, 0.25, 1e-15);
  EXPECT_NEAR(m.cost, 0.025, 1e-15);
}

// The formulas in small ops, for autograd.
Tensor plain_returns(const Tensor& w, const Tensor& y, const PortfolioLossOptions& o) {
  const Tensor before = w.slice(0, 0, -1), after = w.slice(0, 1);
  const Tensor gross = (before * y).sum(-1);
  const Tensor x = after - before * y / gross.unsqueeze(-1);
  const Tensor moved = o.huber > 0 ? ((o.huber * o.huber + x * x).sqrt() - o.huber).sum(-1) : x.abs().sum(-1);
  return gross - 1 - o.cost / 2 * moved;
}
Tensor plain_sharpe_loss(const Tensor& w, const Tensor& y, const PortfolioLossOptions& o) {
  const Tensor r = plain_returns(w, y, o);
  return -r.mean() / (r.std() + o.deviation_floor);
}

TEST(SharpeLoss, EqualsItsFormulaAndGradient) {
  for (const PortfolioLossOptions& options :
       {PortfolioLossOptions{}, PortfolioLossOptions{.cost = 0}, PortfolioLossOptions{.cost = 0.5, .huber = 0},
        PortfolioLossOptions{.cost = 0.5, .huber = 0.3}}) {
    for (const auto dtype : {torch::kDouble, torch::kFloat}) {
      const Tensor w =
          torch::softmax(torch::randn({9, 5}, generator(1), torch::kDouble), -1).to(dtype).requires_grad_();
      const Tensor y = (1 + 0.05 * torch::randn({8, 5}, generator(2), torch::kDouble)).to(dtype);
      const Tensor expected = plain_sharpe_loss(w, y, options);
      expected.backward();
      Tensor grad = torch::empty_like(y).resize_({9, 5});
      const double loss = sharpe_loss(w, y, options, grad);
      const double tolerance = dtype == torch::kDouble ? 1e-12 : 1e-4;  // the plain formula cancels in g - 1
      EXPECT_NEAR(loss, expected.item<double>(), tolerance);
      EXPECT_LT((grad - w.grad()).abs().max().item<double>() / w.grad().abs().max().item<double>(), tolerance);
    }
  }
}

TEST(VarianceLoss, EqualsItsFormulaAndGradient) {
  const PortfolioLossOptions options{.cost = 0.5, .huber = 0.3};
  const Tensor w = torch::softmax(torch::randn({9, 5}, generator(1), torch::kDouble), -1).requires_grad_();
  const Tensor y = 1 + 0.05 * torch::randn({8, 5}, generator(2), torch::kDouble);
  const Tensor expected = 252 * plain_returns(w, y, options).var();
  expected.backward();
  Tensor grad = torch::empty({9, 5}, torch::kDouble);
  EXPECT_NEAR(variance_loss(w, y, options, grad), expected.item<double>(), 1e-12);
  EXPECT_LT((grad - w.grad()).abs().max().item<double>(), 1e-12);
}

TEST(SharpeLoss, ConstantReturnsHaveAFiniteGradient) {
  const Tensor w = torch::full({5, 2}, 0.5, torch::kDouble);
  const Tensor y = torch::ones({4, 2}, torch::kDouble);
  Tensor grad = torch::empty({5, 2}, torch::kDouble);
  EXPECT_EQ(sharpe_loss(w, y, {}, grad), 0);
  EXPECT_TRUE(grad.isfinite().all().item<bool>());
  EXPECT_THROW(sharpe_loss(w.slice(0, 0, 2), y.slice(0, 0, 1), {}, grad), std::invalid_argument);
}

Tensor plain_served_loss(const Tensor& x, const Tensor& s, const Tensor& d, double tau) {
  const Tensor a = x * s.unsqueeze(-1);
  const Tensor met = -tau * torch::logaddexp(-a / tau, -d / tau);
  return -(met.sum(-1) / d.sum(-1).clamp_min(1)).mean();
}

void expect_served_loss_like_its_formula() {
  for (const int64_t zones : {3, 16, 37}) {
    for (const auto dtype : {torch::kDouble, torch::kFloat}) {
      const Tensor x =
          torch::softmax(torch::randn({6, zones}, generator(1), torch::kDouble), -1).to(dtype).requires_grad_();
      const Tensor d = torch::floor(10 * torch::rand({6, zones}, generator(2), torch::kDouble)).to(dtype);
      const Tensor s = d.sum(-1) + 1;
      for (const double tau : {0.1, 1.0, 5.0}) {
        const Tensor expected = plain_served_loss(x, s, d, tau);
        const Tensor expected_grad = torch::autograd::grad({expected}, {x}).front();
        Tensor grad = torch::empty_like(d);
        const double tolerance = dtype == torch::kDouble ? 1e-12 : 1e-5;
        EXPECT_NEAR(served_loss(x, s, d, tau, grad), expected.item<double>(), tolerance);
        EXPECT_LT((grad - expected_grad).abs().max().item<double>(), tolerance);
      }
    }
  }
}

TEST(ServedRate, EqualsItsFormulaAndGradient) { on_every_instruction_set(expect_served_loss_like_its_formula); }

TEST(ServedRate, SoftMinTendsToTheMinimum) {
  const Tensor x = torch::tensor({{0.2, 0.3, 0.5}}, torch::kDouble);
  const Tensor s = torch::tensor({10.0}, torch::kDouble);
  const Tensor d = torch::tensor({{4.0, 4.0, 4.0}}, torch::kDouble);  // served: 2 + 3 + 4 of 12
  Tensor grad = torch::empty_like(x), hard = torch::empty_like(x);
  EXPECT_NEAR(served_rate(x, s, d), 0.75, 1e-15);
  EXPECT_NEAR(served_loss(x, s, d, 0, hard), -0.75, 1e-15);
  EXPECT_NEAR(served_loss(x, s, d, 1e-3, grad), -0.75, 1e-12);
  EXPECT_LT((grad - hard).abs().max().item<double>(), 1e-12);
  EXPECT_NEAR(hard[0][0].item<double>(), -10.0 / 12, 1e-15);
  EXPECT_EQ(hard[0][2].item<double>(), 0);
  // At a = d the soft minimum is tau log 2 below.
  const Tensor same = torch::tensor({{0.4, 0.4, 0.4}}, torch::kDouble);
  EXPECT_NEAR(served_loss(same, s, d, 2, grad), -(12 - 3 * 2 * std::log(2.0)) / 12, 1e-14);
  EXPECT_NEAR(grad[0][1].item<double>(), -10.0 / 12 / 2, 1e-15);
  EXPECT_THROW(served_loss(x, s, d, -1, grad), std::invalid_argument);
}

TEST(ServedRate, AnEmptyHourCountsAsOneRequest) {
  const Tensor x = torch::tensor({{0.5, 0.5}}, torch::kDouble);
  EXPECT_EQ(served_rate(x, torch::ones({1}, torch::kDouble), torch::zeros({1, 2}, torch::kDouble)), 0);
}

template <class Task>
void expect_gradient(Task& task) {
  at::Generator chance = generator(1);
  task.initialize(chance);
  task.begin_epoch(chance);
  const Tensor state = chance.get_state();
  const auto loss = [&] {
    at::Generator same = generator(0);
    same.set_state(state);
    return task.loss_and_gradient(1, same);
  };
  loss();
  const Tensor gradient = task.parameters().gradients().clone();
  Tensor values = task.parameters().values();
  const Tensor v = torch::randn(values.sizes(), generator(2), torch::kDouble);
  constexpr double kStep = 1e-6;
  values.add_(v, kStep);
  const double up = loss();
  values.sub_(v, 2 * kStep);
  const double down = loss();
  EXPECT_NEAR((gradient * v).sum().item<double>(), (up - down) / (2 * kStep), 1e-6);
}

PortfolioData small_portfolio(const PriceTable& prices) {
  return make_portfolio_data(prices, {prices.dates[300], prices.dates[400]}, 5);
}

TEST(PortfolioTask, GradientMatchesFiniteDifferences) {
  const PortfolioData data = small_portfolio(random_prices(500, 4, 1));
  DecisionLayer layer = softmax(4);
  layer.penalty = [](const Tensor& x) { return x.square().sum(); };
  for (const double cost : {0.0, 0.3}) {
    for (const auto objective : {PortfolioObjective::net, PortfolioObjective::variance}) {
      for (const auto kind : {PortfolioModelKind::lstm, PortfolioModelKind::shared}) {
        PortfolioTask task(data,
                           {.kind = kind,
                            .hidden = 5,
                            .batch = 32,
                            .cost = cost,
                            .huber = 0.01,
                            .objective = objective,
                            .smoothing = cost,
                            .dtype = torch::kDouble},
                           layer);
        expect_gradient(task);
      }
    }
  }
}

TEST(DispatchTask, GradientMatchesFiniteDifferences) {
  const DispatchData data = make_dispatch_data(random_demand(300, 4, 1), {}, 6);
  DispatchTask task(data, {.hidden = 5, .batch = 32, .dtype = torch::kDouble}, softmax(4));
  expect_gradient(task);
}

// Permuting the assets permutes the decisions of a model that all assets share.
TEST(PortfolioTask, ASharedModelTreatsAssetsAlike) {
  const PriceTable prices = random_prices(300, 4, 3);
  PriceTable turned = prices;
  for (Eigen::Index i = 0; i < 4; ++i) turned.prices.col(i) = prices.prices.col((i + 1) % 4);
  const auto weights = [](const PriceTable& table) {
    const PortfolioData data =
        make_portfolio_data(table, {table.dates[200], table.dates[250]}, 5, FeaturePooling::assets);
    PortfolioTask task(data, {.kind = PortfolioModelKind::shared, .hidden = 5, .dtype = torch::kDouble}, softmax(4));
    at::Generator chance = generator(1);
    task.initialize(chance);
    return task.weights(task.splits().test);
  };
  const Tensor before = weights(prices);
  EXPECT_GT(before.std().item<double>(), 1e-4);
  EXPECT_LT((weights(turned) - before.roll(-1, 1)).abs().max().item<double>(), 1e-9);
}

// Each coordinate of a smoothed decision lies between those of the two that it is made of, to the bit.
TEST(Smoothing, StaysBetweenItsPoints) {
  for (const double s : {0.1, 0.5, 0.9, 0.999}) {
    const Tensor x = torch::rand({200, 5}, generator(1), torch::kFloat);
    Tensor smoothed = x.clone();
    smooth_rows(smoothed, s);
    EXPECT_TRUE(torch::equal(smoothed[0], x[0]));
    const Tensor before = smoothed.slice(0, 0, -1), after = smoothed.slice(0, 1), given = x.slice(0, 1);
    EXPECT_TRUE((after <= torch::max(before, given)).all().item<bool>());
    EXPECT_TRUE((after >= torch::min(before, given)).all().item<bool>());
    EXPECT_NEAR(std::pow(s, static_cast<double>(smoothing_memory(s))), 1e-6, 1e-6);
  }
  EXPECT_EQ(smoothing_memory(0), 0);
}

// Decisions depend on those before, not on the period that is asked for.
TEST(PortfolioTask, SmoothedDecisionsOfADayAreTheSameInEveryPeriod) {
  const PortfolioData data = small_portfolio(random_prices(500, 4, 1));
  PortfolioTask task(data, {.hidden = 5, .smoothing = 0.8, .dtype = torch::kDouble}, softmax(4));
  at::Generator chance = generator(1);
  task.initialize(chance);
  const Tensor all = task.weights({300, 500 - 1});
  const Tensor last = task.weights({450, 500 - 1});
  EXPECT_LT((all.slice(0, 150) - last).abs().max().item<double>(), 1e-6);
  EXPECT_GT((all.slice(0, 1) - all.slice(0, 0, -1)).abs().max().item<double>(), 0);
}

// A layer that gives its anchor back leaves the portfolio to drift: nothing is bought or sold.
TEST(PortfolioTask, DriftedAnchorsAloneTradeNothing) {
  const PortfolioData data = small_portfolio(random_prices(500, 4, 1));
  DecisionLayer layer = softmax(4);
  layer.moving_anchor = MovingAnchor{[](const Tensor& u, const Tensor& anchors, bool) { return u * 0 + anchors; },
                                     [](const Tensor& points) { return points; }};
  PortfolioTask task(data, {.hidden = 5, .anchor = PortfolioAnchor::drifted, .dtype = torch::kDouble}, layer);
  EXPECT_LT(task.evaluate(task.splits().test).metrics.turnover, 1e-12);
  EXPECT_THROW(PortfolioTask(data, {.anchor = PortfolioAnchor::drifted}, softmax(4)), DataError);
}

TEST(BlockBootstrap, CoversTheTruthAndIsTheSameAgain) {
  // 400 rows in blocks of 10 equal numbers: the deviation of their mean is that of 40 independent ones.
  const Tensor drawn = torch::randn({40}, generator(5), torch::kDouble).repeat_interleave(10);
  const double* const numbers = drawn.data_ptr<double>();
  const auto mean = [&](std::span<const int64_t> rows) {
    double sum = 0;
    for (const int64_t row : rows) sum += numbers[row];
    return std::vector<double>{sum / static_cast<double>(rows.size())};
  };
  const Interval wide = block_bootstrap(400, mean, {.block = 40, .resamples = 300})[0];
  EXPECT_NEAR(wide.value, drawn.mean().item<double>(), 1e-12);
  const double deviation = drawn.std().item<double>() / std::sqrt(40.0);
  EXPECT_NEAR(wide.high - wide.low, 2 * 1.96 * deviation, 0.35 * deviation * 4);
  EXPECT_LT(wide.low, wide.value);
  EXPECT_GT(wide.high, wide.value);
  EXPECT_EQ(block_bootstrap(400, mean, {.block = 40, .resamples = 300})[0], wide);
  const Interval narrow = block_bootstrap(400, mean, {.block = 1, .resamples = 300})[0];
  EXPECT_LT(narrow.high - narrow.low, 0.5 * (wide.high - wide.low)) << "rows that are drawn alone forget each other";
  EXPECT_THROW(block_bootstrap(0, mean), std::invalid_argument);
}

TEST(PortfolioTask, GrossObjectiveTrainsWithoutCost) {
  const PortfolioData data = small_portfolio(random_prices(500, 4, 1));
  const auto loss = [&](double cost, PortfolioObjective objective) {
    PortfolioTask task(data, {.hidden = 5, .batch = 32, .cost = cost, .objective = objective}, softmax(4));
    at::Generator chance = generator(1);
    task.initialize(chance);
    task.begin_epoch(chance);
    return task.loss_and_gradient(0, chance);
  };
  EXPECT_EQ(loss(0.5, PortfolioObjective::gross), loss(0, PortfolioObjective::net));
  EXPECT_GT(loss(0.5, PortfolioObjective::net), loss(0, PortfolioObjective::net));
}

TEST(PortfolioTask, EqualWeightIsTheMeanReturn) {
  const PortfolioData data = small_portfolio(random_prices(500, 4, 2));
  PortfolioTask task(data, {.cost = 0, .dtype = torch::kDouble}, equal_weight(4));
  const PortfolioEvaluation e = task.evaluate(task.splits().test);
  EXPECT_EQ(e.days, data.splits.test);
  for (Eigen::Index t = 0; t < e.returns.net.size(); ++t) {
    ASSERT_NEAR(e.returns.net(t), data.relatives.row(data.splits.test.begin + 1 + t).mean() - 1, 1e-14);
  }
  // It does not look at u: it can be "trained" all the same.
  EXPECT_EQ(run_trial(task, {.epochs = 1}).test, e.metrics);
}

TEST(PortfolioTask, DecisionsDoNotSeeTheFuture) {
  PriceTable prices = random_prices(500, 4, 3);
  PortfolioTask before(small_portfolio(prices), {}, softmax(4));
  prices.prices.bottomRows(50) *= 2;  // from date 450 on: day 449
  PortfolioTask after(small_portfolio(prices), {}, softmax(4));
  at::Generator chance = generator(1);
  before.initialize(chance);
  after.parameters().assign(before.parameters().values());
  EXPECT_TRUE(torch::equal(before.weights({420, 449}), after.weights({420, 449})));
  EXPECT_FALSE(torch::equal(before.weights({420, 450}), after.weights({420, 450})));
}

TEST(PortfolioTask, LearnsASignal) {
  const PriceTable prices = prices_with_signal(700, 6, 10, 4);
  const PortfolioData data = make_portfolio_data(prices, {prices.dates[450], prices.dates[575]}, 5);
  PortfolioTask ours(data, {.hidden = 16, .batch = 32}, softmax(6));
  PortfolioTask equal(data, {}, equal_weight(6));
  const auto violation = [](const Tensor& x) { return x.sum(-1).sub(1).abs().max().item<double>(); };
  const PortfolioTrial trial = run_trial(ours, {.epochs = 40, .adam = {.learning_rate = 5e-3}}, {}, violation);
  const PortfolioMetrics base = equal.evaluate(equal.splits().test).metrics;
  EXPECT_GT(trial.test.sharpe, base.sharpe + 5);
  EXPECT_GT(trial.best_epoch, 1);
  ASSERT_TRUE(trial.worst_violation.has_value());
  EXPECT_LT(*trial.worst_violation, 1e-6);
}

TEST(DispatchTask, LearnsWhereRequestsComeFrom) {
  const DispatchData data = make_dispatch_data(random_demand(1000, 8, 5));
  DispatchTask ours(data, {.hidden = 16}, softmax(8));
  DispatchTask equal(data, {}, equal_weight(8));
  const DispatchTrial trial = run_trial(ours, {.epochs = 30, .adam = {.learning_rate = 3e-3}});
  EXPECT_GT(trial.test.served_rate, equal.evaluate(equal.splits().test).metrics.served_rate + 0.15);
  EXPECT_FALSE(trial.worst_violation.has_value());
}

TEST(DispatchTask, DecisionsDoNotSeeTheFuture) {
  DemandTable table = random_demand(300, 3, 6);
  DispatchTask before(make_dispatch_data(table), {}, softmax(3));
  table.demand.row(280).array() += 50;
  DispatchTask after(make_dispatch_data(table), {}, softmax(3));
  at::Generator chance = generator(1);
  before.initialize(chance);
  after.parameters().assign(before.parameters().values());
  EXPECT_TRUE(torch::equal(before.shares({260, 281}), after.shares({260, 281})));
  EXPECT_FALSE(torch::equal(before.shares({260, 282}), after.shares({260, 282})));
  EXPECT_THROW(before.shares({10, 20}), std::invalid_argument);
}

TEST(Tasks, LayersThatDoNotFitAreNamed) {
  const PortfolioData data = small_portfolio(random_prices(500, 4, 7));
  EXPECT_THROW(PortfolioTask(data, {}, softmax(5)), std::invalid_argument);
  EXPECT_THROW(PortfolioTask(data, {}, DecisionLayer{}), std::invalid_argument);
  PortfolioTask wrong(data, {}, {[](const Tensor& u, bool) { return u.slice(1, 0, 2); }, 4, 4});
  EXPECT_THROW(wrong.weights(data.splits.test), std::invalid_argument);
  PortfolioTask wide(data, {}, {[](const Tensor& u, bool) { return u.to(torch::kDouble); }, 4, 4});
  EXPECT_THROW(wide.weights(data.splits.test), std::invalid_argument);
  PortfolioTask large(data, {.batch = 400}, softmax(4));
  EXPECT_THROW(train(large, {.epochs = 1}), std::invalid_argument);
}

}  // namespace
}  // namespace softradial::study
