#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"

namespace softradial::test {
namespace {

class DataCommand : public testing::Test {
 protected:
  // Prices over the years of every split, one day a month.
  std::string write_prices() {
    std::string text = "date,A,B\n";
    int price = 100;
    for (int year = 2010; year <= 2025; ++year) {
      for (int month = 10; month <= 12; ++month) {
        price += month == 11 ? -7 : 5;
        text += std::to_string(year) + "-" + std::to_string(month) + "-15," + std::to_string(price) + "," +
                std::to_string(300 - price) + "\n";
      }
    }
    return dir_.write("prices.csv", text);
  }

  TempDir dir_;
};

TEST_F(DataCommand, HelpShowsExamples) {
  for (const std::string command : {"summarize", "generate", "import"}) {
    const ChildResult help = run_softradial({"data", command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_EQ(help.err, "") << command;
    EXPECT_NE(help.out.find("Examples:\n  softradial data " + command + " "), std::string::npos) << help.out;
  }
  EXPECT_NE(run_softradial({"data", "--help"}).out.find("Examples:\n  softradial data"), std::string::npos);
}

TEST_F(DataCommand, SummarizesEverySplit) {
  const ChildResult result = run_softradial({"data", "summarize", "--prices", write_prices()});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out.starts_with("split            first        last  days  mean %")) << result.out;
  for (const char* row : {"\ntrain       2010-11-15  2018-12-15    26 ", "\nvalidation  2019-10-15  2020-12-15     6 ",
                          "\ntest        2021-10-15  2025-12-15    15 "}) {
    EXPECT_NE(result.out.find(row), std::string::npos) << result.out;
  }
}

TEST_F(DataCommand, SummarizesDemand) {
  const auto text = run_softradial({"data", "summarize", "--demand", "synthetic:taxi", "--zones", "20"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(std::ranges::count(text.out, '\n'), 4);
  const auto result = run_softradial({"data", "summarize", "--demand", "synthetic:taxi", "--json"});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["zones"], 150);
  EXPECT_GT(json["splits"][0]["weekly_correlation"].get<double>(), 0.5);
  EXPECT_EQ(run_softradial({"data", "summarize"}).exit_code, 2);
  const auto seeded = [](const char* flag) {
    return run_softradial({"data", "summarize", "--demand", "synthetic:taxi", flag, "3"}).out;
  };
  EXPECT_EQ(seeded("--seed"), seeded("--data-seed"));
  EXPECT_NE(seeded("--seed"), text.out);
  EXPECT_EQ(run_softradial({"data", "summarize", "--demand", "synthetic:taxi", "--split", "text"}).exit_code, 2);
  EXPECT_EQ(run_softradial({"data", "summarize", "--prices", "synthetic:sectors", "--zones", "3"}).exit_code, 2);
  EXPECT_EQ(
      run_softradial({"data", "summarize", "--prices", "synthetic:sectors", "--demand", "synthetic:taxi"}).exit_code,
      2);
}

TEST_F(DataCommand, SummarizesAsJson) {
  const ChildResult result = run_softradial(
      {"data", "summarize", "--prices", "synthetic:sectors", "--split", "table", "--seed", "3", "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.out.starts_with(
      R"({"prices":"synthetic:sectors","assets":9,"train_end":"2017-12-31","validation_end":"2019-12-31","splits":[)"
      R"({"split":"train","first":"2010-01-05","last":"2017-12-29","days":2084,"mean":0.134)"))
      << result.out;
  EXPECT_NE(result.out.find(R"("ks_p_value":null})"), std::string::npos) << result.out;
  EXPECT_TRUE(result.out.ends_with("}]}\n")) << result.out;
}

TEST_F(DataCommand, TellsWhatItRepaired) {
  const ChildResult result = run_softradial(
      {"data", "summarize", "--split", "2020-01-06,2020-01-10", "--prices",
       dir_.write("p.csv",
                  "date,A\n2020-01-02,1\n2020-01-03,1\n2020-01-04,2\n2020-01-05,\n2020-01-06,2\n2020-01-07,2\n"
                  "2020-01-08,2\n2020-01-09,2\n2020-01-11,2\n2020-01-12,2\n2020-01-13,2\n")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.err.find("p.csv: A has no price on 2020-01-05: filled with the last one before\n"),
            std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("softradial: warning: A moves by +100.0 % on 2020-01-04: a split that is not adjusted?\n"),
            std::string::npos)
      << result.err;
}

TEST_F(DataCommand, GeneratesFilesThatItReads) {
  const std::string file = dir_.path("global.csv.gz");
  const ChildResult generated = run_softradial({"data", "generate", "synthetic:global", "--seed", "4", "--out", file});
  EXPECT_EQ(generated.exit_code, 0);
  EXPECT_EQ(generated.out + generated.err, "");
  EXPECT_EQ(run_softradial({"data", "summarize", "--prices", file}).out,
            run_softradial({"data", "summarize", "--prices", "synthetic:global", "--seed", "4"}).out);
  EXPECT_EQ(
      run_softradial({"data", "generate", "synthetic:taxi", "--zones", "3", "--out", dir_.path("taxi.csv")}).exit_code,
      0);
  EXPECT_TRUE(std::filesystem::exists(dir_.path("taxi.csv")));
}

TEST_F(DataCommand, BadInputIsOneLineAndCodeTwo) {
  const std::string prices = write_prices();
  const std::string out = dir_.path("out.csv");
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"data"}, "no command: see softradial data --help"},
      {{"data", "sumarize"}, "unknown command \"sumarize\": did you mean summarize?"},
      {{"data", "summarize", "--price", prices}, "unknown option --price: did you mean --prices?"},
      {{"data", "summarize", "--prices", "synthetic:sectors", "--seed", "-1"},
       "--seed -1: expected a whole number from 0 to 9007199254740992"},
      {{"data", "summarize", "--prices", "synthetic:sectors", "--seed", "1.5"},
       "--seed 1.5: expected a whole number from 0 to 9007199254740992"},
      {{"data", "summarize", "--prices", prices, "--json", "--format", "text"}, "--format excludes --json"},
      {{"data", "generate", "synthetic:taxi", "--zones", "-1", "--out", out},
       "--zones -1: expected a whole number from 0 to 1000000"},
      {{"data", "import", "--trips", "a.parquet", "--out", out, "--threads", "9999999999999999999999"},
       "--threads 9999999999999999999999: expected a whole number from 0 to 1024"},
      {{"data", "summarize"}, "give --prices or --demand"},
      {{"data", "summarize", "--prices", dir_.path("none")},
       dir_.path("none") + ": cannot be opened: No such file or directory"},
      {{"data", "summarize", "--prices", dir_.write("bad.csv", "date,A\n2020-01-01,-1\n")},
       dir_.path("bad.csv") + ": line 2: A: the price \"-1\" is not positive"},
      {{"data", "summarize", "--prices", prices, "--split", "2019"},
       "the split \"2019\" is neither text nor table nor two dates (expected 2018-12-31,2020-12-31)"},
      {{"data", "summarize", "--prices", prices, "--split", "2008-12-31,2009-12-31"},
       "the split train has 0 returns, too few to describe (train to 2008-12-31, validation to 2009-12-31, data to "
       "2025-12-15)"},
      {{"data", "generate", "liquid", "--out", out},
       "\"liquid\" cannot be generated: expected synthetic:liquid, synthetic:sectors, synthetic:global or "
       "synthetic:taxi"},
      {{"data", "generate", "synthetic:gold", "--out", out},
       "the synthetic prices \"gold\" are not known: expected synthetic:liquid, synthetic:sectors or synthetic:global"},
      {{"data", "generate", "synthetic:liquid", "--out", "/no/such/folder/p.csv"},
       "/no/such/folder/p.csv: cannot be written: No such file or directory"},
      {{"data", "generate", "synthetic:liquid", "--zones", "3", "--out", out}, "--zones is for synthetic:taxi"},
      {{"data", "import", "--trips", "a.parquet", "--out", out, "--from", "January"},
       "--from: \"January\" is not a date (expected 2024-01-01)"},
      {{"data", "import", "--trips", "a.parquet", "--out", out, "--from", "2024-02-01", "--to", "2024-01-01"},
       "--from 2024-02-01 is after --to 2024-01-01"},
  };
  for (const Case& bad : cases) {
    const ChildResult result = run_softradial(bad.arguments);
    EXPECT_EQ(result.exit_code, 2) << bad.message;
    EXPECT_EQ(result.out, "") << bad.message;
    EXPECT_EQ(result.err, "softradial: error: " + bad.message + "\n");
  }
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(DataCommand, ImportsTripRecords) {
  const std::string trips = dir_.write("green.csv",
                                       "VendorID,lpep_pickup_datetime,PULocationID\n1,2024-01-01 00:10:00,7\n"
                                       "2,2024-01-01 00:50:00,7\n2,2024-01-01 23:00:00,8\n2,never,8\n");
  const std::string out = dir_.path("demand.csv");
  const ChildResult result = run_softradial({"data", "import", "--trips", trips, "--out", out, "--zones", "1"});
  if (result.err.find("trip records are read with DuckDB") != std::string::npos) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "softradial: warning: 1 trips without a time or a zone dropped\n"
            "softradial: 3 trips, 1 zones, 24 hours from 2024-01-01T00 to 2024-01-01T23\n");
  std::ifstream file(out);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "hour,7");
  std::getline(file, line);
  EXPECT_EQ(line, "2024-01-01T00,2");
}

}  // namespace
}  // namespace softradial::test
