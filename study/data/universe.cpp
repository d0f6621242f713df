#include "data/universe.hpp"

#include "data/calendar.hpp"
#include "data/csv_file.hpp"
#include "data/tables.hpp"

namespace softradial::study {

namespace {

using namespace std::chrono;

// The spans of the preset "table", to which the paper's numbers belong.
constexpr sys_days kTestEnd = sys_days(2025y / December / 31);

// A row of the paper's table; means and volatilities in per cent.
struct Row {
  double mean, volatility, correlation, autocorrelation;
};

std::array<MarketTargets, 3> targets(const std::array<Row, 3>& rows) {
  const std::array<sys_days, 3> ends = {table_splits().train_end, table_splits().validation_end, kTestEnd};
  std::array<MarketTargets, 3> all;
  for (std::size_t s = 0; s < all.size(); ++s) {
    all[s] = {ends[s], rows[s].mean / 100, rows[s].volatility / 100, rows[s].correlation, rows[s].autocorrelation};
  }
  return all;
}

}  // namespace

Universe liquid_universe() {
  return {
      "liquid", "LIQ",
      50,       0.45,
      0.5,      targets({{{19.12, 24.98, 0.38, -0.021}, {19.71, 25.40, 0.39, -0.029}, {16.95, 31.44, 0.40, -0.088}}})};
}

Universe sectors_universe() {
  return {
      "sectors", "SEC",
      9,         0.3,
      0.6,       targets({{{13.46, 17.05, 0.70, -0.037}, {9.75, 17.15, 0.58, -0.003}, {13.99, 24.57, 0.65, -0.107}}})};
}

Universe global_universe() {
  return {"global", "GLO",
          11,       0.9,
          0.8,      targets({{{7.30, 17.47, 0.35, -0.037}, {7.46, 15.68, 0.32, -0.020}, {9.30, 22.34, 0.46, -0.045}}})};
}

Universe find_universe(std::string_view name) {
  for (Universe universe : {liquid_universe(), sectors_universe(), global_universe()}) {
    if (universe.name == name) return universe;
  }
  throw DataError("the synthetic prices " + quoted_field(name) +
                  " are not known: expected synthetic:liquid, synthetic:sectors or synthetic:global");
}

}  // namespace softradial::study
