#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "anchor/linear_part.hpp"
#include "softradial/set.hpp"

namespace softradial {

struct NamedSlack {
  std::string name;
  double slack = 0;
};

// The inequalities of a set that an interior point has to satisfy strictly: all but the linear rows that are constant
// on the hull of `part`. Refers to the set, which has to outlive it.
class RelevantInequalities {
 public:
  RelevantInequalities(const ConvexSet& set, const LinearPart& part);

  [[nodiscard]] std::size_t size() const noexcept { return indices_.size(); }
  [[nodiscard]] std::string name(std::size_t i) const { return set_.inequality_name(indices_[i]); }
  [[nodiscard]] Eigen::VectorXd slacks(const Eigen::VectorXd& x) const;

  // The smallest slack, a NaN counting as the smallest of all; +infinity without a name if there is no inequality.
  [[nodiscard]] NamedSlack smallest(const Eigen::VectorXd& x) const;

 private:
  const ConvexSet& set_;
  std::vector<std::size_t> indices_;  // numbers of the set's inequalities
};

}  // namespace softradial
