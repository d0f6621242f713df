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

// The results of sweeps in one SQLite file (docs/sweeps.md has the schema). One process writes, the one that schedules;
// others may read at the same time.
namespace softradial::study {

struct FinishedTrial {
  Configuration configuration;
  std::uint64_t seed = 0;
  TrialOutcome outcome;
};

// The trials of a group whose decisions are kept, as files.
enum class KeptDecisions {
  none,
  chosen,  // of the chosen configuration, with all its seeds
  all
};
inline constexpr std::array<std::pair<std::string_view, KeptDecisions>, 3> kKeptDecisions = {
    {{"none", KeptDecisions::none}, {"chosen", KeptDecisions::chosen}, {"all", KeptDecisions::all}}};
[[nodiscard]] std::string word_of(KeptDecisions kept);
[[nodiscard]] std::optional<KeptDecisions> kept_decisions(std::string_view word);

// Configurations that compete: one of them is chosen on validation and judged on test with all seeds.
struct StoredGroup {
  std::string sweep;
  std::string setting;
  std::string method;
  std::uint64_t first_seed = 0;
  int seeds = 1;
  KeptDecisions decisions = KeptDecisions::chosen;
  std::vector<std::string> candidates;  // keys of configurations, in the order of the grid
};

// A file of a trial as it was written.
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

// How many trials of another store were added, were here already, and were here with other numbers (ours are kept).
struct MergeCount {
  std::int64_t added = 0;
  std::int64_t same = 0;
  std::int64_t different = 0;
};

// What is thrown for a store that SQLite can read and we cannot.
[[nodiscard]] DataError damaged_store(const std::filesystem::path& file);

class ResultsStore {
 public:
  static constexpr int kSchema = 2;

  // Throws DataError if the file is no store or has a schema that is not known here. An older one is read as it is, and made
  // new where it is opened for writing.
  ResultsStore(const std::filesystem::path& file, SqliteFile::Access access);

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
  [[nodiscard]] bool has_trials();

  // One call of a program that adds trials: {"version", "machine": {...}, "started"}. The trials that follow belong to it.
  void begin_session(const nlohmann::json& facts);
  // A group that has the same sweep, setting and method is replaced. What no group wants any more of the files of trials goes.
  void add_groups(const std::vector<StoredGroup>& groups, std::span<const Configuration> configurations);
  // All of them in one transaction: they have reached the disk when it returns. A failed trial may be saved again, a finished
  // one may not. Files are saved with their trial if its groups want them (KeptDecisions), and those of a candidate that is
  // no longer the best go. Throws WriteError, and then none of them is saved.
  void save(std::span<const FinishedTrial> trials);
  MergeCount merge(const std::filesystem::path& other);

  [[nodiscard]] TrialResults results();
  // How long the trainings of every configuration took: the epochs that were measured, and their seconds.
  void each_duration(const std::function<void(const Configuration&, std::int64_t epochs, double seconds)>& visit);
  [[nodiscard]] std::vector<StoredGroup> groups();
  // The listed trials in the order of their ids.
  void list(const TrialFilter& filter, const std::function<void(const TrialLine&)>& visit);
  // Everything about the trials of a filter, one object each: configuration, problem, metrics, session; epochs if wanted.
  void each(const TrialFilter& filter, bool with_epochs, const std::function<void(const nlohmann::json&)>& visit);
  // The files of a trial, without their bytes.
  [[nodiscard]] std::vector<TrialFile> files_of(std::int64_t trial);
  // The same as they were written. Throws DataError if one is damaged.
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
