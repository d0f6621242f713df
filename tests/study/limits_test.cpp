// Limits by name: from files to sets, matched to the columns of the data.
#include "limits/limits.hpp"

#include <gtest/gtest.h>

#include "data/tables.hpp"
#include "program/temp_dir.hpp"
#include "softradial/set_json.hpp"
#include "softradial/sets.hpp"

namespace softradial::study {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const std::vector<std::string> kColumns = {"AAPL", "MSFT", "XOM", "JPM"};

VectorXd vector(std::initializer_list<double> values) {
  VectorXd out(std::ssize(values));
  std::ranges::copy(values, out.data());
  return out;
}

// The message of the error that `act` throws.
template <class Act>
std::string failure_text(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class LimitsFile : public testing::Test {
 protected:
  // The set of a limits file, in TOML unless the name says otherwise.
  DecisionSet read(const std::string& text, double cap = 1, const std::string& name = "limits.toml",
                   std::size_t left_out = 0) {
    const std::string file = dir_.write(name, text);
    const std::string json = load_limits(file);
    return decision_set({.json = json, .origin = file, .cap = cap, .left_out = left_out}, kColumns);
  }
  Set set_of(const std::string& text, double cap = 1) { return read(text, cap).set; }

  std::string failure(const std::string& text, double cap = 1, const std::string& name = "limits.toml",
                      std::size_t left_out = 0) {
    const std::string message = failure_text([&] { (void)read(text, cap, name, left_out); });
    const std::string folder = dir_.path("");
    return message.starts_with(folder) ? message.substr(folder.size()) : message;
  }

  test::TempDir dir_;
};

TEST_F(LimitsFile, CapsAloneAreACappedSimplex) {
  EXPECT_EQ(set_of(""), Set(Simplex(4)));
  EXPECT_EQ(set_of("cap = 0.4"), Set(CappedSimplex(4, 0.4)));
  EXPECT_EQ(set_of("cap = 1"), Set(Simplex(4)));
  EXPECT_EQ(set_of("cap = 0.4\n[caps]\nXOM = 0.1\nAAPL = 0.6"), Set(CappedSimplex(vector({0.6, 0.4, 0.1, 0.4}))));
  EXPECT_EQ(set_of("[caps]\nXOM = 0"), Set(CappedSimplex(vector({1, 1, 0, 1})))) << "an asset that is excluded";
}

TEST_F(LimitsFile, EveryLimitBecomesItsSet) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  EXPECT_EQ(set_of("floor = 0.05\n[floors]\nJPM = 0.2\nXOM = 0"),
            Set(Intersection({Simplex(4), Box(vector({0.05, 0.05, -kOpen, 0.2}), VectorXd::Constant(4, kOpen))})));
  EXPECT_EQ(set_of("cap = 0.6\n[floors]\nJPM = -0.2"),
            Set(Intersection({Box(vector({0, 0, 0, -0.2}), VectorXd::Constant(4, 0.6)),
                              Polyhedron(MatrixXd(0, 4), VectorXd(0), MatrixXd::Ones(1, 4), VectorXd::Ones(1))})));
  const MatrixXd tech = (MatrixXd(2, 4) << 1, 1, 0, 0, -1, -1, 0, 0).finished();
  EXPECT_EQ(set_of("[groups.tech]\nmembers = [\"MSFT\", \"AAPL\"]\nmin = 0.1\nmax = 0.3"),
            Set(Intersection({Simplex(4), Polyhedron(tech, vector({0.3, -0.1}), MatrixXd(0, 4), VectorXd(0))})));
  EXPECT_EQ(set_of("[groups]\ntech = {members = [\"MSFT\", \"AAPL\"], min = 0.3, max = 0.3}"),
            Set(Intersection({Simplex(4), Polyhedron(MatrixXd(0, 4), VectorXd(0), tech.topRows(1), vector({0.3}))})));
  EXPECT_EQ(set_of("[turnover]\nmax = 0.2\nreference = \"equal\""),
            Set(Intersection({Simplex(4), LpBall(VectorXd::Constant(4, 0.25), 0.4, 1)})));
  EXPECT_EQ(set_of("[tracking]\nmax = 0.1\nreference = {JPM = 0.7, AAPL = 0.3}"),
            Set(Intersection({Simplex(4), Ball(vector({0.3, 0, 0, 0.7}), 0.1)})));
}

TEST_F(LimitsFile, JsonSaysTheSame) {
  const std::string toml = "cap = 0.5\n[groups.tech]\nmembers = [\"AAPL\", \"MSFT\"]\nmax = 0.3\n";
  const std::string json = R"({"cap": 0.5, "groups": {"tech": {"members": ["AAPL", "MSFT"], "max": 0.3}}})";
  EXPECT_EQ(read(json, 1, "limits.json").set, set_of(toml));
  EXPECT_EQ(decision_set({.json = load_limits(json)}, kColumns).set, set_of(toml)) << "JSON in the place of a file";
}

TEST_F(LimitsFile, ACapCountsBesides) {
  EXPECT_EQ(set_of("", 0.3), Set(CappedSimplex(4, 0.3)));
  EXPECT_EQ(set_of("cap = 0.4\n[caps]\nXOM = 0.2", 0.3), Set(CappedSimplex(vector({0.3, 0.3, 0.2, 0.3}))));
  const auto capped = [&](const std::string& json) { return read(json, 0.3, "set.json").set; };
  EXPECT_EQ(capped(R"({"type": "simplex", "dim": 4})"), Set(CappedSimplex(4, 0.3)));
  EXPECT_EQ(capped(R"({"type": "capped_simplex", "dim": 4, "cap": [0.9, 0.9, 0.2, 0.9]})"),
            Set(CappedSimplex(vector({0.3, 0.3, 0.2, 0.3}))));
  const Set rows = Polyhedron((MatrixXd(1, 4) << 1, 1, 0, 0).finished(), vector({0.4}));
  EXPECT_EQ(capped(R"({"type": "intersection", "sets": [{"type": "simplex", "dim": 4},
                       {"type": "polyhedron", "A": [[1, 1, 0, 0]], "b": [0.4]}]})"),
            Set(Intersection({CappedSimplex(4, 0.3), rows})));
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  EXPECT_EQ(capped(R"({"type": "polyhedron", "A": [[1, 1, 0, 0]], "b": [0.4]})"),
            Set(Intersection({rows, Box(VectorXd::Constant(4, -kOpen), VectorXd::Constant(4, 0.3))})));
}

