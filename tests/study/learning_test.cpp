// Networks that learn through constraint layers: the tasks, their references, and the layers on samples' own data.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "learning/learn.hpp"
#include "learning/sample_layer.hpp"
#include "softradial/errors.hpp"
#include "softradial/nn.hpp"
#include "softradial/sets.hpp"
#include "tasks/task_data.hpp"

namespace softradial::study {
namespace {

class EveryTask : public testing::TestWithParam<std::string> {};

// The reference is an optimum: no feasible decision is better, and a training comes nearer to it. Nothing is violated.
TEST_P(EveryTask, SoftRadialLearnsAndObeys) {
  const LearningTask task = learning_task(GetParam(), 1);
  const at::Generator chance = at::detail::createCPUGenerator(1);
  const SampleLayer layer = sample_layer(task, SoftRadial{});
  const at::Tensor u = at::randn({task.test.z.size(0), layer.input_dim}, chance, at::kFloat);
  const double untrained = task.gap(layer.apply(u, task.test, false));
  EXPECT_GT(untrained, 0);
  const Learned learned = learn(task, SoftRadial{}, {.epochs = 2});
  EXPECT_GE(learned.gap, -1e-6);
  EXPECT_LT(learned.gap, untrained);
  EXPECT_EQ(learned.rows_violating, 0);
  EXPECT_EQ(learned.violation, 0);
  EXPECT_LT(learned.equality, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Tasks, EveryTask, testing::ValuesIn(learning_task_names()),
                         [](const auto& test) { return test.param; });

// A polyhedron whose samples all have the right-hand side and the anchor of the set itself.
LearningTask task_with_the_sets_own_data() {
  Eigen::MatrixXd G(6, 3);
  G << Eigen::Matrix3d::Identity(), -Eigen::Matrix3d::Identity();
  const Eigen::VectorXd h = Eigen::VectorXd::Constant(6, 1);
  const Eigen::MatrixXd E = Eigen::MatrixXd::Ones(1, 3);
  LearningTask task{
      .name = "", .what = "", .measure = "", .published = "", .set = Polyhedron(G, h, E, Eigen::VectorXd::Zero(1))};
  task.E = to_tensor(E, at::kDouble);
  task.test.z = at::zeros({40, 1});
  task.test.f = at::zeros({40, 1});
  task.test.anchors = nn::SoftRadial(task.set)->anchor().to(at::kFloat).expand({40, 3});
  return task;
}

// On such a polyhedron the layers of samples are the library's own, with their gradients.
TEST(SampleLayer, IsTheLibrarysLayerOnTheSetsOwnData) {
  const LearningTask task = task_with_the_sets_own_data();
  const at::Generator chance = at::detail::createCPUGenerator(2);
  const at::Tensor values = 2 * at::randn({40, 3}, chance, at::kFloat);
  for (const LayerMethod& method : {LayerMethod(SoftRadial{}), LayerMethod(SoftOrthogonal{}), LayerMethod(Orthogonal{}),
                                    LayerMethod(Rayen{}), LayerMethod(Dc3{}), LayerMethod(HardNet{})}) {
    const at::Tensor u = values.clone().requires_grad_();
    const at::Tensor v = values.clone().requires_grad_();
    const at::Tensor x = sample_layer(task, method).apply(u, task.test, true);
    const at::Tensor expected = nn::ConstraintLayer(task.set, method)(v);
    EXPECT_LT((x - expected).abs().max().item<float>(), 1e-5) << method_name(method);
    const at::Tensor g = at::randn({40, 3}, chance, at::kFloat);
    (x * g).sum().backward();
    (expected * g).sum().backward();
    EXPECT_LT((u.grad() - v.grad()).abs().max().item<float>(), 1e-3) << method_name(method);
  }
}

TEST(SampleLayer, MethodsThatDoNotTakeTheSetAreRefused) {
  EXPECT_THROW(static_cast<void>(sample_layer(task_with_the_sets_own_data(), Mirror{})), InvalidSet);
  EXPECT_THROW(static_cast<void>(learning_task("nothing", 1)), std::invalid_argument);
}

// Where many constraints are active, an orthogonal front learns better than a radial one, and soft orthogonal violates nothing.
TEST(Learn, SoftOrthogonalIsAheadOfSoftRadialOnASimplex) {
  const LearningTask task = learning_task("linear", 1);
  const Learned orthogonal = learn(task, SoftOrthogonal{}, {.epochs = 3});
  EXPECT_LT(orthogonal.gap, learn(task, SoftRadial{}, {.epochs = 3}).gap);
  EXPECT_EQ(orthogonal.rows_violating, 0);
}

}  // namespace
}  // namespace softradial::study
