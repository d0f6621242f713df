// Calls of `softradial sweep`, and what is in the stores that they leave: trials, outcomes, files and checkpoints.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "files/sha256.hpp"
#include "program/child_process.hpp"
#include "program/temp_dir.hpp"
#include "sweep/results_store.hpp"
#include "sweep/sqlite.hpp"

namespace softradial::test {

inline constexpr const char* kBase = R"(
task = "portfolio"
[base]
prices = "synthetic:sectors"
hidden = 4
cap = 0.3
epochs = 4
)";

inline const Arguments kPortfolioFiles = {"decisions.csv", "outcomes.csv"};

inline Arguments sweep(const std::string& config, const std::string& store, const Arguments& more = {}) {
  Arguments words = {"sweep", config, "--store", store};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

inline nlohmann::json read_json(const std::string& file) {
  std::ifstream in(file);
  return nlohmann::json::parse(in);
}

// All trials of a store, with their epochs.
inline nlohmann::json trials_of(const TempDir& dir, const std::string& store) {
  const std::string out = dir.path("export.json");
  const auto result = run_softradial({"results", "export", "--store", dir.path(store), "--epochs", "--out", out});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return read_json(out);
}

// What must be the same to the bit, however a sweep came about: by configuration and seed.
inline std::map<std::string, std::string> outcomes_of(const TempDir& dir, const std::string& store) {
  std::map<std::string, std::string> out;
  for (const nlohmann::json& trial : trials_of(dir, store)) {
    const std::string id = trial["configuration"].get<std::string>() + " " + trial["seed"].dump();
    std::string text;
    for (const char* key : {"status", "reason", "end", "epochs", "best_epoch", "selection", "violation", "validation",
                            "test", "history", "config", "method", "setting", "parameters"}) {
      text += trial.at(key).dump() + " ";
    }
    EXPECT_TRUE(out.emplace(id, text).second) << "twice: " << id;
  }
  return out;
}

// The checksums of the files of all trials that have some: by configuration, seed and name.
inline std::map<std::string, std::string> files_of(const TempDir& dir, const std::string& store) {
  std::map<std::string, std::string> out;
  study::ResultsStore results(dir.path(store), study::SqliteFile::Access::read);
  results.each({}, false, [&](const nlohmann::json& trial) {
    const std::string id = trial["configuration"].get<std::string>() + " " + trial["seed"].dump();
    for (const study::WrittenFile& file : results.read_files(trial["id"].get<std::int64_t>())) {
      out[id + " " + file.name] = study::sha256_of(file.text);
    }
  });
  return out;
}

// The names of what a chosen trial of every group has, in the same form: all its seeds, and no other trial.
inline std::map<std::string, std::string> names_of_chosen(const TempDir& dir, const std::string& store,
                                                          const Arguments& names) {
  std::map<std::string, std::string> out;
  const auto best = run_softradial({"results", "best", "--store", dir.path(store), "--json"});
  for (const nlohmann::json& group : nlohmann::json::parse(best.out)) {
    for (const nlohmann::json& seed : group["chosen"]["seeds"]) {
      for (const std::string& name : names) {
        out[group["chosen"]["configuration"].get<std::string>() + " " + seed.dump() + " " + name];
      }
    }
  }
  return out;
}

inline std::vector<std::string> keys_of(const std::map<std::string, std::string>& map) {
  std::vector<std::string> out;
  for (const auto& [key, value] : map) out.push_back(key);
  return out;
}

inline std::vector<std::string> checkpoints_of(const TempDir& dir, const std::string& store) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path(store + ".trainings"))) {
    if (entry.path().extension() == ".safetensors") out.push_back(entry.path());
  }
  return out;
}

}  // namespace softradial::test
