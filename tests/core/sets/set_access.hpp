#pragma once

#include <string>
#include <vector>

#include "softradial/set.hpp"
#include "support/vectors.hpp"

// Short forms that the tests of sets share.
namespace softradial::testing {

using support::mat;
using support::vec;

inline std::vector<double> slacks_at(const ConvexSet& set, const Eigen::VectorXd& x) {
  std::vector<double> out(set.num_inequalities());
  set.slacks({x.data(), set.dim()}, out);
  return out;
}

inline LinearSystem linear_part(const ConvexSet& set) {
  LinearSystem system(set.dim());
  set.append_linear(system);
  return system;
}

inline std::vector<std::string> names(const std::vector<LinearSystem::Row>& rows) {
  std::vector<std::string> result;
  for (const auto& row : rows) result.push_back(row.name);
  return result;
}

}  // namespace softradial::testing
