#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "files/durable_file.hpp"
#include "sweep/trial_list.hpp"
#include "train/commands.hpp"
#include "train/slurm.hpp"
#include "train/sweep_run.hpp"

// A sweep as a job of Slurm. STORE.slurm/ holds its scripts, its logs and, until its results are collected, its number: with
// this a later command finds the job again.
namespace softradial::program {
namespace {

using namespace softradial::study;
using nlohmann::json;

// A submitted job, and the folder of its files.
struct Submitted {
  std::string id;
  std::filesystem::path folder;
};

class SlurmFolder {
 public:
  explicit SlurmFolder(const std::string& store) : folder_(store + ".slurm") { make_folder(folder_); }

  [[nodiscard]] std::optional<Submitted> submitted() const {
    if (!std::filesystem::exists(job_file())) return std::nullopt;
    try {
      const json job = json::parse(read_file(job_file()));
      return Submitted{.id = job.at("id").get<std::string>(), .folder = job.at("folder").get<std::string>()};
    } catch (const json::exception&) {
      throw BadInput(job_file().string() + ": is not readable; without it, the job is submitted again");
    }
  }
  // A folder that no earlier job has used.
  [[nodiscard]] std::filesystem::path new_round() const {
    int round = 1;
    while (std::filesystem::exists(folder_ / fmt::format("round-{}", round))) ++round;
    std::filesystem::path out = folder_ / fmt::format("round-{}", round);
    make_folder(out);
    return out;
  }
  void remember(const Submitted& job) const {
    write_file(job_file(), json{{"id", job.id}, {"folder", job.folder.string()}}.dump());
  }
  void forget() const { std::filesystem::remove(job_file()); }

 private:
  [[nodiscard]] std::filesystem::path job_file() const { return folder_ / "job.json"; }

