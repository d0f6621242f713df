#include <gtest/gtest.h>
#include <torch/torch.h>

#include <sstream>

#include "softradial/errors.hpp"
#include "softradial/nn.hpp"
#include "softradial/projection.hpp"
#include "softradial/row_status.hpp"
#include "softradial/sets.hpp"

namespace {

using namespace softradial;
using torch::Tensor;

Tensor doubles(at::IntArrayRef shape, double scale = 1) { return scale * torch::randn(shape, torch::kDouble); }

class NnModule : public ::testing::Test {
 protected:
  NnModule() { torch::manual_seed(0); }
  nn::SoftRadial layer{CappedSimplex(5, 0.4)};
};

TEST_F(NnModule, ProjectsAsTheCoreDoes) {
  const Tensor u = doubles({7, 5}, 3);
  const Tensor x = layer(u);
  const Projection<double> core(CappedSimplex(5, 0.4));
  auto workspace = core.make_workspace();
  Tensor expected = torch::empty_like(u);
  core.project({u.data_ptr<double>(), 7, 5}, Rows<double>{expected.data_ptr<double>(), 7, 5}, workspace);
  EXPECT_TRUE(torch::equal(x, expected));
}

TEST_F(NnModule, StandsInASequential) {
  torch::nn::Sequential model(torch::nn::Linear(3, 5), layer);
  const Tensor x = model->forward(torch::randn({4, 3}));
  EXPECT_LT(x.max().item<float>(), 0.4F);
  EXPECT_NEAR(x.sum(-1).sub(1).abs().max().item<float>(), 0, 1e-6);
  x.square().sum().backward();
  for (const Tensor& parameter : model->parameters()) EXPECT_TRUE(parameter.grad().isfinite().all().item<bool>());
}

TEST_F(NnModule, GradientsMatchFiniteDifferences) {
  const Tensor u = doubles({3, 5}).requires_grad_();
  const Tensor g = doubles({3, 5});
  const Tensor v = doubles({3, 5});
  const Tensor grad = torch::autograd::grad({layer(u)}, {u}, {g}).front();
  constexpr double kStep = 1e-6;  // the error of a central difference is kStep^2 / 6 times a third derivative
  const torch::NoGradGuard no_grad;
  const Tensor difference = (layer(u + kStep * v) - layer(u - kStep * v)) / (2 * kStep);
  EXPECT_NEAR((grad * v).sum().item<double>(), (difference * g).sum().item<double>(), 1e-7);
}

TEST_F(NnModule, TakesSetsSampleBySample) {
  const Tensor caps = torch::rand({6, 5}, torch::kDouble).add(0.3).requires_grad_();
  const Tensor sum = torch::rand({6}, torch::kDouble).add(0.5);
  const Tensor x = layer(doubles({6, 5}, 10), nn::SampleTensors{.cap = caps, .sum = sum});
  EXPECT_TRUE((x < caps).all().item<bool>());
  EXPECT_LT((x.sum(-1) - sum).abs().max().item<double>(), 1e-14);
  x.square().sum().backward();
  EXPECT_GT(caps.grad().abs().sum().item<double>(), 0);
}

TEST_F(NnModule, MarksRows) {
  Tensor u = torch::randn({4, 5});
  u[2][1] = std::numeric_limits<float>::quiet_NaN();
  layer(u);
  const Tensor status = layer->status();
  EXPECT_EQ(status[2].item<int>(), static_cast<int>(RowStatus::not_finite));
  EXPECT_EQ(status.sum().item<int>(), 1);
}

// Results of one size, call after call: large enough that malloc would hand them back to the system.
class ResultMemory : public ::testing::Test {
 protected:
  static constexpr int64_t kDim = 1000;
  const Tensor u = torch::randn({100, kDim});
  nn::SoftRadial layer{CappedSimplex(kDim, 0.01)};
};

TEST_F(ResultMemory, IsUsedAgainOnceAResultIsGone) {
  const void* const first = layer(u).data_ptr();
  EXPECT_EQ(layer(u).data_ptr(), first);
  const Tensor kept = layer(u);
  const Tensor expected = kept.clone();
  EXPECT_NE(layer(u + 1).data_ptr(), kept.data_ptr());
  EXPECT_TRUE(torch::equal(kept, expected));
}

TEST_F(ResultMemory, BelongsToTheResultAlone) {
  const Tensor x = layer(u);
  EXPECT_EQ(x.storage().use_count(), 1U);
  EXPECT_EQ(layer->status().sum().item<int>(), 0);
}

TEST_F(ResultMemory, OutlivesTheLayer) {
  Tensor x;
  Tensor expected;
  {
    nn::SoftRadial gone(CappedSimplex(kDim, 0.01));
    x = gone(u);
    expected = x.clone();
  }
  EXPECT_TRUE(torch::equal(x, expected));
}

TEST_F(ResultMemory, CanBeResized) {
  Tensor x = layer(u);
  const Tensor expected = x.clone();
  x.resize_({200, kDim});
  EXPECT_TRUE(torch::equal(x.narrow(0, 0, 100), expected));
  EXPECT_TRUE(torch::equal(layer(u), expected));
}

TEST_F(ResultMemory, ServesOtherSizesAndTypes) {
  for (const int64_t rows : {100, 90, 40, 300, 0, 100}) {
    const Tensor wide = torch::randn({rows, kDim}, torch::kDouble);
    const Tensor narrow = wide.to(torch::kFloat);
    EXPECT_LT((layer(wide).sum(-1) - 1).abs().sum().item<double>(), 1e-12 * static_cast<double>(rows + 1));
    EXPECT_EQ(layer(narrow).sizes(), narrow.sizes());
    EXPECT_EQ(layer(narrow).scalar_type(), torch::kFloat);
  }
}

TEST_F(NnModule, ChecksFinitenessOnRequest) {
  nn::SoftRadial strict(CappedSimplex(5, 0.4), nn::SoftRadialOptions{.check_finite = true});
  Tensor u = torch::randn({4, 5});
  u[2][1] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(strict(u), NonFiniteInput);
}

TEST_F(NnModule, IsInvertible) {
  const Tensor u = doubles({4, 5});
  EXPECT_LT((layer->inverse(layer(u)) - (u - u.mean(-1, true) + 0.2)).abs().max().item<double>(), 1e-9);
  EXPECT_EQ(layer->log_abs_det(u).sizes(), at::IntArrayRef({4}));
}

TEST_F(NnModule, StartsAtADecision) {
  torch::nn::Linear last(3, 5);
  const Tensor x = torch::tensor({0.1, 0.15, 0.2, 0.25, 0.3}, torch::kDouble);
  layer->start_at(x, last);
  EXPECT_LT((layer(last(torch::randn({2, 3}))) - x).abs().max().item<double>(), 1e-6);
  EXPECT_THROW(layer->start_at(torch::tensor({0.9, 0.1, 0.0, 0.0, 0.0}, torch::kDouble), last), AnchorNotInterior);
}

TEST_F(NnModule, ClonesAndPrints) {
  const auto copy = std::dynamic_pointer_cast<nn::SoftRadialImpl>(layer->clone());
  const Tensor u = doubles({2, 5});
  EXPECT_TRUE(torch::equal(copy->forward(u), layer(u)));
  std::ostringstream text;
  text << layer;
  EXPECT_NE(text.str().find("capped_simplex(dim=5, cap=0.4, sum=1)"), std::string::npos) << text.str();
}

TEST_F(NnModule, IsSavedWithItsSet) {
  std::stringstream file;
  torch::save(
      nn::SoftRadial(Simplex(5, 2), nn::SoftRadialOptions{.contraction = Contraction::exponential, .lambda = 3}), file);
  torch::load(layer, file);
  EXPECT_EQ(layer->set(), Set(Simplex(5, 2)));
  EXPECT_NEAR(layer(doubles({1, 5})).sum().item<double>(), 2, 1e-14);
}

TEST_F(NnModule, EveryLayerIsSavedWithItsSet) {
  std::stringstream file;
  torch::save(nn::ConstraintLayer(Simplex(5, 2), Softmax{.temperature = 0.5}), file);
  nn::ConstraintLayer restored(Simplex(5), Softmax{});
  torch::load(restored, file);
  EXPECT_EQ(restored->set(), Set(Simplex(5, 2)));
  const Tensor u = doubles({2, 5});
  EXPECT_TRUE(torch::equal(restored(u), nn::ConstraintLayer(Simplex(5, 2), Softmax{.temperature = 0.5})(u)));
}

TEST_F(NnModule, ACapIsACapInACall) {
  EXPECT_THROW(layer(torch::randn({2, 5}), nn::SampleTensors{.upper = torch::ones({5})}), InvalidSet);
  EXPECT_THROW(nn::SoftRadial(Box(Eigen::VectorXd::Zero(5), Eigen::VectorXd::Ones(5)))(
                   torch::randn({2, 5}), nn::SampleTensors{.cap = torch::ones({5})}),
               InvalidSet);
}

TEST_F(NnModule, RejectsWhatDoesNotFit) {
  EXPECT_THROW(layer(torch::randn({2, 4})), ShapeError);
  EXPECT_THROW(layer(torch::ones({2, 5}, torch::kLong)), ShapeError);
  EXPECT_THROW(layer(torch::randn({2, 5}), nn::SampleTensors{.b = torch::ones({2, 5})}), InvalidSet);
}

TEST(NnModules, HardRadialAndGaugeMap) {
  nn::HardRadial hard(Ball(Eigen::Vector2d::Zero(), 1));
  nn::GaugeMap gauge(Ball(Eigen::Vector2d::Zero(), 1), nn::GaugeMapOptions{.contraction = Contraction::hyperbolic});
  const Tensor u = torch::tensor({{3.0, 4.0}, {0.3, 0.4}}, torch::kDouble);
  EXPECT_LT((hard(u) - torch::tensor({{0.6, 0.8}, {0.3, 0.4}}, torch::kDouble)).abs().max().item<double>(), 1e-12);
  const double expected = std::tanh(0.5);  // s(gamma) with gamma = |u| / radius
  EXPECT_NEAR(gauge(u)[1].norm().item<double>(), expected, 1e-12);
}

}  // namespace
