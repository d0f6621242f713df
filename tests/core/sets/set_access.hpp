#pragma once

#include <Eigen/Core>
#include <initializer_list>
#include <string>
#include <vector>

#include "softradial/set.hpp"

// Short forms that the tests of sets share.
namespace softradial::testing {

inline Eigen::VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

inline Eigen::MatrixXd mat(std::initializer_list<std::initializer_list<double>> rows) {
  Eigen::MatrixXd result(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.begin()->size()));
  Eigen::Index i = 0;
  for (const auto& row : rows) result.row(i++) = vec(row).transpose();
  return result;
}

inline std::vector<double> slacks_at(const ConvexSet& set, const Eigen::VectorXd& x) {
  std::vector<double> out(set.num_inequalities());
  set.slacks({x.data(), set.dim()}, out);
  return out;
}

inline double slack_at(const ConvexSet& set, const Eigen::VectorXd& x) { return slacks_at(set, x).at(0); }

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
