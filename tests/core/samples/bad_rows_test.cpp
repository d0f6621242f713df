// Rows that have no answer: their status says why, they are NaN and get gradient 0, and the others do not notice.

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "sample_batches.hpp"

namespace softradial {
namespace {

using Eigen::VectorXd;
using support::Batch;
using support::BoundsBatch;
using support::BoundsCotangents;
using support::BoundsKind;
using support::PolyhedraBatch;
using support::PolyhedraCotangents;
using support::Projected;
using support::RandomPoints;
using support::same_bits;
using support::Wanted;

// What is done to a row, and the status that it gets.
template <class B>
struct Harm {
  std::string name;
  RowStatus status;
  std::function<void(B&, std::size_t)> apply;
};

// Applies each harm to a row of its own, with sound rows between them, and compares the sound ones with a batch of those
// alone. `parts_of` lists the parts of a cotangent that have a row for each sample.
template <class T, class B, class PullBack, class PartsOf>
void bad_rows_stay_alone(const B& sound, const std::vector<Harm<B>>& harms, const Method& method, RandomPoints& random,
                         const PullBack& pull_back, const PartsOf& parts_of) {
  B harmed = sound;
  std::map<std::size_t, const Harm<B>*> bad;
  for (std::size_t h = 0; h < harms.size(); ++h) {
    const std::size_t i = 1 + 2 * h;
    ASSERT_LT(i, sound.count());
    harms[h].apply(harmed, i);
    bad[i] = &harms[h];
  }
  std::vector<std::size_t> good;
  for (std::size_t i = 0; i < sound.count(); ++i) {
    if (!bad.contains(i)) good.push_back(i);
  }
  const Batch<T> grad_x = support::gaussian_rows<T>(random, sound.count(), sound.dim());
  const B rest = sound.rows(good);
  const Projected<T> actual = support::project(method, harmed);
  const Projected<T> expected = support::project(method, rest);
  const auto cotangents = pull_back(harmed, actual, grad_x);
  const auto wanted = pull_back(rest, expected, support::select(grad_x, good));
  for (const auto& [i, harm] : bad) {
    SCOPED_TRACE(harm->name);
    EXPECT_EQ(actual.status[i], harm->status);
    EXPECT_TRUE(actual.x.get(i).array().isNaN().all()) << actual.x.get(i).transpose();
    for (const Batch<T>* part : parts_of(cotangents)) {
      EXPECT_EQ(part->get(i), VectorXd::Zero(static_cast<Eigen::Index>(part->dim())));
    }
  }
  for (std::size_t r = 0; r < good.size(); ++r) {
    SCOPED_TRACE(good[r]);
    EXPECT_EQ(actual.status[good[r]], RowStatus::ok);
    EXPECT_TRUE(same_bits<T>(actual.x[good[r]], expected.x[r]));
    const auto parts = parts_of(cotangents);
    const auto wanted_parts = parts_of(wanted);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      EXPECT_TRUE(same_bits<T>((*parts[p])[good[r]], (*wanted_parts[p])[r])) << "part " << p;
    }
  }
}

// They convert to either precision.
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

template <class T>
class BadRows : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BadRows, Precisions);

template <class B>
std::vector<Harm<B>> harms_to_u() {
  return {{"NaN in u", RowStatus::not_finite, [](B& b, std::size_t i) { b.u[i][0] = kNaN; }},
          {"NaN at the end of u", RowStatus::not_finite, [](B& b, std::size_t i) { b.u[i].back() = kNaN; }},
          {"infinity in u", RowStatus::not_finite, [](B& b, std::size_t i) { b.u[i][1] = kInfinity; }},
          {"minus infinity in u", RowStatus::not_finite, [](B& b, std::size_t i) { b.u[i].back() = -kInfinity; }}};
}

