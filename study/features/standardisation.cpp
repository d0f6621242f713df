#include "features/standardisation.hpp"

#include <stdexcept>
#include <string>

namespace softradial::study {

Standardisation Standardisation::fit(const Eigen::Ref<const Table>& rows, double floor) {
  if (rows.rows() == 0) throw std::invalid_argument("standardisation: the training split has no rows");
  Standardisation s;
  s.mean = rows.colwise().mean();
  s.scale = (rows.rowwise() - s.mean.transpose()).array().square().colwise().mean().sqrt() + floor;
  return s;
}

void Standardisation::apply(Table& rows) const {
  if (rows.cols() != mean.size()) {
    throw std::invalid_argument("standardisation of " + std::to_string(mean.size()) + " columns, given " +
                                std::to_string(rows.cols()));
  }
  rows.rowwise() -= mean.transpose();
  rows.array().rowwise() /= scale.transpose().array();
}

}  // namespace softradial::study
