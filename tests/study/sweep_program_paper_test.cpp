// The paper's own sweeps: their files hold its whole grid, and a random part of them trains.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"
#include "study/sweep_program_stores.hpp"

namespace softradial::test {
namespace {

using nlohmann::json;

// Tables with the names that the paper's sweeps know.
void make_tables(const TempDir& dir) {
  for (const char* name : {"liquid", "sectors", "global"}) {
    const auto made =
        run_softradial({"data", "generate", "synthetic:" + std::string(name), "--out", dir.path(name) + ".csv"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  const auto made =
      run_softradial({"data", "generate", "synthetic:taxi", "--zones", "60", "--out", dir.path("hourly_pickups.csv")});
  ASSERT_EQ(made.exit_code, 0) << made.err;
}

std::string paper_sweep(const std::string& name) { return std::string(CONFIGS) + "/paper/" + name + ".toml"; }

// The paper's grid, with soft orthogonal and mirror beside its methods: 16 models for portfolios, 8 for dispatch, times the layer's own numbers.
TEST(SweepProgram, ThePapersSweepsAreItsWholeGrid) {
  const TempDir dir;
  make_tables(dir);
  const std::map<std::string, std::size_t> own = {
      {"equal_weight", 0}, {"softmax", 4}, {"orthogonal", 1},      {"dc3", 12},
      {"soft_radial", 15}, {"hardnet", 3}, {"soft_orthogonal", 1}, {"mirror", 1}};
  // One candidate for equal weight; for the others four seeds more.
  const std::size_t simplex = 1 + 16 * (4 + 1 + 15 + 1 + 1) + 5 * 4;
  const std::size_t capped = 1 + 16 * (1 + 12 + 3 + 15 + 1 + 1) + 6 * 4;
  const std::size_t dispatch = 1 + 8 * 4 + 4 + 1 + 8 * (1 + 12 + 3 + 15 + 1 + 1) + 6 * 4;
  const std::map<std::string, std::size_t> trials = {{"portfolio_liquid", simplex + capped},
                                                     {"portfolio_net", 3 * simplex + 4 * capped},
                                                     {"portfolio_gross", 3 * simplex + 4 * capped},
                                                     {"dispatch_kappa_0.1", dispatch},
                                                     {"dispatch_kappa_0.02", dispatch}};
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(CONFIGS) + "/paper")) {
    const std::string name = entry.path().stem();
    ASSERT_TRUE(trials.contains(name)) << name << " is not checked here";
    ++files;
    const auto result = run_softradial({"sweep", entry.path(), "--data", dir.path(""), "--plan", "--json"});
    ASSERT_EQ(result.exit_code, 0) << name << ": " << result.err;
    const std::size_t models = name.starts_with("dispatch") ? 8 : 16;
    std::size_t sum = 0;
    for (const json& group : json::parse(result.out)) {
      const std::string method = group["method"];
      const std::size_t candidates = method == "equal_weight" ? 1 : models * own.at(method);
      EXPECT_EQ(group["candidates"], candidates) << name << " " << group;
      EXPECT_EQ(group["trials"], candidates + (method == "equal_weight" ? 0 : 4)) << name << " " << group;
      EXPECT_EQ(group["done"], 0);
      sum += group["trials"].get<std::size_t>();
    }
    EXPECT_EQ(sum, trials.at(name)) << name;
  }
  EXPECT_EQ(files, trials.size());
}

TEST(SweepProgram, ARandomPartOfThePapersSweepsTrains) {
  const TempDir dir;
  make_tables(dir);
  for (const auto& [name, epochs] : std::map<std::string, std::string>{{"portfolio_liquid", "epochs = 50"},
                                                                       {"dispatch_kappa_0.1", "epochs = 100"}}) {
    std::ifstream in(paper_sweep(name));
    std::ostringstream text;
    text << in.rdbuf();
    std::string config = text.str();
    for (const auto& [from, to] :
         std::map<std::string, std::string>{{epochs, "epochs = 1"}, {"seeds = 5", "seeds = 2"}}) {
      ASSERT_NE(config.find(from), std::string::npos) << name;
      config.replace(config.find(from), from.size(), to);
    }
    const std::string file = dir.write(name + ".toml", config);
    const auto result = run_softradial(
        sweep(file, dir.path(name), {"--data", dir.path(""), "--random", "1", "--random-seed", "3", "--json"}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    for (const json& group : json::parse(result.out)) {
      EXPECT_EQ(group["candidates"], 1);
      EXPECT_EQ(group["chosen"]["seeds"].size(), group["method"] == "equal_weight" ? 1U : 2U) << group;
    }
    // What is planned is done.
    const auto plan = run_softradial({"sweep", file, "--data", dir.path(""), "--random", "1", "--random-seed", "3",
                                      "--store", dir.path(name), "--plan", "--json"});
    for (const json& group : json::parse(plan.out)) EXPECT_EQ(group["done"], group["trials"]) << group;
  }
}

}  // namespace
}  // namespace softradial::test