TEST_F(LimitsFile, ANamedSetGivesTheOrderOfTheColumns) {
  const DecisionSet named =
      read(R"({"type": "capped_simplex", "cap": [0.1, 0.2, 0.3, 0.9], "names": ["JPM", "XOM", "MSFT", "AAPL"]})", 1,
           "set.json");
  EXPECT_EQ(named.names, (std::vector<std::string>{"JPM", "XOM", "MSFT", "AAPL"}));
  EXPECT_EQ(named.set, Set(CappedSimplex(vector({0.1, 0.2, 0.3, 0.9}))));
  EXPECT_EQ(named.note, "");
  EXPECT_EQ(failure(R"({"type": "simplex", "dim": 4, "names": ["JPM", "XOM", "MSFT", "APPL"]})", 1, "set.json"),
            "set.json: names: the data have no column APPL: did you mean AAPL?");
  EXPECT_EQ(failure(R"({"type": "simplex", "dim": 3, "names": ["JPM", "XOM", "MSFT"]})", 1, "set.json"),
            "set.json: names: the column AAPL of the data is missing");
  EXPECT_EQ(failure(R"({"type": "simplex", "dim": 3, "names": ["JPM", "XOM", "XOM"]})", 1, "set.json"),
            "set.json: names[2]: the name \"XOM\" is given twice");
  EXPECT_EQ(failure(R"({"type": "simplex", "dim": 3, "names": ["JPM", "XOM"]})", 1, "set.json"),
            "set.json: names: expected 3 names, got 2");
}

// The order of the columns matters to a set that is not the same for all of them.
TEST_F(LimitsFile, ASetWithoutNamesSaysWhatItRefersTo) {
  const std::string uneven = R"({"type": "capped_simplex", "cap": [0.1, 0.2, 0.3, 0.9]})";
  EXPECT_TRUE(
      read(uneven, 1, "set.json")
          .note.ends_with(
              "set.json: the set names no coordinates: taken in the order of the columns AAPL, MSFT, XOM, JPM"));
  EXPECT_TRUE(failure(uneven, 1, "set.json", 3)
                  .starts_with("set.json: the set names no coordinates, and 3 columns of the data are left out"));
  for (const char* even : {R"({"type": "simplex", "dim": 4})", R"({"type": "capped_simplex", "dim": 4, "cap": 0.5})",
                           R"({"type": "intersection", "sets": [{"type": "capped_simplex", "cap": [0.5, 0.5, 0.5, 0.5]},
                               {"type": "ball", "center": [0.25, 0.25, 0.25, 0.25], "radius": 0.5}]})"}) {
    EXPECT_EQ(read(even, 1, "set.json", 3).note, "") << even;
  }
  for (const char* other : {R"({"type": "simplex", "dim": 4, "anchor": [0.1, 0.2, 0.3, 0.4]})",
                            R"({"type": "polyhedron", "A": [[1, 1, 1, 1]], "b": [1]})"}) {
    EXPECT_NE(read(other, 1, "set.json").note, "") << other;
  }
  EXPECT_EQ(failure(R"({"type": "simplex", "dim": 3})", 1, "set.json"),
            "set.json: the set has dimension 3, the data have 4 columns");
}

