#include "data/price_reader.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "data/calendar.hpp"
#include "program/temp_dir.hpp"
#include "study/data/table_checks.hpp"

namespace softradial::study {
namespace {

using test::failure_text;
using Names = std::vector<std::string>;

class PriceReader : public testing::Test {
 protected:
  PriceData read(const std::string& text, const std::string& name = "p.csv") {
    return read_prices(dir_.write(name, text));
  }

  // The message, without the folder.
  std::string failure(const std::string& text, const std::string& name = "p.csv") {
    std::string message = failure_text([&] { (void)read(text, name); });
    const std::string folder = dir_.path("");
    for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder)) {
      message.erase(at, folder.size());
    }
    return message;
  }

  Names warnings(const PriceData& data) {
    Names all = data.warnings;
    const std::string folder = dir_.path("");
    for (std::string& warning : all) {
      if (warning.starts_with(folder)) warning.erase(0, folder.size());
    }
    return all;
  }

  test::TempDir dir_;
};

std::vector<std::string> dates(const PriceTable& table) {
  std::vector<std::string> all;
  for (const auto day : table.dates) all.push_back(format_date(day));
  return all;
}

Table matrix(std::initializer_list<std::initializer_list<double>> rows) {
  Table result(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.begin()->size()));
  Eigen::Index i = 0;
  for (const auto& row : rows) {
    Eigen::Index j = 0;
    for (const double value : row) result(i, j++) = value;
    ++i;
  }
  return result;
}

TEST_F(PriceReader, ReadsWideFiles) {
  const PriceData data = read("date,AAA,\"BBB\"\n2020-01-02,1.5,20\n2020-01-03,1.25,21\n");
  EXPECT_EQ(data.table.tickers, (Names{"AAA", "BBB"}));
  EXPECT_EQ(dates(data.table), (Names{"2020-01-02", "2020-01-03"}));
  EXPECT_EQ(data.table.prices, matrix({{1.5, 20}, {1.25, 21}}));
  EXPECT_EQ(data.warnings, Names{});
}

TEST_F(PriceReader, AcceptsByteOrderMarksCarriageReturnsAndEmptyLines) {
  const PriceData data = read(
      "\xEF\xBB\xBF"
      "Date,AAA\r\n\r\n20200102, 1.5 \r\n20200103,2");
  EXPECT_EQ(dates(data.table), (Names{"2020-01-02", "2020-01-03"}));
  EXPECT_EQ(data.table.prices, matrix({{1.5}, {2}}));
}

TEST_F(PriceReader, ReadsYahooFiles) {
  const PriceData data = read(
      "Date,Open,High,Low,Close,Adj Close,Volume\n"
      "2020-01-02,10,11,9,10.5,8.5,1000\n2020-01-03,null,null,null,null,null,null\n2020-01-06,10,11,9,10.6,8.6,1000\n",
      "XLB.csv");
  EXPECT_EQ(data.table.tickers, Names{"XLB"});
  EXPECT_EQ(data.table.prices, matrix({{8.5}, {8.5}, {8.6}}));
  EXPECT_EQ(warnings(data), Names{"XLB.csv: XLB has no price on 2020-01-03: filled with the last one before"});
}

TEST_F(PriceReader, ReadsStooqFiles) {
  const PriceData data = read("Date,Open,High,Low,Close,Volume\n2020-01-02,10,11,9,10.5,1000\n", "aapl_us_d.csv");
  EXPECT_EQ(data.table.tickers, Names{"aapl_us_d"});
  EXPECT_EQ(data.table.prices, matrix({{10.5}}));

  const PriceData rows = read(
      "<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>\n"
      "A.US,D,20200102,000000,1,1,1,3,5,0\nB.US,D,20200102,000000,1,1,1,4,5,0\nA.US,D,20200103,000000,1,1,1,3.5,5,0\n"
      "B.US,D,20200103,000000,1,1,1,4.5,5,0\n",
      "stooq.txt");
  EXPECT_EQ(rows.table.tickers, (Names{"A.US", "B.US"}));
  EXPECT_EQ(rows.table.prices, matrix({{3, 4}, {3.5, 4.5}}));
}

