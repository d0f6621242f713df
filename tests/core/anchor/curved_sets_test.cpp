// Interior points of sets with curved constraints: phase I from far away, kinks, cones, flat and mixed sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Point = std::span<const double>;

Anchor expect_interior(const Set& set) {
  Anchor anchor = find_anchor(set);
  EXPECT_EQ(anchor.status, AnchorStatus::found) << anchor.reason;
  EXPECT_GT(anchor.slack, 0);
  return anchor;
}

// sum_j cosh(x_j - 4) <= dim + 0.5: smooth, steep, and far from the origin.
LevelSet cosh_bowl(std::size_t dim) {
  return {dim,
          [](Point x) {
            double sum = -static_cast<double>(x.size()) - 0.5;
            for (const double v : x) sum += std::cosh(v - 4);
            return sum;
          },
          [](Point x, std::span<double> out) {
            std::ranges::transform(x, out.begin(), [](double v) { return std::sinh(v - 4); });
          }};
}

// max_j 10 (j + 1) |x_j - 5 - j| <= bound: kinks everywhere, axes of very different lengths.
LevelSet kinked_box(std::size_t dim, double bound) {
  const auto side = [](Point x, std::size_t j) { return x[j] - 5 - static_cast<double>(j); };
  const auto weight = [](std::size_t j) { return 10 * static_cast<double>(j + 1); };
  return {dim,
          [=](Point x) {
            double largest = 0;
            for (std::size_t j = 0; j < x.size(); ++j) largest = std::max(largest, weight(j) * std::abs(side(x, j)));
            return largest - bound;
          },
          [=](Point x, std::span<double> out) {
            std::size_t at = 0;
            for (std::size_t j = 1; j < x.size(); ++j) {
              if (weight(j) * std::abs(side(x, j)) > weight(at) * std::abs(side(x, at))) at = j;
            }
            std::ranges::fill(out, 0);
            out[at] = std::copysign(weight(at), side(x, at));
          }};
}

TEST(CurvedSets, SmoothLevelSetsFarAway) {
  for (const std::size_t dim : {1U, 3U, 20U, 60U}) {
    const Anchor anchor = expect_interior(cosh_bowl(dim));
    EXPECT_NEAR(anchor.slack, 0.5, 1e-6);
  }
}

TEST(CurvedSets, LevelSetsWithKinks) {
  for (const std::size_t dim : {1U, 2U, 5U, 20U}) expect_interior(kinked_box(dim, 1));
}

TEST(CurvedSets, GivingUpSaysWhatIsMissing) {
  const Anchor anchor = find_anchor(kinked_box(3, -0.5));
  EXPECT_EQ(anchor.status, AnchorStatus::not_found);
  EXPECT_NE(anchor.reason.find("level_set"), std::string::npos) << anchor.reason;
  EXPECT_NE(anchor.reason.find("anchor"), std::string::npos) << anchor.reason;
}

TEST(CurvedSets, FunctionsThatAreNotDefinedAtTheOrigin) {
  const LevelSet set(
      2,
      [](Point x) {
        return x[0] > 0 ? x[0] * x[0] + x[1] * x[1] - std::log(x[0]) - 3 : std::numeric_limits<double>::infinity();
      },
      [](Point x, std::span<double> out) {
        out[0] = 2 * x[0] - 1 / x[0];
        out[1] = 2 * x[1];
      });
  const Anchor anchor = expect_interior(set);
  EXPECT_NEAR(anchor.point[0], std::sqrt(0.5), 1e-5);
}

TEST(CurvedSets, IntersectionIsFoundFromOutsideOfEveryMember) {
  // Three balls whose common part is a small curved triangle around the origin.
  const double reach = 1 + 1e-4;
  std::vector<Set> balls;
  for (int k = 0; k < 3; ++k) {
    const double angle = 2 * M_PI * k / 3;
    balls.emplace_back(Ball(VectorXd{{std::cos(angle), std::sin(angle)}}, reach));
  }
  const Anchor anchor = expect_interior(Intersection(balls));
  EXPECT_LE(anchor.point.norm(), 1e-9);
  EXPECT_NEAR(anchor.slack, 1e-4, 1e-9);
}

