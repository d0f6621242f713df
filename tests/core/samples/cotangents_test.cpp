// The cotangents of u and of everything that a row's set depends on, against finite differences of the map itself.

#include <gtest/gtest.h>

#include "kernels/ray_kernels.hpp"
#include "row_state.hpp"
#include "sample_batches.hpp"
#include "support/cotangent_checker.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using support::Batch;
using support::BoundsBatch;
using support::BoundsCotangents;
using support::BoundsKind;
using support::check_cotangent;
using support::CotangentReport;
using support::NamedMethod;
using support::PolyhedraBatch;
using support::PolyhedraCotangents;
using support::Projected;
using support::RandomPoints;

// Differences are good to 1e-10 in a map that varies on lengths of 0.1 and is scaled by slacks down to 0.03; what passes
// for smooth may hide a kink of 1e-6 / 3.
constexpr double kDifferenceError = 1e-6;

// Row i of a batch of bounds as one vector, u | lower | upper | total | anchor, and back.
VectorXd arguments_of(const BoundsBatch<double>& batch, std::size_t i) {
  const auto n = static_cast<Eigen::Index>(batch.dim());
  VectorXd out(3 * n + (batch.total ? 1 : 0) + (batch.anchor ? n : 0));
  out.head(n) = batch.u.get(i);
  out.segment(n, n) = batch.lower.get(i);
  out.segment(2 * n, n) = batch.upper.get(i);
  if (batch.total) out[3 * n] = (*batch.total)[i][0];
  if (batch.anchor) out.tail(n) = batch.anchor->get(i);
  return out;
}
BoundsBatch<double> row_from(const BoundsBatch<double>& like, const VectorXd& arguments) {
  const auto n = static_cast<Eigen::Index>(like.dim());
  BoundsBatch<double> out = like.rows({0});
  out.u.set(0, arguments.head(n));
  out.lower.set(0, arguments.segment(n, n));
  out.upper.set(0, arguments.segment(2 * n, n));
  if (out.total) (*out.total)[0][0] = arguments[3 * n];
  if (out.anchor) out.anchor->set(0, arguments.tail(n));
  return out;
}

// Whether u, put onto the sum where there is one, lies inside its set.
bool is_inside(const BoundsBatch<double>& batch, std::size_t i) {
  VectorXd u = batch.u.get(i);
  if (batch.total) u.array() += ((*batch.total)[i][0] - u.sum()) / static_cast<double>(batch.dim());
  return (batch.lower.get(i).array() < u.array()).all() && (u.array() < batch.upper.get(i).array()).all();
}

struct Checked {
  int arguments = 0;
  int near_kinks = 0;
  int inside = 0;
  int outside = 0;
};

void add(Checked& total, const CotangentReport& report, bool inside) {
  EXPECT_LT(report.error, kDifferenceError);
  total.arguments += report.checked;
  total.near_kinks += report.near_kinks;
  (inside ? total.inside : total.outside) += 1;
}
void is_enough(const Checked& checked) {
  EXPECT_GE(checked.arguments, 50 * checked.near_kinks) << checked.near_kinks << " near kinks";
  EXPECT_GE(checked.inside, 5);
  EXPECT_GE(checked.outside, 5);
}

TEST(SampleCotangents, OfBounds) {
  constexpr std::size_t kCount = 30;
  const std::vector<double> scales = {0.05, 0.3, 1, 3, 30};
  for (const NamedMethod& m : support::all_methods()) {
    for (const BoundsKind& kind : support::bounds_kinds()) {
      for (const std::size_t dim : {2, 6, 21}) {
        SCOPED_TRACE(testing::Message() << m.name << ", " << kind.name << ", dim " << dim);
        RandomPoints random(41);
        BoundsBatch<double> batch = support::random_bounds<double>(random, kCount, dim, kind);
        for (std::size_t i = 0; i < kCount; ++i) {
          const VectorXd u0 = batch.anchor ? batch.anchor->get(i) : support::closed_form_anchor(batch, i);
          random.fill_row(batch.u[i], u0, scales[i % 5]);
        }
        const Batch<double> grad_x = support::gaussian_rows<double>(random, kCount, dim);
        const Projected<double> forward = support::project(m.method, batch);
        const BoundsCotangents<double> cotangents = support::vjp(m.method, batch, forward, grad_x);
        Checked checked;
        for (std::size_t i = 0; i < kCount; ++i) {
          SCOPED_TRACE(i);
          ASSERT_EQ(forward.status[i], RowStatus::ok);
          const auto map = [&](const VectorXd& arguments) {
            return support::project(m.method, row_from(batch, arguments)).x.get(0);
          };
          add(checked, check_cotangent(map, arguments_of(batch, i), grad_x.get(i), cotangents.row(i)),
              is_inside(batch, i));
        }
        is_enough(checked);
      }
    }
  }
}

