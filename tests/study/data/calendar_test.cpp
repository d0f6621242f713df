#include "data/calendar.hpp"

#include <gtest/gtest.h>

namespace softradial::study {
namespace {

using namespace std::chrono;

TEST(Calendar, ReadsDates) {
  const sys_days day(2012y / February / 29);
  EXPECT_EQ(parse_date("2012-02-29"), day);
  EXPECT_EQ(parse_date("20120229"), day);
  EXPECT_EQ(parse_date("2012-02-29 00:00:00-05:00"), day);
  EXPECT_EQ(parse_date("2012-02-29T16:00"), day);
  EXPECT_EQ(format_date(day), "2012-02-29");
  for (const char* bad : {"", "2013-02-29", "2012-2-9", "29.02.2012", "2012-02-29x", "2012022", "2012-13-01", "date"}) {
    EXPECT_EQ(parse_date(bad), std::nullopt) << bad;
  }
}

TEST(Calendar, ReadsHours) {
  const local_seconds hour = local_days(2024y / March / 10) + 2h;
  for (const char* text : {"2024-03-10T02", "2024-03-10T02:00", "2024-03-10 02:00:00"}) {
    EXPECT_EQ(parse_hour(text), hour) << text;
  }
  EXPECT_EQ(format_hour(hour), "2024-03-10T02");
  for (const char* bad : {"2024-03-10", "2024-03-10T24", "2024-03-10T02:30", "2024-03-10T02:00Z", "2024-03-10x02"}) {
    EXPECT_EQ(parse_hour(bad), std::nullopt) << bad;
  }
}

TEST(Calendar, KnowsWhenTheClocksChange) {
  for (const char* text : {"2022-03-13T02", "2023-03-12T02", "2024-03-10T02", "2025-03-09T02"}) {
    EXPECT_TRUE(is_skipped_hour(*parse_hour(text))) << text;
  }
  for (const char* text : {"2024-03-10T01", "2024-03-10T03", "2024-03-17T02", "2024-03-09T02", "2024-11-03T01"}) {
    EXPECT_FALSE(is_skipped_hour(*parse_hour(text))) << text;
  }
  EXPECT_TRUE(is_repeated_hour(*parse_hour("2024-11-03T01")));
  EXPECT_FALSE(is_repeated_hour(*parse_hour("2024-11-10T01")));
}

}  // namespace
}  // namespace softradial::study
