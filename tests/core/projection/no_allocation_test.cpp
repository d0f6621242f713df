// "Does not allocate once constructed": every map of every set, counted at the allocator. A program of its own, because
// the counter takes the allocator's place.

#include <gtest/gtest.h>

#include "softradial/projection.hpp"
#include "support/allocation_counter.hpp"
#include "support/batch.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using support::AllocationGuard;
using support::Batch;
using support::NamedSet;

TEST(AllocationGuard, Counts) {
  const AllocationGuard guard;
  EXPECT_EQ(guard.count(), 0U);
  const std::vector<double> numbers(1000);
  EXPECT_GE(guard.count(), 1U);
  const std::size_t after_vector = guard.count();
  const Eigen::VectorXd more = Eigen::VectorXd::Zero(1000);
  EXPECT_GE(guard.count() + static_cast<std::size_t>(more[0]), after_vector + 1);
}

template <class T>
void check_no_allocation(const Set& set, const Method& method) {
  support::RandomPoints random(5);
  const Projection<T> layer(set, method);
  Workspace<T> workspace = layer.make_workspace();
  const Batch<T> u = support::rows_at_scales<T>(random, layer.anchor().point, support::all_scales<T>(), 30);
  Batch<T> x(u.count(), u.dim()), grad(u.count(), u.dim());
  std::vector<T> numbers(u.count());
  std::vector<RowState<T>> state(u.count());

  const AllocationGuard guard;
  const Evaluator<T>& evaluator = layer.evaluator();
  evaluator.project(u.view(), x.rows(), workspace);
  evaluator.project(u.view(), x.rows(), workspace, state);
  evaluator.project_vjp(u.view(), u.view(), grad.rows(), workspace);
  evaluator.project_vjp(u.view(), u.view(), grad.rows(), workspace, state);
  evaluator.project_jvp(u.view(), u.view(), grad.rows(), workspace);
  evaluator.inverse(x.view(), grad.rows(), workspace);
  evaluator.log_abs_det(u.view(), numbers, workspace);
  evaluator.slack(u.view(), numbers, workspace);
  EXPECT_EQ(guard.count(), 0U);
}

class NoAllocation : public ::testing::TestWithParam<NamedSet> {};

TEST_P(NoAllocation, OnceConstructed) {
  for (const Method& method : {Method(SoftRadial{}), Method(HardRadial{}), Method(GaugeMap{})}) {
    SCOPED_TRACE(method.index());
    check_no_allocation<float>(GetParam().set, method);
    check_no_allocation<double>(GetParam().set, method);
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, NoAllocation, ::testing::ValuesIn(support::set_zoo()), support::NameOfSet());
INSTANTIATE_TEST_SUITE_P(MixedUnits, NoAllocation,
                         ::testing::ValuesIn(support::gather(&support::Specimen::mixed_units)), support::NameOfSet());

static_assert(noexcept(std::declval<const Evaluator<float>&>().project({}, {}, std::declval<Workspace<float>&>())));
static_assert(noexcept(std::declval<const Evaluator<float>&>().project_vjp({}, {}, {},
                                                                           std::declval<Workspace<float>&>())));
static_assert(noexcept(std::declval<const Evaluator<double>&>().inverse({}, {}, std::declval<Workspace<double>&>())));

}  // namespace
}  // namespace softradial