TYPED_TEST(BadRows, OfBounds) {
  using T = TypeParam;
  using B = BoundsBatch<T>;
  constexpr auto kNone = RowStatus::no_interior;
  const std::vector<Harm<B>> to_lower = {
      {"lower above upper", kNone, [](B& b, std::size_t i) { b.lower[i][0] = b.upper[i][0] + 1; }},
      {"two ulp apart", kNone,
       [](B& b, std::size_t i) {
         b.lower[i][4] = 1;
         b.upper[i][4] = 1 + 2 * std::numeric_limits<T>::epsilon();
       }},
      {"lower is NaN", kNone, [](B& b, std::size_t i) { b.lower[i][3] = kNaN; }},
      {"lower is infinity", kNone, [](B& b, std::size_t i) { b.lower[i][3] = kInfinity; }},
      {"too small an interval for normal numbers", kNone,
       [](B& b, std::size_t i) {
         b.lower[i][0] = 0;
         b.upper[i][0] = std::numeric_limits<T>::min();
       }},
  };
  const std::vector<Harm<B>> to_upper = {
      {"upper below lower", kNone, [](B& b, std::size_t i) { b.upper[i][3] = b.lower[i][3] - 1; }},
      {"upper is NaN", kNone, [](B& b, std::size_t i) { b.upper[i].back() = kNaN; }},
      {"upper is minus infinity", kNone, [](B& b, std::size_t i) { b.upper[i][3] = -kInfinity; }},
      {"no interior and NaN in u", kNone,
       [](B& b, std::size_t i) {
         b.upper[i][4] = b.lower[i][4] - 1;
         b.u[i][0] = kNaN;
       }},
  };
  const std::vector<Harm<B>> to_total = {
      {"the caps sum to less than the total", kNone,
       [](B& b, std::size_t i) {
         b.upper.set(i, b.lower.get(i).array() + 0.25);
         (*b.total)[i][0] = static_cast<T>(b.upper.get(i).sum() + 0.5);
       }},
      {"the caps leave the total two ulp", kNone,
       [](B& b, std::size_t i) {
         for (T& lower : b.lower[i]) lower = std::round(lower) + 1;
         b.upper.set(i, b.lower.get(i).array() + 0.25);
         // Of the sizes of all caps and of the total: more than sums are rounded by, too little for a guard.
         const double two_ulp = 2 * std::numeric_limits<T>::epsilon() * 2 * b.upper.get(i).cwiseAbs().sum();
         (*b.total)[i][0] = static_cast<T>(b.upper.get(i).sum() - two_ulp);
       }},
      {"the lower bounds sum to more", kNone,
       [](B& b, std::size_t i) { (*b.total)[i][0] = static_cast<T>(b.lower.get(i).sum() - 1); }},
      {"the total is NaN", kNone, [](B& b, std::size_t i) { (*b.total)[i][0] = kNaN; }},
      {"the total is infinity", kNone, [](B& b, std::size_t i) { (*b.total)[i][0] = kInfinity; }},
  };
  const std::vector<Harm<B>> to_lower_and_total = {
      {"an open lower bound has no closed form", kNone, [](B& b, std::size_t i) { b.lower[i][2] = -kInfinity; }},
  };
  const std::vector<Harm<B>> to_anchor = {
      {"the anchor is outside", kNone, [](B& b, std::size_t i) { (*b.anchor)[i][0] = b.upper[i][0] + 1; }},
      {"the anchor is on the boundary", kNone, [](B& b, std::size_t i) { (*b.anchor)[i][0] = b.upper[i][0]; }},
      {"the anchor is NaN", kNone, [](B& b, std::size_t i) { (*b.anchor)[i][0] = kNaN; }},
      {"the anchor is NaN between open sides", kNone,
       [](B& b, std::size_t i) {
         b.lower[i][1] = -kInfinity;
         b.upper[i][1] = kInfinity;
         (*b.anchor)[i][1] = kNaN;
       }},
      {"the anchor is infinite on an open side", kNone, [](B& b, std::size_t i) { (*b.anchor)[i][1] = kInfinity; }},
  };
  for (const Method& method : {Method(SoftRadial{}), Method(HardRadial{}), Method(GaugeMap{})}) {
    for (const BoundsKind& kind : support::bounds_kinds()) {
      for (const Wanted wanted : {Wanted::everything, Wanted::all_but_lower}) {
        SCOPED_TRACE(testing::Message() << "method " << method.index() << ", " << kind.name << ", wanted "
                                        << static_cast<int>(wanted));
        std::vector<Harm<B>> harms = harms_to_u<B>();
        const auto add = [&](const std::vector<Harm<B>>& more) { harms.insert(harms.end(), more.begin(), more.end()); };
        add(to_upper);
        if (!kind.caps) add(to_lower);
        if (kind.sum && !kind.own_anchor) add(to_total);
        if (kind.sum && !kind.own_anchor && !kind.caps) add(to_lower_and_total);
        if (kind.own_anchor) add(to_anchor);
        RandomPoints random(51);
        B sound = support::random_bounds<T>(random, 2 * harms.size() + 1, 7, kind);
        for (std::size_t i = 0; i < sound.count(); ++i) {
          random.fill_row(sound.u[i], VectorXd::Zero(7), i % 5 == 0 ? 1e30 : 3);
        }
        const auto parts_of = [&](const BoundsCotangents<T>& c) {
          std::vector<const Batch<T>*> parts = {&c.u, &c.upper};
          if (wanted == Wanted::everything) parts.push_back(&c.lower);
          if (kind.sum) parts.push_back(&c.total);
          if (kind.own_anchor) parts.push_back(&c.anchor);
          return parts;
        };
        const auto pull_back = [&](const B& batch, const Projected<T>& forward, const Batch<T>& grad_x) {
          return support::vjp(method, batch, forward, grad_x, wanted);
        };
        bad_rows_stay_alone<T>(sound, harms, method, random, pull_back, parts_of);
      }
    }
  }
}

