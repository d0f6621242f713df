#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "data/tables.hpp"
#include "softradial/set.hpp"
#include "training/epoch_record.hpp"

namespace softradial::study {

// What a zone got over the test period.
struct ZoneTotals {
  double allocation = 0;  // vehicles sent there, summed over the hours
  double demand = 0;      // requests
  double served = 0;      // of them
};

// What a seed of a run did in the test period, from its files.
struct SeedRecord {
  std::uint64_t seed = 0;
  nlohmann::json trial;  // trial.json
  std::vector<EpochRecord> history;
  std::vector<std::string> decided;  // days or hours
  Table decisions;                   // (decided, names)
  std::vector<std::string> ended;    // of the outcomes
  std::map<std::string, std::vector<double>> outcomes;
  std::vector<ZoneTotals> zones;  // dispatch: as the run's names; empty if the run is older than this record

  [[nodiscard]] const std::vector<double>& outcome(const std::string& name) const;
};

// A run, from its folder (docs/runs.md).
struct RunRecord {
  std::filesystem::path folder;
  std::string label;  // method and set, "soft_radial, cap 0.05"; unique in a report
  nlohmann::json manifest;
  nlohmann::json result;
  std::vector<std::string> names;
  Set set;
  std::vector<SeedRecord> seeds;  // those that are finished, by number

  [[nodiscard]] std::string task() const { return manifest.at("task").get<std::string>(); }
  [[nodiscard]] std::string method() const { return manifest.at("config").at("method").get<std::string>(); }
  [[nodiscard]] double cap() const;
  // The seed with the best validation.
  [[nodiscard]] const SeedRecord& best() const;
};

// Throws DataError if the folder is no run, or no seed of it has finished.
[[nodiscard]] RunRecord read_run(const std::filesystem::path& folder);

// Whether one of them is of this method: a baseline that was run needs no line of its own.
[[nodiscard]] bool is_run(const std::vector<RunRecord>& runs, std::string_view method);

// Runs with the same label are told apart by their folders.
void make_labels_unique(std::vector<RunRecord>& runs);

// "2021-01-04" as days and "2021-01-04T07" as hours since 1970.
[[nodiscard]] double time_number(const std::string& text);

}  // namespace softradial::study
