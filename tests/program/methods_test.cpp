// The other methods through the program: project --method, compare.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"
#include "softradial/layer.hpp"
#include "softradial/set_json.hpp"

namespace softradial::test {
namespace {

class Methods : public testing::Test {
 protected:
  ChildResult project(Arguments arguments, const std::string& rows) {
    arguments.insert(arguments.begin(), {"project", "--set", set_});
    return run_softradial(arguments, rows);
  }

  TempDir dir_;
  std::string set_ = dir_.write("set.json", R"({"type": "capped_simplex", "dim": 3, "cap": 0.5})");
};

TEST_F(Methods, OrthogonalPrintsTheNearestPoint) {
  EXPECT_EQ(project({"--method", "orthogonal"}, "4,-1,2\n0.25,0.5,0.25\n").out, "0.5,0,0.5\n0.25,0.5,0.25\n");
}

TEST_F(Methods, Dc3EndsInTheSetWhenItIsEvaluated) {
  const auto trained = project({"--method", "dc3", "--option", "steps=1"}, "4,-1,2\n");
  const auto evaluated = project({"--method", "dc3", "--option", "steps=1", "--evaluate"}, "4,-1,2\n");
  EXPECT_EQ(run_softradial({"check", "--set", set_}, trained.out).exit_code, 1);
  EXPECT_EQ(run_softradial({"check", "--set", set_}, evaluated.out).exit_code, 0) << evaluated.out;
}

TEST_F(Methods, VjpOfTheOrthogonalProjectionIsZeroAtAVertex) {
  const std::string grads = dir_.write("g.csv", "1,2,3\n");
  EXPECT_EQ(project({"--method", "orthogonal", "--vjp", grads}, "4,-1,2\n").out, "0,0,0\n");
}

// `count` rows of `dim` numbers between -10 and 10.
std::string random_rows(std::size_t count, std::size_t dim) {
  std::mt19937 random(1);
  std::ostringstream text;
  for (std::size_t i = 0; i < count * dim; ++i) {
    text << static_cast<double>(random() % 2001) / 100 - 10 << ((i + 1) % dim == 0 ? '\n' : ',');
  }
  return text.str();
}

TEST_F(Methods, TheNumberOfThreadsChangesNoBit) {
  constexpr std::size_t kRows = 700;  // more than a thread maps at a time
  const std::string simplex = dir_.write("simplex.json", R"({"type": "simplex", "dim": 3})");
  // hardnet_aff is the only method that does not take simplices: their rows are not independent.
  const std::string box = dir_.write("box.json", R"({"type": "box", "lower": [0, 0, 0], "upper": [1, 1, 1]})");
  const std::string cotangents = dir_.write("g.csv", random_rows(kRows, 3));
  for (const std::string_view name : method_names()) {
    set_ = name == "hardnet_aff" ? box : simplex;
    const std::string rows = random_rows(kRows, make_layer<double>(load_set(set_), method_named(name))->input_dim());
    for (const Arguments& quantity : {Arguments{}, {"--evaluate"}, {"--vjp", cotangents}}) {
      const auto with_threads = [&](const char* threads) {
        Arguments arguments = {"--method", std::string(name), "--threads", threads};
        arguments.insert(arguments.end(), quantity.begin(), quantity.end());
        return project(arguments, rows);
      };
      const ChildResult expected = with_threads("1");
      ASSERT_EQ(expected.exit_code, 0) << name << ": " << expected.err;
      EXPECT_EQ(std::ranges::count(expected.out, '\n'), kRows) << name;
      for (const char* threads : {"2", "3"}) EXPECT_EQ(with_threads(threads).out, expected.out) << name << threads;
    }
  }
}

// What goes in comes back, the determinant is that of the tangents, and a point outside is refused in one line.
TEST_F(Methods, BijectionsHaveAnInverseTangentsAndADeterminant) {
  const std::string along = dir_.write("v1.csv", "1,-1,0\n");
  const std::string across = dir_.write("v2.csv", "1,1,-2\n");
  for (const std::string name : {"soft_orthogonal", "mirror"}) {
    const std::string u = "0.9,-0.3,0.4\n";  // on the hull
    const auto numbers = [](const std::string& row) {
      std::vector<double> out;
      std::istringstream text(row);
      for (std::string field; std::getline(text, field, ',');) out.push_back(std::stod(field));
      return out;
    };
    const ChildResult x = project({"--method", name}, u);
    const auto back = numbers(project({"--method", name, "--inverse"}, x.out).out);
    ASSERT_EQ(back.size(), 3U);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(back[j], numbers(u)[j], 1e-9) << name;
    // On the plane, (1, -1, 0) / sqrt(2) and (1, 1, -2) / sqrt(6) are an orthonormal basis.
    const auto a = numbers(project({"--method", name, "--jvp", along}, u).out);
    const auto b = numbers(project({"--method", name, "--jvp", across}, u).out);
    const auto on = [](const std::vector<double>& v) { return (v[0] - v[1]) / 2; };
    const auto off = [](const std::vector<double>& v) { return (v[0] + v[1] - 2 * v[2]) / 6; };
    const double determinant = on(a) * off(b) - off(a) * on(b);
    EXPECT_NEAR(std::stod(project({"--method", name, "--log-det"}, u).out), std::log(std::abs(determinant)), 1e-9);
    const ChildResult outside = project({"--method", name, "--inverse"}, "0.6,0.2,0.2\n");
    EXPECT_EQ(outside.exit_code, 2);
    EXPECT_NE(outside.err.find("cap 0"), std::string::npos) << outside.err;
  }
}

TEST_F(Methods, AFlagThatAMethodDoesNotHaveIsRefusedInOneLine) {
  const std::string cotangents = dir_.write("g.csv", "1,2,3\n");
  const std::string anchor = dir_.write("anchor.csv", "0.3,0.3,0.4\n");
  const struct {
    Arguments arguments;
    std::string says;
  } cases[] = {
      {{"--method", "orthogonal", "--jvp", cotangents}, "orthogonal has --vjp only"},
      {{"--method", "rayen", "--inverse"}, "rayen has --vjp only"},
      {{"--method", "hardnet", "--log-det"}, "hardnet has --vjp only"},
      {{"--method", "hop", "--slack"}, "hop has --vjp only"},
      {{"--method", "mirror", "--slack"}, "mirror has --vjp, --jvp, --inverse and --log-det only"},
      {{"--method", "mirror", "--anchor", "analytic"}, "--anchor: mirror has no anchor"},
      {{"--method", "dc3", "--evaluate", "--vjp", cotangents}, "exclude each other"},
      {{"--method", "soft_radial", "--evaluate", "--inverse"}, "exclude each other"},
      {{"--vjp", cotangents, "--log-det"}, "exclude each other"},
      {{"--method", "orthogonal", "--anchor", "analytic"}, "--anchor: orthogonal has no anchor"},
      {{"--method", "dc3", "--anchor", anchor}, "--anchor: dc3 has no anchor"},
      {{"--method", "hardnet", "--contraction", "rational"}, "hardnet has no contraction"},
      {{"--method", "gauge_map", "--lambda", "auto"}, "--lambda auto is for soft_radial, not for gauge_map"},
      {{"--method", "hard_radial", "--lambda", "2"}, "hard_radial has no option 'lambda'; it has none"},
      {{"--method", "gauge_map", "--epsilon", "0.1"}, "gauge_map has no option 'epsilon'; it has lambda"},
      {{"--method", "orthogonal", "--option", "steps=2"}, "orthogonal has no option 'steps'; it has none"},
      {{"--method", "dc3", "--threads", "0"}, "--threads"},
      {{"--method", "dc3", "--check-finite"}, "\"nan\" is not finite"},
  };
  for (const auto& c : cases) {
    const ChildResult result = project(c.arguments, "nan,2,3\n");
    EXPECT_EQ(result.exit_code, 2) << c.says;
    EXPECT_EQ(result.out, "") << c.says;
    EXPECT_NE(result.err.find(c.says), std::string::npos) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

TEST_F(Methods, AnchorsReachTheMethodsThatHaveOne) {
  const std::string anchor = dir_.write("anchor.csv", "0.25,0.375,0.375\n");
  for (const std::string name : {"soft_orthogonal", "rayen", "ray_scalar", "hop", "hp"}) {
    const std::string u = name == "hop" ? "1,2\n" : name == "ray_scalar" ? "1,2,3,4\n" : "1,2,3\n";
    const ChildResult automatic = project({"--method", name, "--anchor", "auto"}, u);
    const ChildResult own = project({"--method", name, "--anchor", anchor}, u);
    EXPECT_EQ(own.exit_code, 0) << own.err;
    EXPECT_NE(own.out, automatic.out) << name;
  }
}

TEST_F(Methods, FilesOfDifferentLengthsAreNamed) {
  const std::string cotangents = dir_.write("g.csv", "1,2,3\n");
  for (const std::string name : {"soft_radial", "orthogonal"}) {
    const ChildResult result = project({"--method", name, "--vjp", cotangents}, "1,2,3\n4,5,6\n");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("g.csv ends after row 1, but stdin has more"), std::string::npos) << result.err;
  }
}

TEST_F(Methods, WhatAMethodCannotDoIsSaid) {
  EXPECT_NE(project({"--method", "softmax"}, "1,2,3\n").err.find("softmax supports simplices"), std::string::npos);
  EXPECT_NE(project({"--method", "dc3", "--inverse"}, "1,2,3\n").err.find("dc3 has --vjp only"), std::string::npos);
  EXPECT_NE(project({"--method", "dc3", "--lambda", "2"}, "1,2,3\n").err.find("has no option 'lambda'"),
            std::string::npos);
  EXPECT_NE(project({"--method", "dc3", "--option", "steps"}, "1,2,3\n").err.find("expected NAME=NUMBER"),
            std::string::npos);
  EXPECT_NE(project({"--method", "dc3", "--option", "steps=1.5"}, "1,2,3\n").err.find("whole number"),
            std::string::npos);
  EXPECT_EQ(project({"--method", "dc3", "--option", "steps=1.5"}, "1,2,3\n").exit_code, 2);
}

TEST_F(Methods, CompareMeasuresWhatItSays) {
  const auto result =
      run_softradial({"compare", "--set", set_, "--method", "soft_radial,orthogonal,softmax", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  ASSERT_EQ(report["comparison"].size(), 3U);
  const auto& ours = report["comparison"][0];
  EXPECT_EQ(ours["violation"], nlohmann::json({0.0, 0.0, 0.0}));
  EXPECT_EQ(ours["rank"], ours["hull_dim"]);
  EXPECT_LT(report["comparison"][1]["rank"].get<int>(), 2);
  EXPECT_TRUE(report["comparison"][2].contains("unsupported"));
  // From far outside a vertex the orthogonal projection passes no gradient; ours arrives.
  for (const auto& descent : report["descent"]) {
    if (descent["target"] != "inside") continue;
    EXPECT_EQ(descent["reached"].get<bool>(), descent["method"] != "orthogonal") << descent;
  }
}

TEST_F(Methods, CompareWritesTables) {
  const auto text = run_softradial({"compare", "--set", set_, "--method", "soft_radial"}).out;
  EXPECT_NE(text.find("violation at 1, 1e3, 1e6"), std::string::npos);
  const auto markdown =
      run_softradial({"compare", "--set", set_, "--method", "soft_radial", "--format", "markdown"}).out;
  EXPECT_NE(markdown.find("|---|"), std::string::npos);
  EXPECT_EQ(run_softradial({"compare", "--method", "softmux"}).exit_code, 2);
}

}  // namespace
}  // namespace softradial::test
