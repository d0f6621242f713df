#include "report/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "files/errors.hpp"
#include "program/temp_dir.hpp"
#include "report/live_page.hpp"
#include "report/paper_table.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

std::string day(int k) {
  return "2021-0" + std::to_string(1 + k / 28) + "-" + (k % 28 < 9 ? "0" : "") + std::to_string(1 + k % 28);
}

// A run of two assets with two seeds, of which one may be missing.
void write_run(const std::filesystem::path& folder, const std::string& method, const std::string& asset = "AAA",
               int finished = 2) {
  write(folder / "manifest.json", json{{"schema", "softradial.run/1"},
                                       {"task", "portfolio"},
                                       {"status", "finished"},
                                       {"config", {{"method", method}, {"cap", 0.6}}},
                                       {"set", {{"type", "capped_simplex"}, {"dim", 2}, {"cap", 0.6}}},
                                       {"names", {asset, "BBB"}},
                                       {"data", {{"source", "prices.csv"}}},
                                       {"seeds", {0, 1}},
                                       {"best_seed", 1}}
                                      .dump());
  for (int seed = 0; seed < finished; ++seed) {
    const std::filesystem::path own = folder / ("seed-" + std::to_string(seed));
    const json metrics = {{"sharpe", 0.5 + seed}, {"annual_return", 0.1}, {"annual_volatility", 0.2},
                          {"max_drawdown", 0.1},  {"turnover", 0.01},     {"cost", 1e-5}};
    write(own / "trial.json", json{{"seed", seed}, {"test", metrics}, {"violation", 0.0}}.dump());
    write(own / "history.csv", "epoch,loss,validation\n1,-0.1,0.3\n2,-0.2,0.4\n");
    std::string decisions = "date,split," + asset + ",BBB\n2020-12-30,validation,0.5,0.5\n";
    std::string outcomes =
        "date,split,net_return,gross_return,turnover,cost,slack,equal_weight.net_return,equal_weight.turnover,equal_"
        "weight.cost\n";
    for (int k = 0; k < 60; ++k) {
      decisions += day(k) + ",test,0.55,0.45\n";
      outcomes += day(k) + ",test," + std::to_string(0.01 * std::sin(k + seed)) +
                  ",0.01,0.02,0.00002,0.05,0.001,0.01,0.00001\n";
    }
    write(own / "decisions.csv", decisions);
    write(own / "outcomes.csv", outcomes);
  }
}

TEST(Report, APageNeedsNothingButItself) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  write_run(root / "a", "soft_radial");
  write_run(root / "b", "orthogonal");
  const std::string html = html_of(report_of({read_run(root / "a"), read_run(root / "b")}));
  for (const char* outside : {"src=", "http:", "https:", "@import", "url("})
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  for (const char* title : {"Results", "Wealth and drawdown", "Months and years", "Weights", "Turnover and cost",
                            "Slack of the constraints", "Training", "The paper", "Configurations"}) {
    EXPECT_NE(html.find(title), std::string::npos) << title;
  }
  EXPECT_NE(html.find("soft_radial, cap 0.6"), std::string::npos);
  EXPECT_NE(html.find("cap AAA"), std::string::npos) << "constraints are called by the names of assets";
  EXPECT_NE(html.find("1.000 ± 0.500"), std::string::npos) << "the mean and the deviation over the seeds";
}

TEST(Report, TheIntervalAgainstEqualWeightIsTheOneOfTheRun) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  write_run(root / "a", "soft_radial");
  write_run(root / "b", "equal_weight");
  write(root / "a" / "result.json",
        json{{"trials", json::array()},
             {"against_equal_weight", {{"sharpe_difference", {{"value", 0.25}, {"low", -0.5}, {"high", nullptr}}}}}}
            .dump());
  const std::string html = html_of(report_of({read_run(root / "a"), read_run(root / "b")}));
  EXPECT_NE(html.find("+0.25 [-0.50, +nan]"), std::string::npos);
}

// Equal weight as a baseline of another run and as a run of its own would be two lines of one name.
TEST(Report, ABaselineThatWasRunIsShownOnce) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  write_run(root / "a", "soft_radial");
  write_run(root / "b", "equal_weight");
  const auto lines = [&](const std::vector<RunRecord>& runs) {
    const std::string html = html_of(report_of(runs));
    std::size_t count = 0;
    for (std::size_t at = html.find(">equal_weight<"); at != std::string::npos;
         at = html.find(">equal_weight<", at + 1))
      ++count;
    return count;
  };
  EXPECT_GT(lines({read_run(root / "a")}), 0U);
  EXPECT_EQ(lines({read_run(root / "a"), read_run(root / "b")}), 0U) << "the run is called equal_weight, cap 0.6";
}