TEST(CurvedSets, DistantSetsAreNotTakenForEmpty) {
  for (const auto& [name, set] : support::gather(&support::Specimen::far_away)) {
    SCOPED_TRACE(name);
    expect_interior(set);
    // Without the anchor that some of them carry, too.
    EXPECT_EQ(find_anchor(set, AnchorSearch::analytic).status, AnchorStatus::found);
  }
}

TEST(CurvedSets, ConesGiveModeratePoints) {
  const Anchor anchor = expect_interior(support::zoo_member("cone"));
  EXPECT_LE(anchor.point.norm(), 100);
  EXPECT_GE(anchor.slack, 0.1);
}

TEST(CurvedSets, MixedSetsWithImplicitEqualities) {
  const Polyhedron flat(MatrixXd{{1, 0, 0}, {-1, 0, 0}}, VectorXd{{0.5, -0.5}});
  const Set disc = Intersection({Ball(VectorXd::Zero(3), 1), flat});
  for (const auto& [set, factor] : {std::pair<Set, double>{disc, 1}, {Scaled(disc, 10), 10}}) {
    const Anchor anchor = expect_interior(set);
    EXPECT_EQ(anchor.hull.codimension(), 1U);
    EXPECT_LE((anchor.point - factor * VectorXd{{0.5, 0, 0}}).norm(), 1e-6 * factor) << anchor.point.transpose();
  }
}

TEST(CurvedSets, FlatCurvedSetsHaveNoInterior) {
  for (const Set& set : support::gather(&support::Specimen::without_interior)) {
    const Anchor anchor = find_anchor(set);
    EXPECT_EQ(anchor.status, AnchorStatus::no_interior) << to_string(set) << ": " << anchor.reason;
    EXPECT_THROW((void)require_anchor(set), NoInterior);
  }
}

TEST(CurvedSets, EmptinessNamesTheConstraintsAndTheGap) {
  const Anchor apart = find_anchor(Intersection({Ball(VectorXd{{0, 0}}, 1), Ball(VectorXd{{2.1, 0}}, 1)}));
  EXPECT_EQ(apart.status, AnchorStatus::empty) << apart.reason;
  EXPECT_NE(apart.reason.find("sets[0]: ball and sets[1]: ball"), std::string::npos) << apart.reason;
  const Anchor closer = find_anchor(Intersection({Ball(VectorXd{{0, 0}}, 1), Ball(VectorXd{{2.001, 0}}, 1)}));
  EXPECT_EQ(closer.status, AnchorStatus::empty) << closer.reason;
  const Anchor mixed = find_anchor(Intersection({Simplex(3), Ball(VectorXd::Zero(3), 0.5)}));
  EXPECT_EQ(mixed.status, AnchorStatus::empty) << mixed.reason;
  EXPECT_NE(mixed.reason.find("sets[1]: ball"), std::string::npos) << mixed.reason;
}

TEST(CurvedSets, ProductsCombineTheirPartsOwnMethods) {
  const Polyhedron flat(MatrixXd{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, VectorXd{{0, 0, 1, 1}});
  const Anchor anchor = expect_interior(Product({flat, Ball(VectorXd{{1, 2}}, 3), Simplex(2)}));
  EXPECT_EQ(anchor.source, AnchorSource::chebyshev);
  EXPECT_EQ(anchor.hull.codimension(), 2U);
  EXPECT_LE((anchor.point - VectorXd{{0, 0, 1, 2, 0.5, 0.5}}).norm(), 1e-9) << anchor.point.transpose();
  const Anchor empty = find_anchor(Product({Simplex(2), Polyhedron(MatrixXd{{1}, {-1}}, VectorXd{{0, -1}})}));
  EXPECT_EQ(empty.status, AnchorStatus::empty);
  EXPECT_EQ(empty.reason.rfind("sets[1]: row 0 and row 1", 0), 0U) << empty.reason;
}

TEST(CurvedSets, ChebyshevIsForPolyhedra) {
  EXPECT_THROW((void)find_anchor(Ball(VectorXd::Zero(2), 1), AnchorSearch::chebyshev), InvalidOption);
  EXPECT_EQ(find_anchor(Product({Simplex(2), Simplex(3)}), AnchorSearch::chebyshev).source, AnchorSource::chebyshev);
}

}  // namespace
}  // namespace softradial
