#include "data/trip_import.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "data/calendar.hpp"
#include "data/duckdb_session.hpp"
#include "program/temp_dir.hpp"
#include "study/data/table_checks.hpp"

namespace softradial::study {
namespace {

class TripImportTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      session_ = std::make_unique<DuckDbSession>(1);
    } catch (const DataError& error) {
      GTEST_SKIP() << error.what();
    }
  }

  // A file of `select`, in the format that its name says.
  std::string write(const std::string& name, const std::string& select) {
    const std::string path = dir_.path(name);
    session_->run("COPY (" + select + ") TO " + sql_text(path));
    return path;
  }

  // The message without the folder.
  std::string failure(const std::vector<std::string>& paths) {
    std::string message = test::failure_text([&] { (void)import_trips(paths, {}); });
    if (const std::string folder = dir_.path(""); message.starts_with(folder)) message.erase(0, folder.size());
    return message;
  }

  test::TempDir dir_;
  std::unique_ptr<DuckDbSession> session_;
};

// One trip a minute over two days, zones 1, 2 and 3 in turn.
const std::string kTrips =
    "range AS tpep_pickup_datetime, 1 + epoch(range)::BIGINT // 60 % 3 AS \"PULocationID\" "
    "FROM range(TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-03', INTERVAL 1 MINUTE)";

TEST_F(TripImportTest, CountsParquetAndCsvAlike) {
  for (const std::string name : {"yellow.parquet", "yellow.csv", "yellow.csv.gz"}) {
    const TripImport result = import_trips({write(name, "SELECT " + kTrips)}, {});
    EXPECT_EQ(result.data.table.hours.size(), 48U) << name;
    EXPECT_EQ(result.data.table.demand, Table::Constant(48, 3, 20)) << name;
    EXPECT_EQ(result.trips, 2880) << name;
    EXPECT_EQ(result.unreadable + result.outside_span, 0) << name;
  }
}

TEST_F(TripImportTest, AddsFilesOfEveryKind) {
  const auto one_trip = [](const std::string& column, const std::string& zone) {
    return "SELECT TIMESTAMP '2024-01-01 05:59:59' AS " + column + ", 4 AS \"" + zone + "\"";
  };
  const TripImport result = import_trips({write("yellow.parquet", one_trip("tpep_pickup_datetime", "PULocationID")),
                                          write("green.csv", one_trip("lpep_pickup_datetime", "PULocationID")),
                                          write("for_hire.parquet", one_trip("pickup_datetime", "PUlocationID"))},
                                         {});
  EXPECT_EQ(result.data.table.demand(5, 0), 3);
  EXPECT_EQ(result.trips, 3);
}

TEST_F(TripImportTest, ExpandsPatterns) {
  (void)write("yellow_1.parquet", "SELECT " + kTrips);
  (void)write("yellow_2.parquet", "SELECT " + kTrips);
  const TripImport result = import_trips({dir_.path("yellow_*.parquet")}, {.max_zones = 2});
  EXPECT_EQ(result.trips, 5760);
  EXPECT_EQ(result.data.table.zones.size(), 2U);
}

TEST_F(TripImportTest, CountsWhatItDrops) {
  const std::string path = dir_.write("yellow.csv",
                                      "tpep_pickup_datetime,PULocationID\n2024-01-01 00:00:00,7\nsoon,7\n"
                                      "2024-01-01 01:00:00,\n1969-12-31 23:30:00,7\n2024-01-01 02:59:59,7\n");
  using namespace std::chrono;
  const TripImport result = import_trips({path}, {.from = sys_days(2024y / January / 1)});
  EXPECT_EQ(result.trips, 2);
  EXPECT_EQ(result.unreadable, 2);
  EXPECT_EQ(result.outside_span, 1);
  EXPECT_EQ(result.data.table.demand(2, 0), 1);
  EXPECT_EQ(result.data.warnings, (std::vector<std::string>{"1 trips outside 2024-01-01 .. 2024-01-01 dropped",
                                                            "2 trips without a time or a zone dropped"}));
}

TEST_F(TripImportTest, RefusesWhatItCannotUse) {
  EXPECT_EQ(failure({}), "no trip records: name at least one file");
  EXPECT_EQ(failure({dir_.path("none.parquet")}), "none.parquet: no such file");
  EXPECT_EQ(failure({write("other.parquet", "SELECT 1 AS a")}),
            "other.parquet: has no column tpep_pickup_datetime, lpep_pickup_datetime or pickup_datetime: not a trip "
            "record of the Taxi and Limousine Commission since 2016?");
  EXPECT_EQ(failure({write("old.csv", "SELECT TIMESTAMP '2009-01-01' AS tpep_pickup_datetime, 40.7 AS start_lat")}),
            "old.csv: has no column PULocationID: not a trip record of the Taxi and Limousine Commission since 2016?");
  EXPECT_TRUE(failure({dir_.write("broken.parquet", "not parquet at all")}).starts_with("broken.parquet: DuckDB: "));
  const std::string twice = write("yellow.parquet", "SELECT " + kTrips);
  EXPECT_EQ(failure({twice, twice}), "yellow.parquet: is named twice");
}

}  // namespace
}  // namespace softradial::study