// The paper's row is that of the method, the set and the objective; README has the same numbers.
TEST(Report, OurResultsStandBesideThePapers) {
  OurResult ours{.label = "mine",
                 .method = "soft_radial",
                 .config = {{"cap", 0.05}, {"objective", "net"}},
                 .sharpe = "1.23",
                 .turnover = "4.5",
                 .served = "0.67"};
  const std::string net = portfolio_beside_the_paper({ours});
  for (const char* text : {"mine", "cap 0.05", "liquid", "0.90 ± 0.02", "1.23", "4.5"})
    EXPECT_NE(net.find(text), std::string::npos) << text;
  ours.config["objective"] = "gross";
  EXPECT_NE(portfolio_beside_the_paper({ours}), net);
  ours.config = {{"kappa", 0.1}};
  EXPECT_NE(dispatch_beside_the_paper({ours}).find("0.67"), std::string::npos);
  ours.method = "equal_weight";
  EXPECT_NE(portfolio_beside_the_paper({ours}).find("no numbers"), std::string::npos);
}

// A run of dispatch with three zones: the fleet is where the demand is, but for a half of it in the second one.
void write_dispatch_run(const std::filesystem::path& folder,
                        const std::vector<std::string>& zones = {"4", "12", "105"}) {
  write(folder / "manifest.json", json{{"schema", "softradial.run/1"},
                                       {"task", "dispatch"},
                                       {"status", "finished"},
                                       {"config", {{"method", "soft_radial"}, {"kappa", 0.6}}},
                                       {"set", {{"type", "capped_simplex"}, {"dim", 3}, {"cap", 0.6}}},
                                       {"names", zones},
                                       {"data", {{"source", "hourly.csv"}}},
                                       {"seeds", {0}},
                                       {"best_seed", 0}}
                                      .dump());
  const std::filesystem::path own = folder / "seed-0";
  write(own / "trial.json", json{{"seed", 0}, {"test", {{"served_rate", 0.8}}}, {"violation", 0.0}}.dump());
  write(own / "history.csv", "epoch,loss,validation\n1,-0.1,0.3\n");
  write(own / "decisions.csv", "hour,split,a,b,c\n2024-05-01T00,test,0.5,0.3,0.2\n2024-05-01T01,test,0.4,0.4,0.2\n");
  write(own / "outcomes.csv",
        "hour,split,supply,demand,served,served_rate,slack\n2024-05-01T00,test,100,100,80,0.8,0.1\n"
        "2024-05-01T01,test,100,100,80,0.8,0.1\n");
  std::string totals = "zone,split,allocation,demand,served\n";
  for (const auto& [k, numbers] :
       {std::pair<std::size_t, const char*>{0, "100,100,90"}, {1, "20,40,20"}, {2, "80,60,60"}})
    totals += zones[k] + ",validation,1,1,1\n" + zones[k] + ",test," + numbers + "\n";
  write(own / "zones.csv", totals);
}

TEST(Report, FleetAndDemandStandZoneByZone) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  write_dispatch_run(root / "taxi");
  const std::string plain = html_of(report_of({read_run(root / "taxi")}));
  EXPECT_NE(plain.find("data-names=\"[&quot;4&quot;,&quot;105&quot;,&quot;12&quot;]\""), std::string::npos)
      << "the largest demand first";
  EXPECT_EQ(plain.find("class=\"map\""), std::string::npos);
  EXPECT_NE(plain.find(R"("head":"zone")"), std::string::npos);
  EXPECT_NE(plain.find("[500000,400000,100000]"), std::string::npos) << "the fleet's shares";

  write(folder.path("places.csv"),
        "LocationID,Borough,Zone,lon,lat\n4,Manhattan,\"Alphabet City, East\",-73.97,40.72\n"
        "12,Manhattan,<b>Battery,-74.01,40.70\n105,Manhattan,Ellis Island,,\n9,Queens,Far away,-70,41\n");
  const ZonePlaces places = read_zone_places(folder.path("places.csv"));
  EXPECT_EQ(places.by_zone.size(), 3U);
  EXPECT_EQ(zones_without_place({read_run(root / "taxi")}, places), std::vector<std::string>{"105"});
  const std::string html = html_of(report_of({read_run(root / "taxi")}, places));
  EXPECT_NE(
      html.find("aria-label=\"Alphabet City, East (4); demand 50.00 %; fleet 50.00 %, 1.00 of that; served 90.0 %\""),
      std::string::npos);
  EXPECT_NE(html.find("&lt;b&gt;Battery (12); demand 20.00 %; fleet 10.00 %, 0.50 of that; served 50.0 %"),
            std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_EQ(html.find("Far away"), std::string::npos) << "zones that the run does not have";
  EXPECT_NE(html.find("no coordinates: 105."), std::string::npos);
  EXPECT_NE(html.find("[-73970000,null,-74010000]"), std::string::npos) << "coordinates are in the CSV";
}

