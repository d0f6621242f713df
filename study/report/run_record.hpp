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

// The totals of a zone over the test period.
struct ZoneTotals {
  double allocation = 0;  // vehicles sent there, summed over the hours
  double demand = 0;      // requests
  double served = 0;      // requests that were served
};

// The record of one seed in the test period, read from its files.
struct SeedRecord {
  std::uint64_t seed = 0;
  nlohmann::json trial;  // contents of trial.json
  std::vector<EpochRecord> history;
  std::vector<std::string> decided;  // days or hours
  Table decisions;                   // (decided, names)
  std::vector<std::string> ended;    // days or hours of the outcomes
  std::map<std::string, std::vector<double>> outcomes;
  std::vector<ZoneTotals> zones;  // dispatch: in the order of the run's names; empty for runs that predate it

  [[nodiscard]] const std::vector<double>& outcome(const std::string& name) const;
};

// A run, read from its folder (docs/runs.md).
struct RunRecord {
  std::filesystem::path folder;
  std::string label;  // method and set, "soft_radial, cap 0.05"; unique in a report
  nlohmann::json manifest;
  nlohmann::json result;
  std::vector<std::string> names;
  Set set;
  std::vector<SeedRecord> seeds;  // finished seeds, by number

  [[nodiscard]] std::string task() const { return manifest.at("task").get<std::string>(); }
  [[nodiscard]] std::string method() const { return manifest.at("config").at("method").get<std::string>(); }
  [[nodiscard]] double cap() const;
  // The seed with the best validation metric.
  [[nodiscard]] const SeedRecord& best() const;
};

// Throws DataError if the folder is not a run, or if no seed of it has finished.
[[nodiscard]] RunRecord read_run(const std::filesystem::path& folder);

// Whether one of the runs has this method. A baseline that is a run needs no line of its own.
[[nodiscard]] bool is_run(const std::vector<RunRecord>& runs, std::string_view method);

// Adds the folders to labels that several runs share.
void make_labels_unique(std::vector<RunRecord>& runs);

// "2021-01-04" as days and "2021-01-04T07" as hours since 1970.
[[nodiscard]] double time_number(const std::string& text);

}  // namespace softradial::study
