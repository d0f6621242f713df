#pragma once

#include <Eigen/Core>

#include "data/price_table.hpp"

namespace softradial::study {

// x -> (x - mean) / scale, column by column.
struct Standardisation {
  Eigen::VectorXd mean;
  Eigen::VectorXd scale;

  // scale = population standard deviation + floor. Rows of the training split only: nothing of the future enters.
  static Standardisation fit(const Eigen::Ref<const Table>& rows, double floor);
  void apply(Table& rows) const;  // throws if the number of columns is another one
};

}  // namespace softradial::study