TEST(Report, AZoneWithoutDemandHasNoRatio) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  write_dispatch_run(root / "taxi");
  write(root / "taxi" / "seed-0" / "zones.csv",
        "zone,split,allocation,demand,served\n4,test,50,50,50\n12,test,50,0,0\n105,test,100,150,100\n");
  const ZonePlaces places{.file = "p", .by_zone = {{"12", {.name = "Empty", .lon = 1, .lat = 2}}}};
  const std::string html = html_of(report_of({read_run(root / "taxi")}, places));
  EXPECT_NE(html.find("Empty (12); no demand; fleet 25.00 %"), std::string::npos);
  EXPECT_EQ(html.find("nan"), std::string::npos);
}

TEST(Report, ZonesOfTheTaxiData) {
  const char* folder = std::getenv("SOFTRADIAL_SHARED_DATA");
  if (folder == nullptr) GTEST_SKIP() << "SOFTRADIAL_SHARED_DATA names no folder with real data";
  const ZonePlaces places = read_zone_places(std::filesystem::path(folder) / "taxi" / "zone_lookup.csv");
  EXPECT_GT(places.by_zone.size(), 250U);
  EXPECT_EQ(places.by_zone.at("161").name, "Midtown Center");
}

TEST(Report, ARunWithoutARecordOfItsZonesIsStillAReport) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  write_dispatch_run(root / "old");
  std::filesystem::remove(root / "old" / "seed-0" / "zones.csv");
  EXPECT_NE(html_of(report_of({read_run(root / "old")})).find("no record of its zones"), std::string::npos);
}

std::string complaint(const std::function<void()>& f) {
  try {
    f();
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(Report, BadZonesAreToldInOneLine) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  const std::string file = folder.path("places.csv");
  for (const auto& [text, what] : {std::pair{"", "is empty"},
                                   {"zone,lon\n4,1\n", "has no column lat"},
                                   {"zone,x,y\n4,1,2\n", "has no column lon"},
                                   {"zone,lon,lat\n4,1,2\n4,1,2\n", "line 3: the zone \"4\" has a place already"},
                                   {"zone,lon,lat\n4,1\n", "line 2: 2 fields, expected 3"},
                                   {"zone,lon,lat\n4,x,2\n", "line 2: \"x\" is no number"},
                                   {"zone,lon,lat\n4,1,91\n", "line 2: \"91\" is no number from -90 to 90"},
                                   {"zone,lon,lat\n4,,\n", "no zone has coordinates"}}) {
    write(file, text);
    const std::string line = complaint([&] { static_cast<void>(read_zone_places(file)); });
    EXPECT_NE(line.find(what), std::string::npos) << text << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
  write_dispatch_run(root / "taxi");
  write(file, "zone,lon,lat\nA,1,2\n");
  const ZonePlaces others = read_zone_places(file);
  EXPECT_NE(
      complaint([&] { static_cast<void>(report_of({read_run(root / "taxi")}, others)); }).find("has none of the zones"),
      std::string::npos);
  write_run(root / "prices", "soft_radial");
  EXPECT_NE(complaint([&] { static_cast<void>(report_of({read_run(root / "prices")}, others)); }).find("has no zones"),
            std::string::npos);
  for (const auto& [text, what] : {std::pair{"zone,split\n", "has no head"},
                                   {"zone,split,allocation,demand,served\n4,test,1,1,1\n", "has 1 of 3 zones"},
                                   {"zone,split,allocation,demand,served\n5,test,1,1,1\n", "\"5\" is not the zone"},
                                   {"zone,split,allocation,demand,served\n4,test,-1,1,1\n", "\"-1\" is no count"}}) {
    write(root / "taxi" / "seed-0" / "zones.csv", text);
    EXPECT_NE(complaint([&] { static_cast<void>(read_run(root / "taxi")); }).find(what), std::string::npos) << what;
  }
}

TEST(Report, NamesCannotBreakThePage) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  const std::string bad = "<b>&x";
  write_run(root / bad, "soft_radial", "</script><b>&x");
  write_run(root / "other", "soft_radial");
  const std::string html = html_of(report_of({read_run(root / bad), read_run(root / "other")}));
  EXPECT_EQ(html.find("<b>"), std::string::npos);
}

TEST(Report, RunsOfOneMethodAreToldApartByTheirFolders) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  std::vector<RunRecord> runs;
  for (const char* name : {"first", "second"}) {
    write_run(root / name, "soft_radial");
    runs.push_back(read_run(root / name));
  }
  make_labels_unique(runs);
  EXPECT_EQ(runs[0].label, "soft_radial, cap 0.6 (first)");
  EXPECT_EQ(runs[1].label, "soft_radial, cap 0.6 (second)");
}

