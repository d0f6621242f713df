// The other methods through the program: project --method, compare.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"

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
