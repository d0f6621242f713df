#include "linear_data.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "builders.hpp"

namespace softradial::layers {
namespace {

void dense(const std::vector<LinearSystem::Row>& rows, std::size_t dim, Eigen::MatrixXd& matrix,
           Eigen::VectorXd& bounds) {
  const auto m = static_cast<Eigen::Index>(rows.size());
  matrix = Eigen::MatrixXd::Zero(m, static_cast<Eigen::Index>(dim));
  bounds.resize(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    for (const auto& e : row.entries) matrix(i, static_cast<Eigen::Index>(e.column)) += e.value;
    bounds[i] = row.bound;
  }
}

LinearData dense(const LinearSystem& system) {
  LinearData data;
  dense(system.inequalities(), system.dim(), data.A, data.b);
  dense(system.equalities(), system.dim(), data.E, data.f);
  return data;
}

}  // namespace

LinearData linear_data(const Set& set, std::string_view method) {
  LinearSystem system(set.dim());
  if (!set->append_linear(system)) reject_set(method, "sets of linear constraints", set);
  return dense(system);
}

LinearData linear_part(const Set& set) {
  LinearSystem system(set.dim());
  set->append_linear(system);
  return dense(system);
}

TwoSidedRows two_sided(const LinearData& data) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  std::vector<Eigen::VectorXd> rows;
  std::vector<double> lower;
  std::vector<double> upper;
  for (Eigen::Index i = 0; i < data.A.rows(); ++i) {
    const Eigen::VectorXd row = data.A.row(i);
    const auto opposite = std::find(rows.begin(), rows.end(), Eigen::VectorXd(-row));
    if (opposite != rows.end()) {
      double& bound = lower[static_cast<std::size_t>(opposite - rows.begin())];
      bound = std::max(bound, -data.b[i]);
      continue;
    }
    const auto same = std::find(rows.begin(), rows.end(), row);
    if (same != rows.end()) {
      double& bound = upper[static_cast<std::size_t>(same - rows.begin())];
      bound = std::min(bound, data.b[i]);
      continue;
    }
    rows.push_back(row);
    lower.push_back(-kOpen);
    upper.push_back(data.b[i]);
  }
  for (Eigen::Index i = 0; i < data.E.rows(); ++i) {
    rows.emplace_back(data.E.row(i));
    lower.push_back(data.f[i]);
    upper.push_back(data.f[i]);
  }
  TwoSidedRows out;
  const auto m = static_cast<Eigen::Index>(rows.size());
  out.A.resize(m, data.A.cols());
  for (Eigen::Index i = 0; i < m; ++i) out.A.row(i) = rows[static_cast<std::size_t>(i)].transpose();
  out.lower = Eigen::Map<const Eigen::VectorXd>(lower.data(), m);
  out.upper = Eigen::Map<const Eigen::VectorXd>(upper.data(), m);
  return out;
}

}  // namespace softradial::layers

namespace softradial {

TwoSidedRows two_sided_rows(const Set& set) { return layers::two_sided(layers::linear_data(set, "a two-sided form")); }

}  // namespace softradial
