#pragma once

#include <Eigen/Core>
#include <string>

#include "anchor/linear_part.hpp"

namespace softradial {

struct ChebyshevCenter {
  AnchorStatus status = AnchorStatus::not_found;  // found, empty or not_found
  Eigen::VectorXd point;
  double radius = 0;  // of the ball around `point` in the hull; +infinity without rows
  std::string reason;
};

// The centre of the largest ball within the hull:
//   maximise t  subject to  a_i.x + t |P a_i| <= b_i,  E x = f,  t <= cap.
// Where the largest t is 0 the rows with a positive multiplier are implicit equalities: with sum_i y_i a_i normal to
// the hull, y >= 0 and sum_i y_i (b_i - a_i.x) = 0 for every x on it, their slack is 0 at every point of the set. They
// go into the hull of `part`, and the programme is solved again. Where t is negative the same multipliers prove that
// the set is empty. The cap (the size of the data) matters only to sets with balls of any size.
// Among several centres (a long box) one that is central in the remaining directions is taken, for dimensions up to
// kMaxNewtonDim. Ref: docs/math/anchors.md.
[[nodiscard]] ChebyshevCenter chebyshev_center(LinearPart& part);

}  // namespace softradial
