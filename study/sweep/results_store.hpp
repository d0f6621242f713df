#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/errors.hpp"
#include "sweep/configuration.hpp"
#include "sweep/sqlite.hpp"
#include "sweep/trial_outcome.hpp"

// The results of sweeps in one SQLite file (docs/sweeps.md describes the schema). Only the scheduling process writes; others
// may read at the same time.
namespace softradial::study {

struct FinishedTrial {
  Configuration configuration;
  std::uint64_t seed = 0;
  TrialOutcome outcome;
};

// Which trials of a group keep their decisions, as files.
enum class KeptDecisions {
  none,
  chosen,  // those of the chosen configuration, for all its seeds
  all
};
inline constexpr std::array<std::pair<std::string_view, KeptDecisions>, 3> kKeptDecisions = {
    {{"none", KeptDecisions::none}, {"chosen", KeptDecisions::chosen}, {"all", KeptDecisions::all}}};
[[nodiscard]] std::string word_of(KeptDecisions kept);
[[nodiscard]] std::optional<KeptDecisions> kept_decisions(std::string_view word);

// Configurations that compete. One of them is chosen on validation and judged on test with all seeds.
struct StoredGroup {
  std::string sweep;
  std::string setting;
  std::string method;
  std::uint64_t first_seed = 0;
  int seeds = 1;
  KeptDecisions decisions = KeptDecisions::chosen;
  std::vector<std::string> candidates;  // keys of configurations, in the order of the grid
};

// A file of a trial, as it was written.
struct WrittenFile {
  std::string name;
  std::string text;
};

struct TrialFilter {
  std::string method;  // empty: all
  std::string status;  // finished, failed; empty: both
  std::optional<std::int64_t> id;
};

// A line of a listing.
struct TrialLine {
  std::int64_t id = 0;
  std::string task, method, setting, parameters;
  std::uint64_t seed = 0;
  std::string status, reason;
  std::int64_t epochs = 0;
  double seconds = 0;
  double selection = 0;
  double test = 0;  // the same metric on test
};

// How many trials of another store were added, were already here, and were here with different numbers (ours are kept).
struct MergeCount {
  std::int64_t added = 0;
  std::int64_t same = 0;
  std::int64_t different = 0;
};

// The exception for a store that SQLite can read but we cannot.
[[nodiscard]] DataError damaged_store(const std::filesystem::path& file);

class ResultsStore {
 public:
  static constexpr int kSchema = 2;

  // Throws DataError if the file is not a store or has an unknown schema. An older schema is read as it is, and upgraded when
  // the store is opened for writing.
  ResultsStore(const std::filesystem::path& file, SqliteFile::Access access);

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
  [[nodiscard]] bool has_trials();

  // Begins a session, one call of a program: {"version", "machine": {...}, "started"}. The trials that follow belong to it.
  void begin_session(const nlohmann::json& facts);
  // Replaces a group with the same sweep, setting and method. Deletes files of trials that no group wants any more.
  void add_groups(const std::vector<StoredGroup>& groups, std::span<const Configuration> configurations);
  // Saves all of them in one transaction: they are on the disk when it returns. A failed trial may be saved again, a finished
  // one may not. Files are saved with their trial if its groups want them (KeptDecisions); those of a candidate that is no
  // longer the best are deleted. Throws WriteError, and then nothing is saved.
  void save(std::span<const FinishedTrial> trials);
  MergeCount merge(const std::filesystem::path& other);

  [[nodiscard]] TrialResults results();
  // The training times of every configuration: the number of epochs that were measured, and their seconds.
  void each_duration(const std::function<void(const Configuration&, std::int64_t epochs, double seconds)>& visit);
  [[nodiscard]] std::vector<StoredGroup> groups();
  // The listed trials in the order of their ids.
  void list(const TrialFilter& filter, const std::function<void(const TrialLine&)>& visit);
  // Everything about the filtered trials, one object each: configuration, problem, metrics, session; epochs if wanted.
  void each(const TrialFilter& filter, bool with_epochs, const std::function<void(const nlohmann::json&)>& visit);
  // The files of a trial, without their bytes.
  [[nodiscard]] std::vector<TrialFile> files_of(std::int64_t trial);
  // The files of a trial as they were written. Throws DataError if one is damaged.
  [[nodiscard]] std::vector<WrittenFile> read_files(std::int64_t trial);
  // {"id", "configuration": {...}, "test": {...}, "violation"} of the finished trials of a configuration, by seed.
  [[nodiscard]] std::vector<nlohmann::json> trials_of(const std::string& configuration);

 private:
  [[nodiscard]] std::int64_t configuration_id(const Configuration& configuration);
  void visit_files(std::int64_t trial, const std::function<void(const SqliteStatement&)>& visit);

  SqliteFile file_;
  std::int64_t schema_ = 0;
  std::int64_t session_ = 0;
};

}  // namespace softradial::study
