#include "anchor/relevant_inequalities.hpp"

#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_set>

namespace softradial {

// Linear rows and inequalities are matched by their names, which are the same in both lists.
RelevantInequalities::RelevantInequalities(const ConvexSet& set, const LinearPart& part) : set_(set) {
  const auto& rows = part.system().inequalities();
  std::unordered_set<std::string_view> constant;
  if (part.free_rows().size() < rows.size()) {
    auto free_row = part.free_rows().begin();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (free_row != part.free_rows().end() && free_row->inequality == i) {
        ++free_row;
      } else {
        constant.insert(rows[i].name);
      }
    }
  }
  const std::size_t count = set.num_inequalities();
  for (std::size_t i = 0; i < count; ++i) {
    if (constant.empty() || !constant.contains(set.inequality_name(i))) indices_.push_back(i);
  }
}

Eigen::VectorXd RelevantInequalities::slacks(const Eigen::VectorXd& x) const {
  std::vector<double> all(set_.num_inequalities());
  set_.slacks({x.data(), set_.dim()}, all);
  Eigen::VectorXd relevant(static_cast<Eigen::Index>(indices_.size()));
  for (std::size_t i = 0; i < indices_.size(); ++i) relevant[static_cast<Eigen::Index>(i)] = all[indices_[i]];
  return relevant;
}

NamedSlack RelevantInequalities::smallest(const Eigen::VectorXd& x) const {
  if (indices_.empty()) return {.name = {}, .slack = std::numeric_limits<double>::infinity()};
  const Eigen::VectorXd values = slacks(x);
  Eigen::Index smallest = 0;
  for (Eigen::Index i = 0; i < values.size() && !std::isnan(values[smallest]); ++i) {
    if (!(values[i] >= values[smallest])) smallest = i;
  }
  return {.name = name(static_cast<std::size_t>(smallest)), .slack = values[smallest]};
}

}  // namespace softradial