TEST_F(PriceReader, ReadsCompressedFiles) {
  const std::string path = dir_.path("XLE.csv.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_GT(gzputs(file, "Date,Close\n2020-01-02,7\n"), 0);
  ASSERT_EQ(gzclose(file), Z_OK);
  const PriceData data = read_prices(path);
  EXPECT_EQ(data.table.tickers, Names{"XLE"});
  EXPECT_EQ(data.table.prices, matrix({{7}}));

  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 9);
  EXPECT_NE(failure_text([&] { (void)read_prices(path); }).find("XLE.csv.gz: cannot be read: "), std::string::npos);
}

// 200 MB in a file of 200 kB: refused after a part of them.
TEST_F(PriceReader, RefusesCompressedFilesThatExpandWithoutEnd) {
  const std::string path = dir_.path("bomb.csv.gz");
  gzFile file = gzopen(path.c_str(), "wb9");
  const std::string zeros(1 << 20, '0');
  for (int i = 0; i < 200; ++i) ASSERT_GT(gzwrite(file, zeros.data(), static_cast<unsigned>(zeros.size())), 0);
  ASSERT_EQ(gzclose(file), Z_OK);
  EXPECT_EQ(failure_text([&] { (void)read_prices(path); }), path + ": expands to more than 300 times its size: this is no table");
}

TEST_F(PriceReader, ReadsAFolderOntoOneCalendar) {
  const test::TempDir folder;
  (void)folder.write("B.csv", "Date,Close\n2020-01-02,1\n2020-01-06,2\n2020-01-07,2.5\n");
  (void)folder.write("A.csv", "Date,Close\n2020-01-02,5\n2020-01-03,6\n2020-01-06,7\n2020-01-07,8\n");
  (void)folder.write("notes.md", "not a price");
  const PriceData data = read_prices(folder.path(""));
  EXPECT_EQ(data.table.tickers, (Names{"A", "B"}));
  EXPECT_EQ(data.table.prices, matrix({{5, 1}, {6, 1}, {7, 2}, {8, 2.5}}));
  ASSERT_EQ(data.warnings.size(), 2U);
  EXPECT_NE(data.warnings[0].find("B.csv: different calendars: B lacks 1 of 4 days (2020-01-03): filled with the last "
                                  "price before"),
            std::string::npos)
      << data.warnings[0];
  EXPECT_EQ(data.warnings[1], "B moves by +100.0 % on 2020-01-06: a split that is not adjusted?");
}

TEST_F(PriceReader, SortsAndMergesEqualDays) {
  const PriceData data = read("date,A,B\n2020-01-03,2,4\n2020-01-02,1.5,3\n2020-01-03,2,\n");
  EXPECT_EQ(data.table.prices, matrix({{1.5, 3}, {2, 4}}));
  EXPECT_EQ(data.warnings, Names{});
}

TEST_F(PriceReader, StartsWhereEveryTickerHasAPrice) {
  const PriceData data = read("date,A,B\n2020-01-02,1,\n2020-01-03,2,NaN\n2020-01-06,2.5,3\n2020-01-07,,3\n");
  EXPECT_EQ(dates(data.table), (Names{"2020-01-06", "2020-01-07"}));
  EXPECT_EQ(data.table.prices, matrix({{2.5, 3}, {2.5, 3}}));
  EXPECT_EQ(warnings(data),
            (Names{"p.csv: B has its first price on 2020-01-06: the table starts there, without the first 2 days",
                   "p.csv: A has no price on 2020-01-07: filled with the last one before"}));
}

TEST_F(PriceReader, NamesAFewMissingDaysAndCountsTheRest) {
  const PriceData data =
      read("date,A\n2020-01-01,1\n2020-01-02,\n2020-01-03,\n2020-01-04,\n2020-01-05,\n2020-01-06,\n");
  EXPECT_EQ(warnings(data), Names{"p.csv: A has no price on 2020-01-02, 2020-01-03, 2020-01-04 and 2 more days: filled "
                                  "with the last one before"});
}

