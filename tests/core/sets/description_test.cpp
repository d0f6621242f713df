#include "softradial/description.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "set_access.hpp"
#include "softradial/sets.hpp"

namespace softradial::testing {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ToString, ReadsWellForEverySet) {
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(2, 2);
  const Eigen::VectorXd z = Eigen::VectorXd::Zero(2);
  EXPECT_EQ(to_string(Set(Simplex(50))), "simplex(dim=50, sum=1)");
  EXPECT_EQ(to_string(Set(CappedSimplex(50, 0.05))), "capped_simplex(dim=50, cap=0.05, sum=1)");
  EXPECT_EQ(to_string(Set(CappedSimplex(vec({0.5, 2}), 1))), "capped_simplex(dim=2, cap=[0.5, 2], sum=1)");
  EXPECT_EQ(to_string(Set(CappedSimplex(Eigen::VectorXd::Ones(7), 1))),
            "capped_simplex(dim=7, cap=[7 numbers], sum=1)");
  EXPECT_EQ(to_string(Set(Box(vec({-kInfinity, 0}), vec({1, kInfinity})))), "box(lower=[-inf, 0], upper=[1, inf])");
  EXPECT_EQ(to_string(Set(Ball(vec({0.1, 1e300}), 2))), "ball(center=[0.1, 1e+300], radius=2)");
  EXPECT_EQ(to_string(Set(Ellipsoid(z, I))), "ellipsoid(center=[0, 0], shape=[2x2])");
  EXPECT_EQ(to_string(Set(Quadratic(I, z, -1))), "quadratic(P=[2x2], q=[0, 0], c=-1)");
  EXPECT_EQ(to_string(Set(Polyhedron(mat({{1, 1}}), vec({1})))), "polyhedron(A=[1x2], b=[1])");
  EXPECT_EQ(to_string(Set(Polyhedron(mat({{1, 1}}), vec({1}), I, z))), "polyhedron(A=[1x2], b=[1], E=[2x2], f=[0, 0])");
  EXPECT_EQ(to_string(Set(Polyhedron(SparseMatrix(I.sparseView()), z))),
            "polyhedron(A=[2x2], b=[0, 0], storage=sparse)");
  EXPECT_EQ(to_string(Set(SecondOrderCone(I, z, z, 1))), "second_order_cone(M=[2x2], s=[0, 0], c=[0, 0], e=1)");
  EXPECT_EQ(to_string(Set(Lmi({I, I, I}))), "lmi(F=[3 matrices, 2x2])");
  EXPECT_EQ(to_string(Set(LpBall(z, 1, kInfinity))), "lp_ball(center=[0, 0], radius=1, p=inf)");
  EXPECT_EQ(to_string(Set(LogSumExp(4, 0))), "log_sum_exp(dim=4, bound=0)");
  EXPECT_EQ(to_string(Set(KlBall(vec({0.5, 0.5}), 0.1))), "kl_ball(reference=[0.5, 0.5], radius=0.1)");
  EXPECT_EQ(to_string(Set(Scaled(Simplex(2), 3))), "scaled(set=[simplex(dim=2, sum=1)], factor=3)");
  EXPECT_EQ(to_string(Set(AffinePreimage(Simplex(2), I, z))),
            "affine_preimage(set=[simplex(dim=2, sum=1)], A=[2x2], b=[0, 0])");
}

TEST(ToString, ShowsTheAnchorsThatSetsCarry) {
  const Set carrying = Set(Simplex(2)).with_anchor(vec({0.25, 0.75}));
  EXPECT_EQ(to_string(carrying), "simplex(dim=2, sum=1, anchor=[0.25, 0.75])");
  EXPECT_EQ(to_string(Set(Intersection({carrying, Ball(vec({0, 0}), 1)}))),
            "intersection(sets=[simplex(dim=2, sum=1, anchor=[0.25, 0.75]), ball(center=[0, 0], radius=1)])");
  EXPECT_EQ(to_string(Set(Product({Simplex(1), carrying}))),
            "product(sets=[simplex(dim=1, sum=1), simplex(dim=2, sum=1, anchor=[0.25, 0.75])])");
}

TEST(Equality, IsThatOfTheDescriptions) {
  EXPECT_EQ(Set(Simplex(3)), Set(Simplex(3)));
  EXPECT_FALSE(Set(Simplex(3)) == Set(Simplex(4)));
  EXPECT_FALSE(Set(Simplex(3)) == Set(CappedSimplex(3, 1)));
  EXPECT_FALSE(Set(CappedSimplex(2, 1)) == Set(CappedSimplex(vec({1, 1}))));
  EXPECT_FALSE(Set(Ball(vec({0, 0}), 1)) == Set(Ball(vec({0, 0, 0}), 1)));
  const Eigen::MatrixXd A = mat({{1, 2}, {0, 1}});
  EXPECT_FALSE(Set(Polyhedron(A, vec({1, 1}))) == Set(Polyhedron(SparseMatrix(A.sparseView()), vec({1, 1}))));
  EXPECT_EQ(Set(Lmi({A + A.transpose(), A + A.transpose()})), Set(Lmi({A + A.transpose(), A + A.transpose()})));
  EXPECT_EQ(Set(Product({Simplex(3), Box(vec({0}), vec({kInfinity}))})),
            Set(Product({Simplex(3), Box(vec({0}), vec({kInfinity}))})));
}

TEST(Equality, RegardsTheAnchor) {
  const Set plain = Simplex(2);
  const Set carrying = plain.with_anchor(vec({0.25, 0.75}));
  EXPECT_FALSE(plain == carrying);
  EXPECT_EQ(carrying, Set(Simplex(2)).with_anchor(vec({0.25, 0.75})));
  EXPECT_FALSE(carrying == plain.with_anchor(vec({0.5, 0.5})));
  EXPECT_FALSE(carrying == plain.with_anchor(vec({0.25})));
  EXPECT_FALSE(plain.anchor().has_value());
}

TEST(Equality, OfLevelSetsIsIdentity) {
  const LevelSet half_line(
      1, [](std::span<const double> x) { return x[0]; },
      [](std::span<const double>, std::span<double> out) { out[0] = 1; });
  const Set a = half_line;
  const Set copy = a;
  const Set b = half_line;
  EXPECT_EQ(a, copy);
  EXPECT_FALSE(a == b);
  EXPECT_EQ(to_string(a), "level_set(dim=1)");
  EXPECT_FALSE(a.with_anchor(vec({-1})) == b.with_anchor(vec({-1})));
  EXPECT_FALSE(Set(Intersection({a})) == Set(Intersection({b})));
}

}  // namespace
}  // namespace softradial::testing
