#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/rnn.h>
#include <torch/types.h>

#include <cmath>

#include "models/mlp.hpp"
#include "models/window_lstm.hpp"
#include "models/window_model.hpp"
#include "study/instruction_sets.hpp"

namespace softradial::study {
namespace {

using torch::Tensor;

at::Generator generator(uint64_t seed) { return at::detail::createCPUGenerator(seed); }

Tensor normal(at::IntArrayRef shape, uint64_t seed, at::ScalarType dtype = torch::kDouble) {
  return torch::randn(shape, generator(seed), torch::kDouble).to(dtype);
}

double distance(const Tensor& a, const Tensor& b) { return (a - b).abs().max().item<double>(); }

struct LstmCase {
  int64_t windows, steps, stride, features, hidden;
};

std::ostream& operator<<(std::ostream& out, const LstmCase& c) {
  return out << c.windows << " windows of " << c.steps << ", " << c.stride << " apart, " << c.features << " features, "
             << c.hidden << " hidden";
}

// 1e-10 in double: hundreds of products of terms of order 1. In float the same sums with 2^-24 instead of 2^-53.
constexpr double kDoubleTolerance = 1e-10;
constexpr double kFloatTolerance = 2e-4;

void expect_like_torch(const LstmCase& c, at::ScalarType dtype, double tolerance) {
  torch::nn::LSTM reference(torch::nn::LSTMOptions(c.features, c.hidden).batch_first(true));
  reference->to(dtype);
  const auto theirs = reference->named_parameters();
  uint64_t seed = 1;
  {
    const torch::NoGradGuard no_grad;
    for (const auto& p : theirs) p.value().copy_(normal(p.value().sizes(), seed++, dtype) * 0.3);
  }
  const WindowLayout layout{c.steps, c.stride};
  const auto leaf = [](const Tensor& t) { return t.detach().clone().requires_grad_(); };
  const LstmWeights ours{leaf(theirs["weight_ih_l0"]), leaf(theirs["weight_hh_l0"]), leaf(theirs["bias_ih_l0"]),
                         leaf(theirs["bias_hh_l0"])};
  const Tensor x = normal({layout.num_days(c.windows), c.features}, 50, dtype).requires_grad_();
  const Tensor y = leaf(x);

  const Tensor last = std::get<0>(reference->forward(x.unfold(0, c.steps, c.stride).transpose(1, 2))).select(1, -1);
  const Tensor mine = window_lstm(y, ours, layout);
  ASSERT_EQ(mine.sizes(), last.sizes());
  EXPECT_LT(distance(mine, last), tolerance);

  const Tensor g = normal(last.sizes(), 60, dtype);
  last.backward(g);
  mine.backward(g);
  EXPECT_LT(distance(y.grad(), x.grad()), tolerance);
  EXPECT_LT(distance(ours.input.grad(), theirs["weight_ih_l0"].grad()), tolerance);
  EXPECT_LT(distance(ours.recurrent.grad(), theirs["weight_hh_l0"].grad()), tolerance);
  EXPECT_LT(distance(ours.input_bias.grad(), theirs["bias_ih_l0"].grad()), tolerance);
  EXPECT_LT(distance(ours.recurrent_bias.grad(), theirs["bias_hh_l0"].grad()), tolerance);
}

class WindowLstmTest : public ::testing::TestWithParam<LstmCase> {};

TEST_P(WindowLstmTest, EqualsTorchInDouble) { expect_like_torch(GetParam(), torch::kDouble, kDoubleTolerance); }
TEST_P(WindowLstmTest, EqualsTorchInFloat) { expect_like_torch(GetParam(), torch::kFloat, kFloatTolerance); }

INSTANTIATE_TEST_SUITE_P(Shapes, WindowLstmTest,
                         ::testing::Values(LstmCase{64, 10, 1, 15, 32}, LstmCase{9, 5, 1, 3, 7},
                                           LstmCase{5, 4, 4, 3, 16}, LstmCase{6, 5, 2, 2, 20}, LstmCase{1, 1, 1, 2, 3},
                                           LstmCase{3, 1, 1, 2, 8}, LstmCase{2, 2, 1, 1, 1}, LstmCase{13, 30, 1, 6, 64},
                                           LstmCase{4, 3, 5, 2, 48}));

TEST(WindowLstm, EveryInstructionSetEqualsTorch) {
  on_every_instruction_set([] {
    for (const LstmCase& c : {LstmCase{11, 5, 1, 3, 7}, LstmCase{9, 4, 1, 3, 40}, LstmCase{6, 3, 1, 2, 64}}) {
      expect_like_torch(c, torch::kDouble, kDoubleTolerance);
      expect_like_torch(c, torch::kFloat, kFloatTolerance);
    }
  });
}

TEST(WindowLstm, ThreadsChangeNothing) {
  const LstmWeights w{normal({80, 3}, 1), normal({80, 20}, 2) * 0.3, normal({80}, 3), normal({80}, 4)};
  const auto run = [&](int threads) {
    at::set_num_threads(threads);
    Tensor x = normal({150, 3}, 5).requires_grad_();
    window_lstm(x, w, {6, 1}).sum().backward();
    at::set_num_threads(1);
    return x.grad();
  };
  EXPECT_LT(distance(run(1), run(2)), 1e-13);  // what is left is the BLAS
}

TEST(WindowLstm, WindowsOfTheirOwnEqualOverlappingOnes) {
  const LstmWeights w{normal({20, 3}, 1), normal({20, 5}, 2), normal({20}, 3), normal({20}, 4)};
  const Tensor days = normal({12, 3}, 5);
  const Tensor shared = window_lstm(days, w, {4, 1});
  const Tensor apart = window_lstm(days.unfold(0, 4, 1).transpose(1, 2), w, {4, 1});
  EXPECT_LT(distance(shared, apart), 1e-14);
}

TEST(WindowLstm, GradientMatchesFiniteDifferences) {
  std::vector<Tensor> in{normal({11, 3}, 1), normal({20, 3}, 2) * 0.5, normal({20, 5}, 3) * 0.5, normal({20}, 4),
                         normal({20}, 5)};
  for (Tensor& t : in) t.requires_grad_();
  const auto run = [](const std::vector<Tensor>& v) { return window_lstm(v[0], {v[1], v[2], v[3], v[4]}, {4, 1}); };
  const Tensor out = run(in);
  const Tensor g = normal(out.sizes(), 6);
  out.backward(g, true);
  const Tensor once = in[2].grad().clone();
  constexpr double kStep = 1e-6;
  for (size_t i = 0; i < in.size(); ++i) {
    const Tensor v = normal(in[i].sizes(), 10 + i);
    auto up = in, down = in;
    up[i] = in[i].detach() + kStep * v;
    down[i] = in[i].detach() - kStep * v;
    const double expected = ((run(up) - run(down)) * g).sum().item<double>() / (2 * kStep);
    EXPECT_NEAR((in[i].grad() * v).sum().item<double>(), expected, 1e-7) << "input " << i;
  }
  out.backward(g);  // a graph that was kept can be walked again
  EXPECT_LT(distance(in[2].grad(), 2 * once), 1e-14);
}

TEST(WindowLstm, NanStaysVisible) {
  const LstmWeights w{normal({20, 3}, 1), normal({20, 5}, 2), normal({20}, 3), normal({20}, 4)};
  Tensor days = normal({8, 3}, 5);
  days[0][1] = std::nan("");
  const Tensor out = window_lstm(days, w, {4, 1});
  EXPECT_TRUE(out[0].isnan().all().item<bool>());
  EXPECT_FALSE(out[1].isnan().any().item<bool>());
}

TEST(WindowLstm, LargeInputsSaturate) {
  const LstmWeights w{normal({20, 3}, 1), normal({20, 5}, 2), normal({20}, 3), normal({20}, 4)};
  for (const auto dtype : {torch::kFloat, torch::kDouble}) {
    const LstmWeights typed{w.input.to(dtype), w.recurrent.to(dtype), w.input_bias.to(dtype),
                            w.recurrent_bias.to(dtype)};
    const Tensor out = window_lstm(normal({8, 3}, 5, dtype) * 1e6, typed, {4, 1});
    EXPECT_LE(out.abs().max().item<double>(), 1);
  }
}

TEST(WindowLstm, WrongShapesAreNamed) {
  const LstmWeights w{normal({20, 3}, 1), normal({20, 5}, 2), normal({20}, 3), normal({20}, 4)};
  EXPECT_THROW(window_lstm(normal({8, 4}, 5), w, {4, 1}), std::invalid_argument);
  EXPECT_THROW(window_lstm(normal({3, 3}, 5), w, {4, 1}), std::invalid_argument);
  EXPECT_THROW(window_lstm(normal({9, 3}, 5), w, {4, 2}), std::invalid_argument);
  EXPECT_THROW(window_lstm(normal({8, 3}, 5, torch::kFloat), w, {4, 1}), std::invalid_argument);
}

// Directional derivative of (forward_training . g) in the parameters; chance is the same at every call.
template <class Model>
void expect_gradient(Model& model, const Tensor& input, int64_t rows, int64_t outputs) {
  model.initialize(generator(3));
  const auto run = [&] {
    at::Generator random = generator(4);
    return model.forward_training(input, random, {}).clone();
  };
  const Tensor g = normal({rows, outputs}, 5);
  ASSERT_EQ(run().sizes(), g.sizes());
  model.backward(g);
  const Parameters& parameters = model.parameters();
  constexpr double kStep = 1e-6;
  for (size_t i = 0; i < parameters.shapes().size(); ++i) {
    const Tensor gradient = parameters.gradient(i).clone();
    const Tensor v = normal(gradient.sizes(), 20 + i);
    Tensor value = parameters.value(i);
    value.add_(v, kStep);
    const Tensor up = run();
    value.sub_(v, 2 * kStep);
    const Tensor down = run();
    value.add_(v, kStep);
    EXPECT_NEAR((gradient * v).sum().item<double>(), ((up - down) * g).sum().item<double>() / (2 * kStep), 1e-6)
        << parameters.shapes()[i].name;
  }
}

TEST(WindowModel, GradientMatchesFiniteDifferences) {
  WindowModel model({.features = 4, .lookback = 3, .hidden = 6, .outputs = 5, .dropout = 0.3, .dtype = torch::kDouble});
  expect_gradient(model, normal({9, 4}, 1), 7, 5);
}

TEST(Mlp, GradientMatchesFiniteDifferences) {
  Mlp model({.inputs = 6, .hidden = 8, .outputs = 3, .dropout = 0.3, .dtype = torch::kDouble});
  expect_gradient(model, normal({10, 6}, 1), 10, 3);
}

TEST(Mlp, EqualsTheSameLayersOfTorch) {
  Mlp model({.inputs = 6, .hidden = 8, .outputs = 3, .dropout = 0, .dtype = torch::kDouble});
  model.initialize(generator(1));
  const Parameters& p = model.parameters();
  const Tensor z = normal({10, 6}, 2);
  Tensor a = z;
  for (size_t l = 0; l < 6; l += 2) {
    a = torch::addmm(p.value(l + 1), a, p.value(l).t());
    if (l < 4) a = a.clamp_min(0);
  }
  at::Generator random = generator(3);
  EXPECT_LT(distance(model.forward(z), a), 1e-14);
  EXPECT_LT(distance(model.forward_training(z, random), a), 1e-14);
}

TEST(WindowModel, WithoutDropoutTrainingAndEvaluationAgree) {
  WindowModel model({.features = 4, .lookback = 3, .hidden = 6, .outputs = 5, .dropout = 0, .dtype = torch::kDouble});
  model.initialize(generator(1));
  const Tensor days = normal({200, 4}, 2);
  at::Generator random = generator(3);
  EXPECT_TRUE(torch::equal(model.forward(days), model.forward_training(days, random, {})));
}

TEST(Dropout, KeepsTheMeanAndFollowsItsSeed) {
  const Dropout dropout(0.25);
  Tensor a = torch::empty({100001}), b = torch::empty({100001}), c = torch::empty({100001});
  at::Generator first = generator(1), second = generator(1);
  dropout.draw(first, a);
  dropout.draw(second, b);
  dropout.draw(second, c);
  EXPECT_TRUE(torch::equal(a, b));
  EXPECT_FALSE(torch::equal(b, c));
  EXPECT_NEAR((a == 0).to(torch::kDouble).mean().item<double>(), 0.25, 0.006);  // four standard deviations
  EXPECT_NEAR(a.max().item<double>(), 1 / 0.75, 1e-6);
  EXPECT_THROW(Dropout(1.0), std::invalid_argument);
  EXPECT_THROW(Dropout(std::nan("")), std::invalid_argument);
}

TEST(WindowModel, StartsInTheRangeOfTorch) {
  WindowModel model({.features = 40, .hidden = 25, .outputs = 5});
  model.initialize(generator(7));
  const Tensor values = model.parameters().values();
  EXPECT_LE(values.abs().max().item<double>(), 0.2);
  EXPECT_GT(values.abs().max().item<double>(), 0.19);
}

}  // namespace
}  // namespace softradial::study
