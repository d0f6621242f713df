#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "training/epoch_record.hpp"

namespace softradial::study {

struct MetricValue {
  std::string split;  // validation, test or against_equal_weight
  std::string name;
  double value = 0;
  bool operator==(const MetricValue&) const = default;
};

// The comparison with equal weight on test is stored among the metrics as a split of its own. Each number takes three entries:
// its name, and its name with these endings for the ends of its interval.
inline constexpr const char* kAgainstEqualWeight = "against_equal_weight";
inline constexpr const char* kLowEnd = "_low";
inline constexpr const char* kHighEnd = "_high";

// A file of a training, as the store keeps it.
struct TrialFile {
  std::string name;       // decisions.csv, outcomes.csv or zones.csv: those of a run (docs/runs.md)
  std::int64_t size = 0;  // size of its text
  std::string sha256;     // checksum of its text, in hexadecimal
  std::string gzip;       // its text, compressed
  bool operator==(const TrialFile&) const = default;
};

// The outcome of a training, wherever it ran.
struct TrialOutcome {
  std::string failure;           // why it failed, in one line; empty: it finished
  std::string end;               // finished, no_gain or diverged; empty if it failed before its end
  std::string started;           // UTC
  double seconds = 0;            // duration of the training since it last began or resumed
  std::int64_t first_epoch = 0;  // epochs that a checkpoint already had
  std::int64_t epochs = 0;
  std::int64_t best_epoch = 0;
  double selection = std::numeric_limits<double>::quiet_NaN();  // the metric that chooses, on validation
  std::optional<double> violation;
  std::vector<MetricValue> metrics;
  std::vector<EpochRecord> history;
  std::vector<TrialFile> files;  // its decisions and their outcomes, if they were asked for

  [[nodiscard]] bool failed() const { return !failure.empty(); }
};

// A trial: the key of its configuration, and its seed.
struct TrialId {
  std::string configuration;
  std::uint64_t seed = 0;
  bool operator==(const TrialId&) const = default;
  bool operator<(const TrialId& other) const {
    return std::tie(configuration, seed) < std::tie(other.configuration, other.seed);
  }
};

// The part of an outcome on which the choice of the next trials depends.
struct TrialResult {
  bool failed = false;
  double selection = std::numeric_limits<double>::quiet_NaN();
};
using TrialResults = std::map<TrialId, TrialResult>;

}  // namespace softradial::study
