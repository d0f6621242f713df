#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "anchor/linear_part.hpp"

namespace softradial {

// The solution of  maximise t  subject to  a_i.x + t norm_i <= b_i,  E x = f,  t <= cap.
struct MaxSlack {
  Eigen::VectorXd point;       // on the hull
  double level = 0;            // the largest t
  double resolution = 0;       // smaller differences of t are the solver's tolerance or rounding
  double rounding = 0;         // of the point's place on the hull; 0 if the hull is the whole space
  bool capped = false;         // t = cap: the set contains balls of any radius
  std::vector<FreeRow> tight;  // rows with a positive multiplier
  double size = 0;             // the largest size of a tight row at the point, as a distance
};

// For a part with at least one free row. Empty if the solver fails.
[[nodiscard]] std::optional<MaxSlack> maximise_smallest_slack(const LinearPart& part);

}  // namespace softradial
