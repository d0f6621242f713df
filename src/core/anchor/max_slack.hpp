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
  double resolution = 0;       // what the solver can tell t from
  bool capped = false;         // t = cap: the set contains balls of any radius
  std::vector<FreeRow> tight;  // rows with a positive multiplier
  double size = 0;             // of the point and of the data of the tight rows, as distances
};

// For a part with at least one free row. Nothing where the solver fails.
[[nodiscard]] std::optional<MaxSlack> maximise_smallest_slack(const LinearPart& part);

}  // namespace softradial
