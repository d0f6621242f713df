#include "train/sweep_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "files/durable_file.hpp"
#include "runs/provenance.hpp"
#include "sweep/local_workers.hpp"
#include "sweep/mpi_workers.hpp"
#include "sweep/scheduler.hpp"
#include "sweep/summary.hpp"
#include "sweep/trainer.hpp"
#include "sweep/trial_list.hpp"
#include "train/commands.hpp"
#include "train/sweep_progress.hpp"
#include "train/sweep_table.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;

LocalWorkers::Train trainer_of(const SweepData& data) {
  return std::visit(
      [](const auto& shared) -> LocalWorkers::Train {
        return [shared](const TrialOrder& order, const TrainingHooks& hooks) {
          return train_order(order, *shared, hooks);
        };
      },
      data);
}

// For orders of both tasks, which read the data that they name.
LocalWorkers::Train trainer_of_any(const std::function<void(const std::string&)>& warn) {
  const auto portfolio = std::make_shared<StudyData<PortfolioConfig>>(warn);
  const auto dispatch = std::make_shared<StudyData<DispatchConfig>>(warn);
  return [portfolio, dispatch](const TrialOrder& order, const TrainingHooks& hooks) {
    return order.config.at("task") == KindOf<PortfolioConfig>::kName ? train_order(order, *portfolio, hooks)
                                                                     : train_order(order, *dispatch, hooks);
  };
}

// Trials at a time of this process. Ranks on one machine share its cores.
int jobs_of(const SweepArguments& arguments, const MpiRanks* ranks) {
  return jobs_or_default(arguments.jobs, ranks != nullptr ? ranks->trainers_on_node() : 1);
}

std::unique_ptr<Workers> workers_of(const SweepArguments& arguments, const LocalWorkers::Train& train,
                                    MpiRanks* ranks) {
  std::unique_ptr<LocalWorkers> own;
  if (ranks == nullptr || ranks->trains()) own = std::make_unique<LocalWorkers>(jobs_of(arguments, ranks), train);
  if (ranks == nullptr) return own;
  // Told at the beginning: whatever ends a rank may end this one before it could say a word.
  std::string command = fmt::format("mpirun -n {} softradial", ranks->size());
  for (const std::string& word : words_to_go_on(arguments)) command += " " + word;
  tell("if a process dies, what has finished is saved, and this goes on: " + command);
  return std::make_unique<MpiWorkers>(*ranks, std::move(own));
}

SweepEnd train_missing(const SweepPlan& plan, const LocalWorkers::Train& train, ResultsStore& store,
                       const SweepArguments& arguments, MpiRanks* ranks) {
  const StopOnSignal stop;
  // The lines leave the terminal before anything else is printed there.
  SweepView view(arguments.format == Format::json && isatty(STDOUT_FILENO) != 0);
  const std::unique_ptr<Workers> workers = workers_of(arguments, train, ranks);
  return run_sweep(plan, store, *workers, arguments.retry_failed,
                   {.progress = [&](const SweepProgress& progress) { view.show(progress); }, .stop = &stop.flag()});
}

void refuse_unfinished(const SweepEnd& end, const SweepArguments& arguments,
                       const std::string& again = "the same command with --resume") {
  if (!end.write_error.empty()) throw InternalFailure(end.write_error);
  if (end.interrupted) {
    throw Interrupted("; " + std::to_string(end.trained) + " trials were added to " + arguments.store + ", and " +
                      again + " goes on");
  }
}

// What the ranks but the first do. They get their orders from it.
ExitCode train_for_others(const SweepArguments& arguments, MpiRanks& ranks) {
  const StopOnSignal stop;
  LocalWorkers workers(jobs_of(arguments, &ranks), trainer_of_any([](const std::string& /*rank 0 tells it*/) {}));
  serve_orders(ranks, workers, stop.flag());
  return ExitCode::done;
}

// Makes the folder of the lock.
std::filesystem::path made_folder(const std::string& store) {
  std::filesystem::path folder = trainings_folder(store);
  make_folder(folder);
  return folder;
}

}  // namespace