// Open sides count as max(1, |bound|): bounds on either side of 1 and of 0 move the middle by 0, 1 or 2.
TEST(SampleCotangents, OfTheMiddleOfHalfOpenIntervals) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  BoundsBatch<double> batch(1, 7);
  batch.lower.set(0, VectorXd{{-3, -0.5, 0.5, 3, -kInfinity, -kInfinity, -kInfinity}});
  batch.upper.set(0, VectorXd{{kInfinity, kInfinity, kInfinity, kInfinity, -3, 0.5, 3}});
  RandomPoints random(42);
  for (const NamedMethod& m : support::all_methods()) {
    for (const double scale : {0.3, 10.0}) {
      SCOPED_TRACE(testing::Message() << m.name << ", scale " << scale);
      batch.u.set(0, scale * random.gaussian(7));
      const Batch<double> grad_x = support::gaussian_rows<double>(random, 1, 7);
      const Projected<double> forward = support::project(m.method, batch);
      const BoundsCotangents<double> cotangents = support::vjp(m.method, batch, forward, grad_x);
      const auto map = [&](const VectorXd& arguments) {
        return support::project(m.method, row_from(batch, arguments)).x.get(0);
      };
      const CotangentReport report = check_cotangent(map, arguments_of(batch, 0), grad_x.get(0), cotangents.row(0));
      EXPECT_LT(report.error, kDifferenceError);
      EXPECT_EQ(report.near_kinks, 0);
      // Open bounds do not move anything.
      EXPECT_EQ(cotangents.lower.get(0).tail(3), VectorXd::Zero(3));
      EXPECT_EQ(cotangents.upper.get(0).head(4), VectorXd::Zero(4));
    }
  }
}

// u | slack | anchor | A, the rows of A one after the other.
VectorXd arguments_of(const PolyhedraBatch<double>& batch, std::size_t i) {
  const auto n = static_cast<Eigen::Index>(batch.dim());
  const auto m = static_cast<Eigen::Index>(batch.num_rows());
  VectorXd out(2 * n + m + m * n);
  out.head(n) = batch.u.get(i);
  out.segment(n, m) = batch.slack.get(i);
  out.segment(n + m, n) = batch.anchor.get(i);
  const MatrixXd A = batch.matrix(i);
  for (Eigen::Index k = 0; k < m; ++k) out.segment(2 * n + m + k * n, n) = A.row(k).transpose();
  return out;
}
PolyhedraBatch<double> row_from(const PolyhedraBatch<double>& like, const VectorXd& arguments) {
  const auto n = static_cast<Eigen::Index>(like.dim());
  const auto m = static_cast<Eigen::Index>(like.num_rows());
  PolyhedraBatch<double> out = like.rows({0});
  out.u.set(0, arguments.head(n));
  out.slack.set(0, arguments.segment(n, m));
  out.anchor.set(0, arguments.segment(n + m, n));
  for (Eigen::Index k = 0; k < m; ++k) out.A.set(static_cast<std::size_t>(k), arguments.segment(2 * n + m + k * n, n));
  return out;
}

TEST(SampleCotangents, OfPolyhedra) {
  constexpr std::size_t kDim = 4;
  constexpr std::size_t kRows = 9;
  constexpr std::size_t kCount = 20;
  const std::vector<double> scales = {0.05, 0.3, 1, 3, 30};
  for (const NamedMethod& m : support::all_methods()) {
    for (const bool own_matrices : {false, true}) {
      for (const bool with_hull : {false, true}) {
        SCOPED_TRACE(testing::Message() << m.name << ", own " << own_matrices << ", hull " << with_hull);
        RandomPoints random(43);
        PolyhedraBatch<double> batch = support::random_polyhedra<double>(random, kCount, kDim, kRows, own_matrices);
        if (with_hull) batch.hull = support::random_hull(random, kDim);
        for (std::size_t i = 0; i < kCount; ++i) {
          random.fill_row(batch.u[i], batch.anchor.get(i), scales[i % 5]);
        }
        const Batch<double> grad_x = support::gaussian_rows<double>(random, kCount, kDim);
        const Projected<double> forward = support::project(m.method, batch);
        Checked checked;
        for (std::size_t i = 0; i < kCount; ++i) {
          SCOPED_TRACE(i);
          ASSERT_EQ(forward.status[i], RowStatus::ok);
          // One sample at a time: the cotangent of a matrix that all share is the sum over the samples.
          const PolyhedraBatch<double> row = batch.rows({i});
          const PolyhedraCotangents<double> cotangents =
              support::vjp(m.method, row, support::project(m.method, row), support::select(grad_x, {i}));
          PolyhedraBatch<double> gathered = row;
          gathered.u = cotangents.u;
          gathered.slack = cotangents.slack;
          gathered.anchor = cotangents.anchor;
          gathered.A = cotangents.A;
          const auto map = [&](const VectorXd& arguments) {
            return support::project(m.method, row_from(row, arguments)).x.get(0);
          };
          add(checked, check_cotangent(map, arguments_of(row, 0), grad_x.get(i), arguments_of(gathered, 0)),
              unpack<kernels::RayState>(forward.state[i]).gamma <= 1);
        }
        is_enough(checked);
      }
    }
  }
}

