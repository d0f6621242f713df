// Sets without points, or without an inside: the answer is a status with a reason that names the constraints.
#include <gtest/gtest.h>

#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets.hpp"
#include "support/specimen.hpp"

namespace softradial {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

void expect_empty(const Set& set, const std::string& named) {
  const Anchor anchor = find_anchor(set);
  EXPECT_EQ(anchor.status, AnchorStatus::empty) << anchor.reason;
  EXPECT_NE(anchor.reason.find(named), std::string::npos) << anchor.reason;
  EXPECT_THROW((void)require_anchor(set), NoInterior);
}

TEST(EmptySets, OppositeHalfspaces) { expect_empty(Polyhedron(MatrixXd{{1, 0}, {-1, 0}}, VectorXd{{0, -1}}), "row"); }

TEST(EmptySets, InconsistentEqualities) {
  const MatrixXd E{{1, 1}, {2, 2}};
  expect_empty(Polyhedron(MatrixXd(0, 2), VectorXd(0), E, VectorXd{{1, 3}}), "equalit");
}

TEST(EmptySets, InequalityAgainstEqualities) {
  expect_empty(Polyhedron(MatrixXd{{1, 1}}, VectorXd{{0.5}}, MatrixXd{{1, 1}}, VectorXd{{1}}), "row 0");
}

TEST(EmptySets, ZeroRowThatCannotHold) { expect_empty(Polyhedron(MatrixXd::Zero(1, 2), VectorXd{{-1}}), "row 0"); }

TEST(EmptySets, OfEveryType) {
  for (const Set& set : support::gather(&support::Specimen::empty)) {
    const Anchor anchor = find_anchor(set);
    EXPECT_EQ(anchor.status, AnchorStatus::empty) << to_string(set) << ": " << anchor.reason;
    EXPECT_FALSE(anchor.reason.empty());
    EXPECT_THROW((void)require_anchor(set), NoInterior);
  }
}

TEST(EmptySets, TangentBallsHaveAPointButNoInside) {
  const Set set = Intersection({Ball(VectorXd{{0, 0}}, 1), Ball(VectorXd{{2, 0}}, 1)});
  const Anchor anchor = find_anchor(set);
  EXPECT_NE(anchor.status, AnchorStatus::found);
  EXPECT_FALSE(anchor.reason.empty());
}

}  // namespace
}  // namespace softradial