WritableStore::WritableStore(const std::string& file, bool resume)
    : lock_(made_folder(file)), store_(file, SqliteFile::Access::write) {
  if (store_.has_trials() && !resume) {
    throw BadInput(file + ": holds trials already; --resume keeps them and trains what is missing");
  }
  store_.begin_session({{"version", program_version()}, {"machine", this_machine()}, {"started", utc_now()}});
}

void WritableStore::add_groups(const SweepPlan& plan) {
  std::vector<StoredGroup> groups;
  std::vector<Configuration> configurations;
  for (const Group& group : plan.groups) {
    groups.push_back(stored(plan, group));
    configurations.insert(configurations.end(), group.candidates.begin(), group.candidates.end());
  }
  store_.add_groups(groups, configurations);
}

void train_missing_here(const Sweep& sweep, WritableStore& store, const SweepArguments& arguments) {
  refuse_unfinished(train_missing(sweep.plan, trainer_of(sweep.data), store.get(), arguments, nullptr), arguments,
                    "the same command");
}

nlohmann::json report_of_group(ResultsStore& store, const SweepPlan& plan, const Group& group) {
  auto report = chosen_of(store, stored(plan, group), store.results());
  if (!report) {
    throw InternalFailure(group.setting + ", " + group.method +
                          ": no trial has finished; softradial results list --store " + store.path().string() +
                          " --status failed says why");
  }
  return *report;
}

ExitCode report_sweep(ResultsStore& store, const SweepPlan& plan, Format format) {
  // A store may hold other sweeps.
  std::vector<nlohmann::json> own;
  for (nlohmann::json& group : summary_of(store)) {
    if (group.at("sweep") == plan.name) own.push_back(std::move(group));
  }
  print_summary(own, format);
  if (format == Format::text)
    tell(fmt::format("to look at: softradial report {} -o report.html", store.path().string()));
  const TrialResults results = store.results();
  std::size_t failed = 0;
  for (const Group& group : plan.groups) failed += next_stage(group, plan.search, results).failed;
  if (failed == 0) return ExitCode::done;
  tell(fmt::format("{} trials failed: softradial results list --store {} --status failed says why", failed,
                   store.path().string()));
  return ExitCode::answer_is_no;
}

std::vector<std::string> words_to_go_on(const SweepArguments& arguments) {
  std::vector<std::string> words = {"sweep", arguments.file, "--store", arguments.store, "--resume"};
  const auto add = [&](const char* flag, const std::string& value) { words.insert(words.end(), {flag, value}); };
  if (!arguments.choice.data.empty()) add("--data", arguments.choice.data);
  if (arguments.choice.count) add("--random", std::to_string(*arguments.choice.count));
  if (arguments.choice.seed) add("--random-seed", std::to_string(*arguments.choice.seed));
  if (arguments.jobs) add("--jobs", std::to_string(*arguments.jobs));
  return words;
}

ExitCode run_sweep_here(const SweepArguments& arguments) {
  const std::unique_ptr<MpiRanks> ranks = MpiRanks::join();
  if (ranks && ranks->rank() > 0) return train_for_others(arguments, *ranks);
  const Sweep sweep = read_sweep(arguments.file, arguments.choice);
  WritableStore store(arguments.store, arguments.resume);
  store.add_groups(sweep.plan);
  const SweepEnd end = train_missing(sweep.plan, trainer_of(sweep.data), store.get(), arguments, ranks.get());
  const ExitCode code = report_sweep(store.get(), sweep.plan, arguments.format);
  refuse_unfinished(end, arguments);
  return code;
}

ExitCode run_sweep_part(const SweepArguments& arguments) {
  const SweepPlan plan = part_of_list(arguments.file, arguments.part->index, arguments.part->count);
  WritableStore store(arguments.store, arguments.resume);
  const auto warn = [](const std::string& warning) { tell("warning: " + warning); };
  refuse_unfinished(train_missing(plan, trainer_of_any(warn), store.get(), arguments, nullptr), arguments);
  return ExitCode::done;
}

}  // namespace softradial::program