TYPED_TEST(BadRows, OfPolyhedra) {
  using T = TypeParam;
  using B = PolyhedraBatch<T>;
  constexpr auto kNone = RowStatus::no_interior;
  std::vector<Harm<B>> harms = harms_to_u<B>();
  const std::vector<Harm<B>> to_sets = {
      {"a slack of 0", kNone, [](B& b, std::size_t i) { b.slack[i][0] = 0; }},
      {"a negative slack", kNone, [](B& b, std::size_t i) { b.slack[i].back() = -1; }},
      {"a slack of minus infinity", kNone, [](B& b, std::size_t i) { b.slack[i][2] = -kInfinity; }},
      {"a slack that is NaN", kNone, [](B& b, std::size_t i) { b.slack[i][2] = kNaN; }},
      {"a slack too small for the anchor", kNone,
       [](B& b, std::size_t i) {
         b.anchor[i][0] = 100;
         b.slack[i][0] = std::numeric_limits<T>::epsilon();
       }},
      {"a slack too small for normal numbers", kNone,
       [](B& b, std::size_t i) {
         b.anchor.set(i, VectorXd::Zero(5));
         b.slack[i][0] = std::numeric_limits<T>::min();
       }},
      {"an anchor that is NaN", kNone, [](B& b, std::size_t i) { b.anchor[i][0] = kNaN; }},
      {"an infinite anchor", kNone, [](B& b, std::size_t i) { b.anchor[i][1] = -kInfinity; }},
      {"no interior and NaN in u", kNone,
       [](B& b, std::size_t i) {
         b.slack[i][0] = -1;
         b.u[i][0] = kNaN;
       }},
  };
  harms.insert(harms.end(), to_sets.begin(), to_sets.end());
  const std::vector<Harm<B>> to_matrices = {
      {"a row of A with a NaN", kNone, [](B& b, std::size_t i) { b.A[i * b.num_rows()][1] = kNaN; }},
      {"a row of A with an infinity", kNone, [](B& b, std::size_t i) { b.A[i * b.num_rows()][1] = kInfinity; }},
      {"a row of A too large for its products", kNone,
       [](B& b, std::size_t i) {
         for (T& a : b.A[i * b.num_rows()]) a = std::numeric_limits<T>::max() / 1024;
         b.slack[i][0] = std::numeric_limits<T>::max() / 1024;
       }},
      {"a row of A too small for its products", kNone,
       [](B& b, std::size_t i) {
         for (T& a : b.A[i * b.num_rows()]) a = std::numeric_limits<T>::min() * 1024;
       }},
      {"0.x <= -1", kNone,
       [](B& b, std::size_t i) {
         b.A.set(i * b.num_rows(), VectorXd::Zero(5));
         b.slack[i][0] = -1;
       }},
  };
  for (const Method& method : {Method(SoftRadial{}), Method(HardRadial{}), Method(GaugeMap{})}) {
    for (const bool own_matrices : {false, true}) {
      for (const bool with_hull : {false, true}) {
        SCOPED_TRACE(testing::Message() << method.index() << ", own " << own_matrices << ", hull " << with_hull);
        std::vector<Harm<B>> all = harms;
        if (own_matrices) all.insert(all.end(), to_matrices.begin(), to_matrices.end());
        RandomPoints random(52);
        B sound = support::random_polyhedra<T>(random, 130, 5, 9, own_matrices);
        if (with_hull) sound.hull = support::random_hull(random, 5);
        for (std::size_t i = 0; i < sound.count(); ++i) {
          random.fill_row(sound.u[i], VectorXd::Zero(5), i % 5 == 0 ? 1e30 : 3);
        }
        const auto parts_of = [](const PolyhedraCotangents<T>& c) {
          return std::vector<const Batch<T>*>{&c.u, &c.slack, &c.anchor};
        };
        const auto pull_back = [&](const B& batch, const Projected<T>& forward, const Batch<T>& grad_x) {
          return support::vjp(method, batch, forward, grad_x);
        };
        bad_rows_stay_alone<T>(sound, all, method, random, pull_back, parts_of);
      }
    }
  }
}

// Samples without an answer add nothing to the cotangent of a matrix.
TYPED_TEST(BadRows, LeaveTheMatrixAlone) {
  using T = TypeParam;
  RandomPoints random(53);
  PolyhedraBatch<T> batch = support::random_polyhedra<T>(random, 6, 5, 9, false);
  batch.u = support::gaussian_rows<T>(random, 6, 5);
  for (std::size_t i = 0; i < 6; ++i) {
    if (i % 2 == 0) batch.slack[i][0] = -1;
    if (i % 2 == 1) batch.u[i][0] = kNaN;
  }
  const Projected<T> forward = support::project(SoftRadial{}, batch);
  const PolyhedraCotangents<T> cotangents =
      support::vjp(SoftRadial{}, batch, forward, support::gaussian_rows<T>(random, 6, 5));
  EXPECT_EQ(cotangents.A.data(), std::vector<T>(9 * 5, T{0}));
}

}  // namespace
}  // namespace softradial
