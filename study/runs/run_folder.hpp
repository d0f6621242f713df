#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "files/folder_lock.hpp"
#include "runs/policy_file.hpp"
#include "runs/record.hpp"
#include "runs/run_files.hpp"
#include "training/checkpoint.hpp"

// The folder of a run: its whole configuration and all its results (docs/runs.md).
//
//   manifest.json                  configuration, set, data, seeds, best seed, version, machine, times
//   result.json                    the report of all seeds
//   log.txt                        what happened when
//   seed-N/trial.json              the result of a seed; where it lies, the seed is finished
//   seed-N/model.safetensors       the policy at its best epoch
//   seed-N/checkpoint.safetensors  a training under way
//   seed-N/history.csv, decisions.csv, outcomes.csv, zones.csv (dispatch)
//   ensemble/decisions.csv, outcomes.csv, zones.csv   of the mean of the seeds' decisions, if it was asked for
namespace softradial::study {

// What to do with a folder that holds a run already.
enum class RunStart {
  fresh,     // a finished run of the same configuration: train it again, and replace a seed when it has finished again.
             // Anything else: refuse
  resume,    // the same configuration: go on where it was, and add seeds. Another one: refuse
  overwrite  // delete what is there
};

// The parts of a manifest by which two runs are the same: task, configuration without the number of seeds, set, names, data,
// and whether the parameters of the layer were tuned.
[[nodiscard]] nlohmann::json run_identity(const nlohmann::json& manifest);
// Names the first difference between two identities, for the user; empty if they are equal.
[[nodiscard]] std::string identity_difference(const nlohmann::json& saved, const nlohmann::json& wanted);

// A run that is being written. One process writes at a time (FolderLock); its threads may save different seeds at once. A
// full disk or a folder that vanishes does not end the run: the error is kept for the end, and the results can still be
// printed.
class RunFolder {
 public:
  // `manifest` describes the run: task, config, names, set, data, seeds. Throws DataError if the folder holds something else
  // or is locked.
  RunFolder(std::filesystem::path folder, nlohmann::json manifest, RunStart start);

  // The saved result of a seed that has finished, if this run continues an earlier one. Removes the checkpoint that is left if
  // the earlier run was killed just after the result was saved.
  [[nodiscard]] std::optional<nlohmann::json> finished(std::uint64_t seed);
  // The checkpoint of a seed's training; nothing if it never began or the checkpoint is damaged (which is logged).
  [[nodiscard]] std::optional<Checkpoint> checkpoint(std::uint64_t seed);
  [[nodiscard]] std::filesystem::path checkpoint_file(std::uint64_t seed) const;

  // Saves an interrupted training: its checkpoint, and its policy unless a policy is already there.
  void save_interrupted(const PolicyFile& policy);
  // Saves a finished training: records, policy, then trial.json, which marks it as finished. Removes the checkpoint.
  void save_finished(const PolicyFile& policy, std::span<const EpochRecord> history, std::span<const Record> records,
                     const nlohmann::json& trial);
  // Saves the decisions of the mean of all seeds.
  void save_ensemble(std::span<const Record> records);
  // Saves the manifest as it is now, and the report. `status`: running, finished or interrupted.
  void save_manifest(const std::string& status);
  void save_report(const nlohmann::json& report, const std::string& toml);

  void log(const std::string& line);
  void keep_error(const std::string& what);
  // The error of the first file that could not be written; empty if all were written.
  [[nodiscard]] const std::string& write_error() const { return write_error_; }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

 private:
  [[nodiscard]] std::filesystem::path seed_folder(std::uint64_t seed) const;
  // Calls `save` and keeps the error if a file could not be written.
  void attempt(const std::function<void()>& save);
  [[nodiscard]] std::string manifest_text(const std::string& status);
  [[nodiscard]] std::optional<nlohmann::json> read_trial(std::uint64_t seed) const;
  void remove_run();

  std::filesystem::path folder_;
  RunStart start_;
  nlohmann::json manifest_;
  FolderLock lock_;
  std::mutex saving_;  // held while the manifest and the report are saved
  std::mutex mutex_;   // guards the error
  std::string write_error_;
};

}  // namespace softradial::study
