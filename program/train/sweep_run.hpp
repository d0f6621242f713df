#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "files/folder_lock.hpp"
#include "outcome.hpp"
#include "sweep/results_store.hpp"
#include "train/sweep_file.hpp"

namespace softradial::program {

enum class SlurmKind { none, mpi, array };

// What to ask Slurm for.
struct SlurmChoice {
  SlurmKind kind = SlurmKind::none;
  int tasks = 1;                     // tasks that train
  int cpus = 1;                      // cpus of each task: its trials at a time
  std::vector<std::string> options;  // options of sbatch
};

// A part of a list: trial number `index` and every `count`-th one after it.
struct SweepPart {
  std::size_t index = 0;
  std::size_t count = 1;
};

struct SweepArguments {
  std::string file;
  std::string store;
  SweepChoice choice;
  bool plan = false;
  std::optional<SweepPart> part;
  std::vector<int> simulate;
  int copies = 1;
  SlurmChoice slurm;
  std::optional<int> jobs;
  bool resume = false;
  bool retry_failed = false;
  Format format = Format::text;
};

// The store, opened by the only process that may write it.
class WritableStore {
 public:
  // Throws BadInput if the store holds trials and `resume` is not set.
  WritableStore(const std::string& file, bool resume);

  [[nodiscard]] study::ResultsStore& get() { return store_; }
  // Adds the groups that `results best` shows later.
  void add_groups(const study::SweepPlan& plan);

 private:
  study::FolderLock lock_;
  study::ResultsStore store_;
};

// Trains here the trials of a plan that the store does not have. Throws Interrupted or InternalFailure if it cannot finish.
void train_missing_here(const Sweep& sweep, WritableStore& store, const SweepArguments& arguments);

// The result of chosen_of for a group of the plan. Throws InternalFailure if none of its trials has finished.
[[nodiscard]] nlohmann::json report_of_group(study::ResultsStore& store, const study::SweepPlan& plan,
                                             const study::Group& group);

// Prints the chosen configurations of this sweep, and says how many of its trials failed.
ExitCode report_sweep(study::ResultsStore& store, const study::SweepPlan& plan, Format format);

// The words of a command line that continues this sweep on the same store with --resume.
[[nodiscard]] std::vector<std::string> words_to_go_on(const SweepArguments& arguments);

// Each runs the sweep that its arguments describe, to the end.
ExitCode run_sweep_here(
    const SweepArguments& arguments);  // in this process, or with the others that mpirun has started
ExitCode run_sweep_part(const SweepArguments& arguments);  // a fixed part of a list of trials
ExitCode run_sweep_on_slurm(const SweepArguments& arguments);

}  // namespace softradial::program