  std::filesystem::path folder_;
};

// The command line of this program, wherever the job runs.
std::string command_line(const std::vector<std::string>& words) {
  std::string line = shell_word(std::filesystem::read_symlink("/proc/self/exe").string());
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

void follow_to_its_end(const std::string& id) {
  const StopOnSignal stop;
  follow_job(id, stop.flag());
  if (stop.flag().load()) {
    throw Interrupted("; job " + id + " goes on, and the same command with --resume follows and collects it");
  }
}

SlurmJob job_for(const SlurmChoice& choice, const std::filesystem::path& folder) {
  SlurmJob job;
  job.name = "softradial";
  job.log = folder / "log";
  job.cpus = choice.cpus;
  job.options = choice.options;
  return job;
}

// Array tasks that do not communicate: each trains every n-th trial of a list into its own store.
class ArraySweep {
 public:
  ArraySweep(const SweepArguments& arguments, const Sweep& sweep)
      : arguments_(arguments), sweep_(sweep), folder_(arguments.store), store_(arguments.store, arguments.resume) {
    store_.add_groups(sweep.plan);
  }

  // Trains the trials of a stage, then those that depend on its results, until nothing is missing.
  ExitCode run() {
    TrialResults results = store_.get().results();
    if (arguments_.retry_failed) std::erase_if(results, [](const auto& each) { return each.second.failed; });
    while (true) {
      if (const auto job = folder_.submitted()) {
        follow_to_its_end(job->id);
        collect(*job);
        results = store_.get().results();
      }
      const std::vector<PlannedTrial> missing = missing_trials(results);
      if (missing.empty()) return report_sweep(store_.get(), sweep_.plan, arguments_.format);
      folder_.remember(submit_round(missing));
    }
  }

 private:
  [[nodiscard]] std::vector<PlannedTrial> missing_trials(const TrialResults& results) {
    TrialTimes times;
    store_.get().each_duration([&](const Configuration& configuration, std::int64_t epochs, double seconds) {
      times.record(shape_of(configuration), epochs, seconds);
    });
    return missing_now(sweep_.plan, results, times);
  }

  [[nodiscard]] Submitted submit_round(const std::vector<PlannedTrial>& trials) const {
    const std::filesystem::path folder = folder_.new_round();
    write_trial_list(folder / "trials.json", trials, sweep_.plan.decisions);
    const int tasks = std::min(arguments_.slurm.tasks, static_cast<int>(trials.size()));
    SlurmJob job = job_for(arguments_.slurm, folder);
    job.array = tasks;
    job.log = folder / "%a.log";
    // The shell fills in the number of the task; a task that starts again resumes.
    job.command = "exec " +
                  command_line({"sweep", (folder / "trials.json").string(), "--resume", "--jobs",
                                std::to_string(arguments_.slurm.cpus)}) +
                  fmt::format(" --part \"$SLURM_ARRAY_TASK_ID/{}\" --store {}/\"$SLURM_ARRAY_TASK_ID\".sqlite", tasks,
                              shell_word(folder.string()));
    const std::string id = submit(job, folder / "job.sh");
    tell(fmt::format("job {}: {} trials in {} tasks, {}", id, trials.size(), tasks, folder.string()));
    return {.id = id, .folder = folder};
  }

  void collect(const Submitted& job) {
    MergeCount sum;
    for (const auto& entry : std::filesystem::directory_iterator(job.folder)) {
      if (entry.path().extension() != ".sqlite") continue;
      const MergeCount count = store_.get().merge(entry.path());
      sum.added += count.added;
      sum.different += count.different;
    }
    folder_.forget();
    tell(fmt::format("job {} has ended: {} trials were added to {}", job.id, sum.added, arguments_.store));
    if (sum.added == 0) {
      throw InternalFailure("job " + job.id + " has added no trial: its logs are in " + job.folder.string());
    }
  }

  const SweepArguments& arguments_;
  const Sweep& sweep_;
  SlurmFolder folder_;
  WritableStore store_;
};

// Ranks that receive trial after trial. The first rank writes the store, so this process only reads it, at the end.
ExitCode run_mpi_job(const SweepArguments& arguments, const Sweep& sweep) {
  const SlurmFolder folder(arguments.store);
  auto job = folder.submitted();
  if (!job) {
    if (!arguments.resume && std::filesystem::exists(arguments.store)) {
      throw BadInput(arguments.store + ": is there already; --resume keeps its trials and trains what is missing");
    }
    const std::filesystem::path round = folder.new_round();
    SlurmJob wanted = job_for(arguments.slurm, round);
    wanted.processes = arguments.slurm.tasks + 1;
    std::vector<std::string> words = words_to_go_on(arguments);
    words.insert(words.end(), {"--jobs", std::to_string(arguments.slurm.cpus)});
    if (arguments.retry_failed) words.emplace_back("--retry-failed");
    wanted.command = "exec srun --mpi=pmix --kill-on-bad-exit=1 " + command_line(words);
    job = {.id = submit(wanted, round / "job.sh"), .folder = round};
    folder.remember(*job);
    tell(fmt::format("job {}: {} processes that train, {}", job->id, arguments.slurm.tasks, round.string()));
  }
  follow_to_its_end(job->id);
  folder.forget();
  const std::string log = (job->folder / "log").string();
  if (!std::filesystem::exists(arguments.store)) {
    throw InternalFailure("job " + job->id + " has made no store: " + log + " says why");
  }
  ResultsStore store(arguments.store, SqliteFile::Access::read);
  const ExitCode code = report_sweep(store, sweep.plan, arguments.format);
  if (missing_now(sweep.plan, store.results(), {}).empty()) return code;
  throw InternalFailure("job " + job->id + " has ended before the sweep: " + log +
                        " says why, and the same command with --resume goes on");
}

}  // namespace

ExitCode run_sweep_on_slurm(const SweepArguments& arguments) {
  const Sweep sweep = read_sweep(arguments.file, arguments.choice);
  if (arguments.slurm.kind == SlurmKind::mpi) return run_mpi_job(arguments, sweep);
  if (sweep.plan.search.kind == SearchKind::halving) {
    throw BadInput("--slurm array: the rounds of a halving go on from each other's checkpoints; use --slurm mpi");
  }
  return ArraySweep(arguments, sweep).run();
}

}  // namespace softradial::program
