#include "data/demand_reader.hpp"

#include <gtest/gtest.h>

#include "data/calendar.hpp"
#include "program/temp_dir.hpp"
#include "study/data/table_checks.hpp"

namespace softradial::study {
namespace {

using Names = std::vector<std::string>;

class DemandReader : public testing::Test {
 protected:
  DemandData read(const std::string& text, std::size_t max_zones = 0) {
    return read_demand(dir_.write("d.csv", text), max_zones);
  }

  std::string failure(const std::string& text) {
    const std::string message = test::failure_text([&] { (void)read(text); });
    const std::string folder = dir_.path("");
    return message.starts_with(folder) ? message.substr(folder.size()) : message;
  }

  test::TempDir dir_;
};

TEST_F(DemandReader, KeepsTheLargestZonesInTheOrderOfTheFile) {
  const std::string text = "hour,1,2,3\n2024-01-01T00,1,5,2\n2024-01-01T01,0,7,2\n";
  const DemandData all = read(text);
  EXPECT_EQ(all.table.zones, (Names{"1", "2", "3"}));
  EXPECT_EQ(all.table.demand, (Table(2, 3) << 1, 5, 2, 0, 7, 2).finished());
  EXPECT_EQ(all.table.zones_left_out, 0U);
  EXPECT_EQ(all.warnings, Names{});
  const DemandData two = read(text, 2);
  EXPECT_EQ(two.table.zones, (Names{"2", "3"}));
  EXPECT_EQ(two.table.demand, (Table(2, 2) << 5, 2, 7, 2).finished());
  EXPECT_EQ(two.table.zones_left_out, 1U);
  EXPECT_EQ(read(text, 4).warnings, Names{"4 zones asked for, but the data have 3"});
}

TEST_F(DemandReader, SortsHoursAndMergesEqualOnes) {
  const DemandData data = read("hour,1\n2024-01-01 01:00:00,5\n2024-01-01T00:00,3\n2024-01-01T01,5\n");
  EXPECT_EQ(data.table.demand, (Table(2, 1) << 3, 5).finished());
  EXPECT_EQ(format_hour(data.table.hours[0]), "2024-01-01T00");
}

TEST_F(DemandReader, DropsTripsFromNowhere) {
  const DemandData data = read("hour,264,7,265\n2024-01-01T00,10,1,20\n2024-01-01T01,10,2,0\n");
  EXPECT_EQ(data.table.zones, Names{"7"});
  EXPECT_EQ(data.warnings, (Names{"zone 264 (unknown or outside the city) dropped, with 20 requests",
                                  "zone 265 (unknown or outside the city) dropped, with 20 requests"}));
}

TEST_F(DemandReader, FillsTheHourThatTheClocksSkip) {
  const DemandData data = read("hour,1,2\n2024-03-10T01,10,3\n2024-03-10T03,20,0\n");
  ASSERT_EQ(data.table.hours.size(), 3U);
  EXPECT_EQ(data.table.demand, (Table(3, 2) << 10, 3, 15, 2, 20, 0).finished());
  ASSERT_EQ(data.warnings.size(), 1U);
  EXPECT_TRUE(data.warnings[0].ends_with(
      "d.csv: 2024-03-10T02 does not exist (start of daylight saving): filled with the mean of its neighbours"));
}

TEST_F(DemandReader, AddsTheHourThatHappensTwice) {
  const DemandData data = read("hour,1\n2024-11-03T00,1\n2024-11-03T01,4\n2024-11-03T01,5\n2024-11-03T02,1\n");
  EXPECT_EQ(data.table.demand, (Table(3, 1) << 1, 9, 1).finished());
  EXPECT_EQ(data.warnings.size(), 1U);
}

// Apart from the skipped hour, which has a neighbour on either side, rows do not depend on later ones.
TEST_F(DemandReader, LaterRowsDoNotChangeEarlierOnes) {
  const std::string past = "hour,1,2\n2024-03-10T00,10,3\n2024-03-10T01,12,5\n";
  const Table alone = read(past).table.demand;
  const Table more = read(past + "2024-03-10T03,40,1\n2024-03-10T04,50,2\n").table.demand;
  EXPECT_EQ(more.topRows(2), alone);
}

TEST_F(DemandReader, RefusesWhatItCannotUse) {
  const std::string head = "hour,1,2\n2024-01-01T00,1,2\n";
  EXPECT_EQ(failure(""), "d.csv: is empty");
  EXPECT_EQ(failure("hour,1\n"), "d.csv: has no hours");
  EXPECT_EQ(failure("hour\n"), "d.csv: line 1: expected an hour and at least one zone, separated by commas");
  EXPECT_EQ(failure("hour,1,1\n"), "d.csv: line 1: the zone 1 occurs twice");
  EXPECT_EQ(failure("hour,1,\n"), "d.csv: line 1: a zone has no name");
  EXPECT_EQ(failure("hour,\xFC\n"), "d.csv: line 1: the zone \"?\" is not UTF-8");
  EXPECT_EQ(failure("2024-01-01T00,1\n"), "d.csv: line 1: a header is missing: the first line begins with a date");
  EXPECT_EQ(failure(head + "2024-01-01T01,1\n"), "d.csv: line 3: 2 columns, but the header has 3");
  EXPECT_EQ(failure(head + "2024-01-01T01:30,1,2\n"),
            "d.csv: line 3: \"2024-01-01T01:30\" is not a full hour of local time (expected 2024-01-01T00)");
  EXPECT_EQ(failure(head + "2024-01-01T01,,2\n"), "d.csv: line 3: zone 1: \"\" is not a count");
  EXPECT_EQ(failure(head + "2024-01-01T01,1,x\n"), "d.csv: line 3: zone 2: \"x\" is not a count");
  EXPECT_EQ(failure(head + "2024-01-01T01,1,-2\n"), "d.csv: line 3: zone 2: the count \"-2\" is negative");
  EXPECT_EQ(failure(head + "2024-01-01T01,1,1e308\n"), "d.csv: line 3: zone 2: the count \"1e308\" is too large");
  EXPECT_EQ(failure(head + "2024-01-01T02,1,2\n"),
            "d.csv: line 3: hours are missing before 2024-01-01T02: expected 2024-01-01T01");
  EXPECT_EQ(failure("hour,1\n2024-03-10T01,1\n2024-03-10T04,1\n"),
            "d.csv: line 3: hours are missing before 2024-03-10T04: expected 2024-03-10T02");
  EXPECT_EQ(failure(head + "2024-01-01T00,1,3\n"), "d.csv: line 3: 2024-01-01T00 differs from line 2");
}

}  // namespace
}  // namespace softradial::study
