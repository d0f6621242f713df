// No kernel reads or writes beyond the rows that it is given, whatever their length: the rows lie next to pages that nobody
// may touch, so that a vector which is loaded too far ends the program. Every length around those of the vectors.

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "softradial/anchor.hpp"
#include "softradial/projection.hpp"
#include "softradial/sample_bounds.hpp"
#include "softradial/sample_polyhedra.hpp"
#include "softradial/sets.hpp"
#include "support/guarded_batch.hpp"

namespace softradial {
namespace {

using support::Edge;
using support::GuardedBatch;

constexpr std::size_t kRows = 5;

std::vector<std::size_t> lengths() {
  std::vector<std::size_t> out;
  for (std::size_t n = 2; n <= 70; ++n) out.push_back(n);
  for (const std::size_t n : {127, 128, 129, 150, 200}) out.push_back(n);
  return out;
}

template <class T>
class Filled : public GuardedBatch<T> {
 public:
  Filled(std::size_t count, std::size_t dim, Edge edge, double low, double high) : GuardedBatch<T>(count, dim, edge) {
    std::mt19937_64 engine(dim);
    std::uniform_real_distribution<double> number(low, high);
    for (std::size_t i = 0; i < count * dim; ++i) this->data()[i] = static_cast<T>(number(engine));
  }
};

template <class T>
bool all_finite(Rows<const T> rows) {
  for (std::size_t i = 0; i < rows.count(); ++i) {
    for (const T v : rows[i]) {
      if (!std::isfinite(v)) return false;
    }
  }
  return true;
}

template <class T>
class MemoryBounds : public ::testing::Test {
 protected:
  // Both passes of a fixed set, with and without states.
  static void run(const Set& set, Edge edge) {
    const std::size_t n = set.dim();
    const Projection<T> layer(set);
    Workspace<T> workspace = layer.make_workspace();
    const Filled<T> u(kRows, n, edge, -3, 3), g(kRows, n, edge, -1, 1);
    GuardedBatch<T> x(kRows, n, edge), grad(kRows, n, edge);
    std::vector<RowState<T>> state(kRows);
    layer.project(u.view(), x.rows(), workspace, state);
    EXPECT_TRUE(all_finite<T>(x.view())) << to_string(set);
    layer.project_vjp(u.view(), g.view(), grad.rows(), workspace, state);
    EXPECT_TRUE(all_finite<T>(grad.view())) << to_string(set);
    layer.project(u.view(), x.rows(), workspace);
    layer.project_vjp(u.view(), g.view(), grad.rows(), workspace);
    EXPECT_TRUE(all_finite<T>(grad.view())) << to_string(set);
  }
};

using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MemoryBounds, Precisions);

TYPED_TEST(MemoryBounds, OfFixedSets) {
  for (const std::size_t n : lengths()) {
    const auto dim = static_cast<Eigen::Index>(n);
    const Eigen::VectorXd caps = Eigen::VectorXd::LinSpaced(dim, 2.0 / static_cast<double>(n), 1);
    const Eigen::MatrixXd A = Eigen::MatrixXd::NullaryExpr(
        dim + 3, dim, [](Eigen::Index i, Eigen::Index j) { return std::sin(static_cast<double>(1 + 7 * i + 3 * j)); });
    const Eigen::VectorXd b = A.rowwise().norm().array() + 0.5;
    for (const Edge edge : {Edge::front, Edge::back}) {
      this->run(CappedSimplex(n, 1.5 / static_cast<double>(n)), edge);
      this->run(CappedSimplex(caps), edge);
      this->run(Box(-caps, caps), edge);
      this->run(Set(Polyhedron(A, b)).with_anchor(Eigen::VectorXd::Zero(dim)), edge);
    }
  }
}

TYPED_TEST(MemoryBounds, OfCapsForEachSample) {
  using T = TypeParam;
  for (const std::size_t n : lengths()) {
    for (const Edge edge : {Edge::front, Edge::back}) {
      const double share = 1 / static_cast<double>(n);
      const Filled<T> u(kRows, n, edge, -3, 3), g(kRows, n, edge, -1, 1), caps(kRows, n, edge, 1.2 * share, 3 * share);
      const Filled<T> lower(1, n, edge, 0, 0), total(kRows, 1, edge, 1, 1);
      GuardedBatch<T> x(kRows, n, edge), grad(kRows, n, edge), grad_caps(kRows, n, edge), grad_total(kRows, 1, edge);
      std::vector<RowStatus> status(kRows);
      std::vector<RowState<T>> state(kRows);
      const SampleBounds<T> bounds{.lower = Rows<const T>(lower.view().data(), kRows, n, 0),
                                   .upper = caps.view(),
                                   .total = total.view(),
                                   .anchor = {}};
      const BoundsMap<T> map(n, SoftRadial{});
      map.project(bounds, u.view(), x.rows(), status, state);
      EXPECT_TRUE(all_finite<T>(x.view())) << n;
      map.project_vjp(bounds, u.view(), g.view(), status, state, grad.rows(), {});
      map.project_vjp(bounds, u.view(), g.view(), status, state, grad.rows(),
                      {.lower = {}, .upper = grad_caps.rows(), .total = grad_total.rows(), .anchor = {}});
      EXPECT_TRUE(all_finite<T>(grad.view()) && all_finite<T>(grad_caps.view())) << n;
    }
  }
}

TYPED_TEST(MemoryBounds, OfPolyhedraForEachSample) {
  using T = TypeParam;
  for (const std::size_t n : lengths()) {
    const std::size_t m = n + 3;
    for (const Edge edge : {Edge::front, Edge::back}) {
      const Filled<T> u(kRows, n, edge, -3, 3), g(kRows, n, edge, -1, 1), A(m, n, edge, -1, 1), b(kRows, m, edge, 1, 2);
      const Filled<T> anchor(1, n, edge, 0, 0), image(1, m, edge, 0, 0);
      GuardedBatch<T> x(kRows, n, edge), grad(kRows, n, edge), grad_b(kRows, m, edge), grad_A(m, n, edge);
      std::vector<RowStatus> status(kRows);
      std::vector<RowState<T>> state(kRows);
      const SamplePolyhedra<T> sets{b.view(), Rows<const T>(anchor.view().data(), kRows, n, 0), image.view().data()};
      const auto map = PolyhedraMap<T>::shared(A.view(), AffineHull::whole_space(n), SoftRadial{});
      map.project(sets, A.view(), u.view(), x.rows(), status, state);
      EXPECT_TRUE(all_finite<T>(x.view())) << n;
      map.project_vjp(sets, A.view(), u.view(), g.view(), status, state, grad.rows(), {});
      for (std::size_t i = 0; i < m * n; ++i) grad_A.data()[i] = 0;
      map.project_vjp(sets, A.view(), u.view(), g.view(), status, state, grad.rows(),
                      {.b = grad_b.rows(), .anchor = {}, .A = grad_A.rows()});
      EXPECT_TRUE(all_finite<T>(grad.view()) && all_finite<T>(grad_b.view())) << n;
    }
  }
}

}  // namespace
}  // namespace softradial