TEST(Report, ASeedThatHasNotFinishedIsLeftOut) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  write_run(root / "one", "soft_radial", "AAA", 1);
  const RunRecord run = read_run(root / "one");
  EXPECT_EQ(run.seeds.size(), 1U);
  EXPECT_EQ(run.best().seed, 0U);
  EXPECT_EQ(run.best().decided.size(), 60U) << "the test period alone";
  write_run(root / "none", "soft_radial", "AAA", 0);
  EXPECT_THROW(static_cast<void>(read_run(root / "none")), DataError);
  EXPECT_THROW(static_cast<void>(read_run(root)), DataError);
}

TEST(Report, DamagedFilesAreNamed) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  write_run(root / "run", "soft_radial");
  write(root / "run" / "seed-0" / "outcomes.csv", "date,split,net_return\n2021-01-01,test,abc\n");
  try {
    static_cast<void>(read_run(root / "run"));
    FAIL() << "it was read";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("outcomes.csv: line 2"), std::string::npos) << error.what();
  }
}

// Whatever line a file of a seed ends after, the damage is named. The last decision alone may be without an outcome.
TEST(Report, ARunWhoseFilesAreCutOffIsRefused) {
  const test::TempDir folder;
  const std::filesystem::path run = folder.path("run");
  for (const std::string name : {"decisions.csv", "outcomes.csv"}) {
    write_run(run, "soft_radial");
    const std::filesystem::path file = run / "seed-1" / name;
    std::vector<std::string> lines;
    {
      std::ifstream in(file);
      for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
    }
    const std::size_t needed = lines.size() - (name == "outcomes.csv" ? 1 : 0);
    std::string text;
    for (std::size_t k = 0; k < lines.size(); text += lines[k++]) {
      write(file, text);
      if (k < needed) {
        EXPECT_THROW(static_cast<void>(read_run(run)), DataError) << name << ", " << k << " lines";
      } else {
        EXPECT_EQ(read_run(run).seeds.size(), 2U) << name << ", " << k << " lines";
      }
    }
  }
}

TEST(Report, TheLivePageFollowsTheFiles) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  std::filesystem::create_directories(root);
  LivePage page(root);
  EXPECT_NE(page.html().find("Nothing has finished yet"), std::string::npos);
  const std::string before = page.version();
  write_run(root / "a", "soft_radial");
  EXPECT_NE(page.version(), before);
  EXPECT_NE(page.html().find("soft_radial, cap 0.6"), std::string::npos);
  EXPECT_NE(page.html().find("content=\"" + page.version()), std::string::npos);
  write(folder.path("text"), "no store");
  EXPECT_THROW(LivePage{folder.path("text")}, DataError);
}

TEST(Report, TheLivePageOfDispatchHasTheMapOfItsZones) {
  const test::TempDir folder;
  const std::filesystem::path root = folder.path("runs");
  write_dispatch_run(root / "taxi");
  const ZonePlaces places{.file = "places.csv",
                          .by_zone = {{"4", {.name = "Alphabet City", .lon = -73.98, .lat = 40.72}},
                                      {"12", {.name = "Battery Park", .lon = -74.02, .lat = 40.7}}}};
  EXPECT_EQ(LivePage(root).html().find("Battery Park"), std::string::npos);
  EXPECT_NE(LivePage(root, places).html().find("Battery Park"), std::string::npos);
  { const ResultsStore store(folder.path("s"), SqliteFile::Access::write); }
  EXPECT_THROW(LivePage(folder.path("s"), places), DataError);
}

TEST(Report, OnlyTheOwnMachineIsAHost) {
  for (const char* host : {"localhost", "localhost:8157", "127.0.0.1:8157", "[::1]:8157", "[::1]", "10.0.0.5:8157"}) {
    EXPECT_TRUE(is_own_host(host, "10.0.0.5")) << host;
  }
  for (const char* host :
       {"", "example.org", "localhost.example.org", "127.0.0.1.example.org:8157", "10.0.0.6", "[::2]"}) {
    EXPECT_FALSE(is_own_host(host, "10.0.0.5")) << host;
  }
}

}  // namespace
}  // namespace softradial::study