TEST(SampleCotangents, OfASharedMatrixIsTheSumOverTheSamples) {
  RandomPoints random(44);
  PolyhedraBatch<double> batch = support::random_polyhedra<double>(random, 150, 5, 11, false);
  batch.u = support::rows_at_scales<double>(random, VectorXd::Zero(5), {0.3, 3, 30}, 50);
  const Batch<double> grad_x = support::gaussian_rows<double>(random, 150, 5);
  const Projected<double> forward = support::project(SoftRadial{}, batch);
  const PolyhedraCotangents<double> together = support::vjp(SoftRadial{}, batch, forward, grad_x);
  MatrixXd sum = MatrixXd::Zero(11, 5);
  for (std::size_t i = 0; i < 150; ++i) {
    const PolyhedraBatch<double> row = batch.rows({i});
    const PolyhedraCotangents<double> alone =
        support::vjp(SoftRadial{}, row, support::project(SoftRadial{}, row), support::select(grad_x, {i}));
    for (Eigen::Index k = 0; k < 11; ++k) sum.row(k) += alone.A.get(static_cast<std::size_t>(k)).transpose();
  }
  for (Eigen::Index k = 0; k < 11; ++k) {
    EXPECT_LE((together.A.get(static_cast<std::size_t>(k)) - sum.row(k).transpose()).norm(), 1e-12 * sum.norm());
  }
}

// Outside, hard radial is constant along rays, d.J'g = 0: also along the boundary of a halfspace, where kappa |d| alone
// ends the ray. The halfspace is x_1 <= b, so that a.d = 0 is exact.
TEST(SampleCotangents, OfHardRadialAreNormalToTheRay) {
  RandomPoints random(46);
  PolyhedraBatch<double> batch = support::random_polyhedra<double>(random, 40, 5, 1, false);
  batch.A.set(0, VectorXd::Unit(5, 0));
  for (std::size_t i = 0; i < 40; ++i) {
    batch.u.set(i, 1e20 * random.unit(5));
    batch.u[i][0] = i % 2 == 0 ? batch.anchor[i][0] : std::abs(batch.u[i][0]);
  }
  const Batch<double> grad_x = support::gaussian_rows<double>(random, 40, 5);
  const Projected<double> forward = support::project(HardRadial{}, batch);
  const PolyhedraCotangents<double> cotangents = support::vjp(HardRadial{}, batch, forward, grad_x);
  for (std::size_t i = 0; i < 40; ++i) {
    SCOPED_TRACE(i);
    const VectorXd d = batch.u.get(i) - batch.anchor.get(i);
    const VectorXd moved = forward.x.get(i) - batch.anchor.get(i);
    EXPECT_LT(moved.norm(), 1e-3 * d.norm());
    // phi d.g is what cancels.
    EXPECT_LE(std::abs(d.dot(cotangents.u.get(i))),
              100 * std::numeric_limits<double>::epsilon() * moved.norm() * grad_x.get(i).norm());
  }
}

// Inside, hard radial is the identity: nothing moves with the set.
TEST(SampleCotangents, OfTheSetVanishWhereTheMapIsTheIdentity) {
  RandomPoints random(45);
  BoundsBatch<double> batch = support::random_bounds<double>(random, 20, 5, {"boxes", false, true});
  batch.u = *batch.anchor;
  for (std::size_t i = 0; i < 20; ++i) batch.u[i][0] += 0.01;
  const Batch<double> grad_x = support::gaussian_rows<double>(random, 20, 5);
  const BoundsCotangents<double> cotangents =
      support::vjp(HardRadial{}, batch, support::project(HardRadial{}, batch), grad_x);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(cotangents.u.get(i), grad_x.get(i));
    EXPECT_EQ(cotangents.lower.get(i), VectorXd::Zero(5));
    EXPECT_EQ(cotangents.upper.get(i), VectorXd::Zero(5));
    EXPECT_EQ(cotangents.anchor.get(i), VectorXd::Zero(5));
  }
}

}  // namespace
}  // namespace softradial
