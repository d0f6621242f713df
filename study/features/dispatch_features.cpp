#include "features/dispatch_features.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <stdexcept>

namespace softradial::study {

Table calendar_features(const std::vector<std::chrono::local_seconds>& hours) {
  using namespace std::chrono;
  Table out(std::ssize(hours), 4);
  for (Eigen::Index t = 0; t < out.rows(); ++t) {
    const local_seconds time = hours[static_cast<size_t>(t)];
    const local_days day = floor<days>(time);
    const auto hour = static_cast<double>(floor<std::chrono::hours>(time - day).count());
    const double weekday_index = std::chrono::weekday(day).iso_encoding() - 1;
    const double of_day = 2 * std::numbers::pi * hour / 24;
    const double of_week = 2 * std::numbers::pi * weekday_index / 7;
    out.row(t) << std::sin(of_day), std::cos(of_day), std::sin(of_week), std::cos(of_week);
  }
  return out;
}

Eigen::VectorXd supply(const Table& demand) {
  Eigen::VectorXd out = Eigen::VectorXd::Ones(demand.rows());
  for (Eigen::Index t = 1; t < demand.rows(); ++t) out(t) = std::max(1.0, demand.row(t - 1).sum());
  return out;
}

void check_demand(const DemandTable& table) {
  const Table& demand = table.demand;
  std::ostringstream text;
  if (demand.rows() != std::ssize(table.hours) || demand.cols() != std::ssize(table.zones)) {
    text << "demand: a table of " << demand.rows() << " x " << demand.cols() << " for " << table.hours.size()
         << " hours and " << table.zones.size() << " zones";
    throw std::invalid_argument(text.str());
  }
  for (size_t t = 1; t < table.hours.size(); ++t) {
    if (table.hours[t] - table.hours[t - 1] == std::chrono::hours(1)) continue;
    text << "demand: rows " << t - 1 << " and " << t << " are "
         << std::chrono::duration_cast<std::chrono::minutes>(table.hours[t] - table.hours[t - 1]).count()
         << " minutes apart: every hour needs its row";
    throw std::invalid_argument(text.str());
  }
  for (Eigen::Index t = 0; t < demand.rows(); ++t) {
    for (Eigen::Index i = 0; i < demand.cols(); ++i) {
      if (demand(t, i) >= 0 && std::isfinite(demand(t, i))) continue;
      text << "demand: zone " << table.zones[static_cast<size_t>(i)] << " asks for " << demand(t, i) << " in row " << t
           << ": demand must be finite and not negative";
      throw std::invalid_argument(text.str());
    }
  }
}

}  // namespace softradial::study
