#include "data/trip_grid.hpp"

#include <gtest/gtest.h>

#include "data/calendar.hpp"
#include "study/data/table_checks.hpp"

namespace softradial::study {
namespace {

TripCount count(std::int64_t zone, const char* hour, std::int64_t trips) {
  return {zone, parse_hour(hour)->time_since_epoch().count() / 3600, trips};
}

TEST(TripGrid, HoursWithoutTripsAreZero) {
  const TripImport result =
      grid_of_trips({count(7, "2024-01-01T05", 3), count(9, "2024-01-02T23", 4), count(7, "2024-01-02T23", 2)}, {});
  const DemandTable& table = result.data.table;
  EXPECT_EQ(table.zones, (std::vector<std::string>{"7", "9"}));
  ASSERT_EQ(table.hours.size(), 48U);
  EXPECT_EQ(format_hour(table.hours.front()), "2024-01-01T00");
  EXPECT_EQ(table.demand(5, 0), 3);
  EXPECT_EQ(table.demand(47, 0), 2);
  EXPECT_EQ(table.demand(47, 1), 4);
  EXPECT_EQ(table.demand.sum(), 9);
  EXPECT_EQ(result.trips, 9);
  EXPECT_EQ(result.data.warnings, std::vector<std::string>{});
}

TEST(TripGrid, DropsAndCountsDaysThatAreNotPlausible) {
  const std::vector<TripCount> counts = {count(1, "2002-12-31T23", 2), count(1, "2024-01-01T05", 1000),
                                         count(2, "2024-01-02T05", 10), count(1, "2024-01-03T00", 9)};
  const TripImport result = grid_of_trips(counts, {});
  EXPECT_EQ(result.data.table.hours.size(), 48U);
  EXPECT_EQ(result.data.table.zones, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(result.trips, 1010);
  EXPECT_EQ(result.outside_span, 11);
  EXPECT_EQ(result.data.warnings, std::vector<std::string>{"11 trips outside 2024-01-01 .. 2024-01-02 dropped"});
}

TEST(TripGrid, KeepsTheSpanThatWasAskedFor) {
  using namespace std::chrono;
  const std::vector<TripCount> counts = {count(1, "2002-12-31T23", 2), count(1, "2024-01-01T05", 1000),
                                         count(2, "2024-01-02T05", 1), count(1, "2024-01-03T00", 9)};
  const TripImport result =
      grid_of_trips(counts, {.from = sys_days(2024y / January / 1), .to = sys_days(2024y / January / 2)});
  EXPECT_EQ(result.data.table.hours.size(), 48U);
  EXPECT_EQ(result.trips, 1001);
  EXPECT_EQ(result.outside_span, 11);
  EXPECT_EQ(result.data.warnings, std::vector<std::string>{"11 trips outside 2024-01-01 .. 2024-01-02 dropped"});
}

TEST(TripGrid, FillsTheHourThatTheClocksSkip) {
  const TripImport result = grid_of_trips({count(1, "2024-03-10T01", 4), count(1, "2024-03-10T03", 8)}, {});
  EXPECT_EQ(result.data.table.demand(2, 0), 6);
  EXPECT_EQ(result.trips, 12);
  EXPECT_EQ(result.data.warnings,
            std::vector<std::string>{
                "2024-03-10T02 does not exist (start of daylight saving): filled with the mean of its neighbours"});
}

TEST(TripGrid, RefusesSpansThatMakeNoSense) {
  using namespace std::chrono;
  EXPECT_EQ(test::failure_text([] { (void)grid_of_trips({}, {}); }), "the files have no trips");
  EXPECT_EQ(test::failure_text(
                [] { (void)grid_of_trips({count(1, "2024-01-01T05", 1)}, {.from = sys_days(2025y / January / 1)}); }),
            "the files have no trips within the span asked for: theirs are from 2024-01-01 to 2024-01-01");
  EXPECT_EQ(test::failure_text([] {
              (void)grid_of_trips({count(1, "2002-01-01T05", 1), count(1, "2024-01-01T05", 1)}, {});
            }),
            "the trips span 2002-01-01 to 2024-01-01, more than 20 years: choose the days with --from and --to");
  EXPECT_EQ(test::failure_text([] {
              (void)grid_of_trips({count(1, "2024-01-01T05", 1), count(1, "2024-01-09T05", 1)}, {});
            }),
            "no trips from 2024-01-02 to 2024-01-08: a file is missing, or choose the days with --from and --to");
  EXPECT_EQ(test::failure_text([] { (void)grid_of_trips({count(264, "2024-01-01T05", 1)}, {}); }),
            "no zone is left: the data have the zones 264 and 265 only");
}

}  // namespace
}  // namespace softradial::study