TEST_F(LimitsFile, RefusesWhatItCannotUse) {
  struct Case {
    std::string text;
    std::string error;
  };
  const Case cases[] = {
      {"cap = 5", "limits.toml: cap: expected a share between 0 and 1 (5 % is 0.05), got 5"},
      {"cap = \"0.5\"", "limits.toml: cap: expected a share between 0 and 1 (5 % is 0.05), got \"0.5\""},
      {"cap = nan", "limits.toml: line 1, column 7: the number is not finite"},
      {"cap = 2020-01-01", "limits.toml: line 1, column 7: dates and times are no limits"},
      {"cap = 0.5\ncap = 0.4", "limits.toml: line 2, column "},
      {"cap == 0.5", "limits.toml: line 1, column "},
      {"cpa = 0.5", "limits.toml: unknown key \"cpa\": did you mean cap?"},
      {"colour = 1",
       "limits.toml: unknown key \"colour\"; there are cap, floor, caps, floors, groups, turnover, tracking"},
      {"caps = 0.5", "limits.toml: caps: expected a table, got 0.5"},
      {"[caps]\nAPPL = 0.5", "limits.toml: caps: the data have no column APPL: did you mean AAPL?"},
      {"[floors]\nTSLA = 0.5", "limits.toml: floors: the data have no column TSLA (they have AAPL, MSFT, XOM, JPM)"},
      {"[floors]\nAAPL = 0.5\n[caps]\nAAPL = 0.4", "limits.toml: AAPL: the floor 0.5 is above the cap 0.4"},
      {"floor = 0.3", "limits.toml: the floors sum to 1.2, above 1"},
      {"cap = 0.2", "limits.toml: the caps of the 4 columns sum to 0.8, below 1"},
      {"[groups.tech]\nmax = 0.3", "limits.toml: groups.tech: the key members is missing"},
      {"[groups.tech]\nmembers = []\nmax = 0.3", "limits.toml: groups.tech.members: expected a list of names, got []"},
      {"[groups.tech]\nmembers = [1]\nmax = 0.3", "limits.toml: groups.tech.members: expected names in quotes, got 1"},
      {"[groups.tech]\nmembers = [\"AAPL\", \"AAPL\"]\nmax = 0.3",
       "limits.toml: groups.tech.members: \"AAPL\" is given twice"},
      {"[groups.tech]\nmembers = [\"AAPL\", \"IBM\"]\nmax = 0.3",
       "limits.toml: groups.tech: the data have no column IBM (they have AAPL, MSFT, XOM, JPM)"},
      {"[groups.tech]\nmembers = [\"AAPL\"]", "limits.toml: groups.tech: has neither min nor max"},
      {"[groups.tech]\nmembers = [\"AAPL\"]\nmin = 0.3\nmax = 0.2",
       "limits.toml: groups.tech: min 0.3 is above max 0.2"},
      {"[groups.tech]\nmembers = [\"AAPL\"]\nmaximum = 0.2", "limits.toml: groups.tech: unknown key \"maximum\""},
      {"cap = 0.4\n[groups.tech]\nmembers = [\"AAPL\", \"MSFT\"]\nmin = 0.9",
       "limits.toml: groups.tech: min 0.9 is above 0.8, the sum of the caps of its members"},
      {"floor = 0.2\n[groups.tech]\nmembers = [\"AAPL\", \"MSFT\"]\nmax = 0.3",
       "limits.toml: groups.tech: max 0.3 is below 0.4, the sum of the floors of its members"},
      {"[turnover]\nmax = 0.3", "limits.toml: turnover: the key reference is missing"},
      {"[turnover]\nreference = \"equal\"", "limits.toml: turnover: the key max is missing"},
      {"[turnover]\nmax = 0\nreference = \"equal\"", "limits.toml: turnover.max: expected a distance above 0"},
      {"[tracking]\nmax = 0.1\nreference = \"last\"", "limits.toml: tracking.reference: expected \"equal\" or a table"},
      {"[tracking]\nmax = 0.1\nreference = {AAPL = 0.5}",
       "limits.toml: tracking.reference: the shares sum to 0.5, not to 1"},
      {"[tracking]\nmax = 0.1\nreference = {IBM = 1}", "limits.toml: tracking.reference: the data have no column IBM"},
      // Each limit alone can be obeyed, all of them cannot.
      {"[groups.a]\nmembers = [\"AAPL\", \"MSFT\"]\nmax = 0.4\n[groups.b]\nmembers = [\"XOM\", \"JPM\"]\nmax = 0.4",
       "limits.toml: no decision obeys all limits: groups.a.max and groups.b.max contradict each other"},
      {"[tracking]\nmax = 0.05\nreference = {AAPL = 1}\n[caps]\nAAPL = 0.5",
       "limits.toml: no decision obeys all limits: no point satisfies the cap of AAPL and tracking.max"},
  };
  for (const Case& c : cases) {
    const std::string message = failure(c.text);
    EXPECT_TRUE(message.starts_with(c.error)) << c.text << "\n" << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_EQ(failure(R"({"cap": 0.5, "cap": 0.6})", 1, "limits.json"), "limits.json: the key \"cap\" is given twice");
  EXPECT_TRUE(failure("{\"cap\": " + std::string(100, '[') + std::string(100, ']') + "}", 1, "limits.json")
                  .starts_with("limits.json: "));
  EXPECT_TRUE(failure_text([&] { (void)load_limits(dir_.path("none.toml")); }).ends_with("No such file or directory"));
  EXPECT_TRUE(failure_text([&] { (void)load_limits(dir_.path("")); }).ends_with("is a folder, not a file"));
  EXPECT_EQ(failure_text([&] { (void)decision_set({.cap = 0.2}, kColumns); }),
            "a cap of 0.2: 4 columns of at most 0.2 hold 0.8 in all, less than 1");
}

// All limits together, on a point that obeys them and on points that break one each.
TEST_F(LimitsFile, LimitsMeanWhatTheySay) {
  const Set set = set_of(R"(
cap = 0.5
[caps]
XOM = 0.3
[floors]
JPM = 0.1
[groups.tech]
members = ["AAPL", "MSFT"]
max = 0.6
[turnover]
max = 0.2
reference = {AAPL = 0.3, MSFT = 0.2, XOM = 0.2, JPM = 0.3}
)");
  const auto least_slack = [&](std::initializer_list<double> x) {
    std::vector<double> slacks(set->num_inequalities());
    const VectorXd point = vector(x);
    set->slacks({point.data(), 4}, slacks);
    return *std::ranges::min_element(slacks);
  };
  EXPECT_GT(least_slack({0.3, 0.2, 0.2, 0.3}), 0);
  EXPECT_LT(least_slack({0.51, 0.05, 0.2, 0.24}), 0) << "the cap";
  EXPECT_LT(least_slack({0.2, 0.2, 0.31, 0.29}), 0) << "the cap of XOM";
  EXPECT_LT(least_slack({0.35, 0.24, 0.29, 0.09}), 0) << "the floor of JPM";
  EXPECT_LT(least_slack({0.35, 0.26, 0.1, 0.29}), 0) << "the group";
  EXPECT_GT(least_slack({0.12, 0.2, 0.29, 0.39}), 0) << "moves 0.18";
  EXPECT_LT(least_slack({0.08, 0.2, 0.29, 0.43}), 0) << "moves 0.22";
}

TEST(WithColumns, PutsTheColumnsInOrder) {
  PriceTable prices{{std::chrono::sys_days(std::chrono::year(2020) / 1 / 1)}, {"A", "B", "C"}, Table(1, 3)};
  prices.prices << 1, 2, 3;
  const PriceTable turned = with_columns(prices, {"C", "A"});
  EXPECT_EQ(turned.tickers, (std::vector<std::string>{"C", "A"}));
  EXPECT_EQ(turned.prices, (Table(1, 2) << 3, 1).finished());
  EXPECT_THROW((void)with_columns(prices, {"D"}), DataError);
}

}  // namespace
}  // namespace softradial::study
