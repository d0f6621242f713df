// Against real prices and demand, where the environment variable SOFTRADIAL_SHARED_DATA names a folder that has them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "data/demand_reader.hpp"
#include "data/price_reader.hpp"
#include "data/summary.hpp"
#include "data/tables.hpp"
#include "data/trip_import.hpp"

namespace softradial::study {
namespace {

class RealData : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("SOFTRADIAL_SHARED_DATA");
    if (folder == nullptr) GTEST_SKIP() << "SOFTRADIAL_SHARED_DATA names no folder with real data";
    folder_ = folder;
  }

  std::string folder_;
};

struct PaperRow {
  double mean, median, volatility, max_drawdown, correlation, autocorrelation;
};

// As printed, in per cent; half a unit of the last digit, doubled: the paper's last day is not known.
void expect_row(const SplitSummary& row, const PaperRow& paper) {
  EXPECT_NEAR(100 * row.mean, paper.mean, 0.01);
  EXPECT_NEAR(100 * row.median, paper.median, 0.02);
  EXPECT_NEAR(100 * row.volatility, paper.volatility, 0.01);
  EXPECT_NEAR(100 * row.max_drawdown, paper.max_drawdown, 0.01);
  EXPECT_NEAR(row.correlation, paper.correlation, 0.01);
  EXPECT_NEAR(row.autocorrelation, paper.autocorrelation, 0.001);
}

TEST_F(RealData, TrainingYearsHaveThePapersStatistics) {
  const PriceData sectors = read_prices(folder_ + "/portfolio/sectors.csv");
  EXPECT_EQ(sectors.warnings, std::vector<std::string>{});
  const std::vector<SplitSummary> sector_rows = summarize(sectors.table, table_splits());
  expect_row(sector_rows[0], {13.46, 20.17, 17.05, -18.61, 0.70, -0.037});
  EXPECT_NEAR(*sector_rows[2].ks_p_value, 0.007, 0.001);
  const PriceData global = read_prices(folder_ + "/portfolio/global.csv");
  expect_row(summarize(global.table, table_splits())[0], {7.30, 11.84, 17.47, -19.37, 0.35, -0.037});
}

TEST_F(RealData, LargePriceFilesAreReadAndTheirJumpsReported) {
  const PriceData stocks = read_prices(folder_ + "/portfolio/stocks300.csv.gz");
  EXPECT_EQ(stocks.table.tickers.size(), 300U);
  EXPECT_EQ(stocks.table.dates.size(), 4024U);
  EXPECT_GE(stocks.warnings.size(), 15U);
}

TEST_F(RealData, DemandHasEveryHour) {
  const DemandData data = read_demand(folder_ + "/taxi/hourly_pickups.csv", 10);
  EXPECT_EQ(data.table.hours.size(), 4368U);
  EXPECT_EQ(data.table.zones,
            (std::vector<std::string>{"142", "161", "162", "163", "170", "186", "230", "236", "237", "239"}));
}

TEST_F(RealData, TripRecordsAreCounted) {
  try {
    const TripImport green = import_trips({folder_ + "/taxi/raw/green_tripdata_2024-01.parquet"}, {});
    EXPECT_EQ(green.trips + green.outside_span + green.unreadable, 56551);
    EXPECT_EQ(green.data.table.hours.size(), 744U);
  } catch (const DataError& error) {
    if (std::string(error.what()).find("DuckDB") == std::string::npos) throw;
    GTEST_SKIP() << error.what();
  }
}

}  // namespace
}  // namespace softradial::study