TEST_F(PriceReader, ReportsMovesThatLookLikeSplits) {
  const PriceData data = read("date,A\n2020-01-01,100\n2020-01-02,51\n2020-01-03,75\n2020-01-06,114\n");
  EXPECT_EQ(data.warnings, (Names{"A moves by -49.0 % on 2020-01-02: a split that is not adjusted?",
                                  "A moves by +52.0 % on 2020-01-06: a split that is not adjusted?"}));
}

// Rows up to a day are the same whatever comes after it.
TEST_F(PriceReader, FillsWithoutLookingAhead) {
  const std::string past = "date,A,B,C\n2020-01-01,1,,2\n2020-01-02,1.5,3,\n2020-01-03,,3.5,2.5\n2020-01-06,2,,2.5\n";
  const PriceTable alone = read(past).table;
  for (const std::string future :
       {"2020-01-07,9,9,9\n", "2020-01-07,,,\n2020-01-08,5,,1\n", "2020-01-09,,1,\n2020-01-07,8,,\n"}) {
    const PriceTable more = read(past + future).table;
    ASSERT_GT(more.prices.rows(), alone.prices.rows());
    EXPECT_EQ(more.prices.topRows(alone.prices.rows()), alone.prices) << future;
    EXPECT_TRUE(std::equal(alone.dates.begin(), alone.dates.end(), more.dates.begin()));
  }
}

TEST_F(PriceReader, RefusesWhatItCannotUse) {
  const std::string head = "date,A,B\n2020-01-01,1,2\n";
  EXPECT_EQ(failure(""), "p.csv: is empty");
  EXPECT_EQ(failure("2020-01-01,1\n"), "p.csv: line 1: a header is missing: the first line begins with a date");
  EXPECT_EQ(failure("date\n"), "p.csv: line 1: expected a date and at least one ticker, separated by commas");
  EXPECT_EQ(failure("date,A,,B\n"), "p.csv: line 1: column 3 has no ticker");
  EXPECT_EQ(failure("date,A,A\n2020-01-01,1,2\n"), "p.csv: the ticker A occurs twice");
  EXPECT_EQ(failure("date,Soci\xE9t\xE9\n2020-01-01,1\n"), "p.csv: the ticker \"Soci?t?\" is not UTF-8");
  EXPECT_EQ(failure("date,A\n"), "p.csv: A has no prices");
  EXPECT_EQ(failure("date,A,B\n2020-01-01,1,\n"), "p.csv: B has no prices");
  EXPECT_EQ(failure(head + "2020-01-02,1\n"), "p.csv: line 3: 2 columns, but the header has 3");
  EXPECT_EQ(failure(head + "01/02/2020,1,2\n"),
            "p.csv: line 3: \"01/02/2020\" is not a date (expected 2010-01-04 or 20100104)");
  EXPECT_EQ(failure(head + "2020-01-02,1,abc\n"), "p.csv: line 3: B: \"abc\" is not a price");
  EXPECT_EQ(failure(head + "2020-01-02,inf,1\n"), "p.csv: line 3: A: \"inf\" is not a price");
  EXPECT_EQ(failure(head + "2020-01-02,0,1\n"), "p.csv: line 3: A: the price \"0\" is not positive");
  EXPECT_EQ(failure(head + "2020-01-02,1,-3.5\n"), "p.csv: line 3: B: the price \"-3.5\" is not positive");
  EXPECT_EQ(failure(head + "\n2020-01-01,1,2.5\n"), "p.csv: line 4: B: 2020-01-01 has the price 2.5, but 2 on line 2");
}

TEST_F(PriceReader, RefusesFilesAndFoldersThatAreNotThere) {
  EXPECT_NE(failure_text([&] {
              (void)read_prices(dir_.path("none.csv"));
            }).find("none.csv: cannot be opened: No such file or directory"),
            std::string::npos);
  const test::TempDir empty;
  EXPECT_NE(failure_text([&] {
              (void)read_prices(empty.path(""));
            }).find("the folder has no price files (*.csv, *.csv.gz, *.txt, *.txt.gz)"),
            std::string::npos);
}

}  // namespace
}  // namespace softradial::study
