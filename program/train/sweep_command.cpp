#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "files/durable_file.hpp"
#include "files/folder_lock.hpp"
#include "number_option.hpp"
#include "outcome.hpp"
#include "runs/provenance.hpp"
#include "sweep/local_workers.hpp"
#include "sweep/scheduler.hpp"
#include "sweep/summary.hpp"
#include "sweep/trainer.hpp"
#include "train/commands.hpp"
#include "train/sweep_commands.hpp"
#include "train/sweep_file.hpp"
#include "train/sweep_progress.hpp"
#include "train/sweep_table.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;

constexpr const char* kExamples = R"(Examples:
  softradial sweep configs/small.toml --store small.sqlite
  softradial sweep configs/paper/portfolio_net.toml --store paper.sqlite --jobs 2
  softradial sweep configs/paper/portfolio_net.toml --store paper.sqlite --resume
  softradial results best --store paper.sqlite

CONFIG.toml names a task, flags of `softradial train`, and what is varied (docs/sweeps.md). The configuration with the best
validation is chosen with one seed; the other seeds are trained for it alone. Every trial is saved as soon as it has ended.
Ctrl-C, SIGTERM and SIGHUP end the sweep with exit code 4; --resume trains what is missing, to the same bits. Exit code 1:
trials failed; `softradial results list --status failed` says why.)";

struct SweepArguments {
  std::string file;
  std::string store;
  std::optional<int> jobs;
  bool resume = false;
  bool retry_failed = false;
  Format format = Format::text;
};

LocalWorkers::Train trainer_of(const SweepData& data) {
  return std::visit(
      [](const auto& shared) -> LocalWorkers::Train {
        return [shared](const TrialOrder& order, const TrainingHooks& hooks) {
          return train_order(order, *shared, hooks);
        };
      },
      data);
}

SweepEnd train_missing(const SweepPlan& plan, const SweepData& data, ResultsStore& store,
                       const SweepArguments& arguments, const StopOnSignal& stop) {
  // The lines leave the terminal before anything else is printed there.
  SweepView view(arguments.format == Format::json && isatty(STDOUT_FILENO) != 0);
  LocalWorkers workers(jobs_or_default(arguments.jobs, 1), trainer_of(data));
  return run_sweep(plan, store, workers, arguments.retry_failed,
                   {.progress = [&](const SweepProgress& progress) { view.show(progress); }, .stop = &stop.flag()});
}

// The groups of this sweep alone: a store may hold others.
std::vector<nlohmann::json> summary_of_plan(ResultsStore& store, const SweepPlan& plan) {
  std::vector<nlohmann::json> own;
  for (nlohmann::json& group : summary_of(store)) {
    if (group.at("sweep") == plan.name) own.push_back(std::move(group));
  }
  return own;
}

ExitCode run(const SweepArguments& arguments) {
  const Sweep sweep = read_sweep(arguments.file);
  const std::filesystem::path folder = trainings_folder(arguments.store);
  make_folder(folder);
  const FolderLock lock(folder);
  ResultsStore store(arguments.store, SqliteFile::Access::write);
  if (store.has_trials() && !arguments.resume) {
    throw BadInput(arguments.store + ": holds trials already; --resume keeps them and trains what is missing");
  }
  std::vector<StoredGroup> groups;
  std::vector<Configuration> configurations;
  for (const Group& group : sweep.plan.groups) {
    groups.push_back(stored(sweep.plan, group));
    configurations.insert(configurations.end(), group.candidates.begin(), group.candidates.end());
  }
  store.add_groups(groups, configurations);
  store.begin_session({{"version", program_version()}, {"machine", this_machine()}, {"started", utc_now()}});

  const StopOnSignal stop;
  const SweepEnd end = train_missing(sweep.plan, sweep.data, store, arguments, stop);
  print_summary(summary_of_plan(store, sweep.plan), arguments.format);
  if (!end.write_error.empty()) throw InternalFailure(end.write_error);
  if (end.interrupted) {
    throw Interrupted("; " + std::to_string(end.trained) + " trials were added to " + arguments.store +
                      ", and the same command with --resume goes on");
  }
  if (end.failed == 0) return ExitCode::done;
  tell(fmt::format("{} trials failed: softradial results list --store {} --status failed says why", end.failed,
                   arguments.store));
  return ExitCode::answer_is_no;
}

}  // namespace

void add_sweep_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<SweepArguments>();
  CLI::App& sweep = *program.add_subcommand("sweep", "Train many configurations, choose on validation, judge on test");
  sweep.footer(kExamples);
  sweep.add_option("config", arguments->file, "What to train (docs/sweeps.md)")->type_name("CONFIG.toml")->required();
  sweep.add_option("--store", arguments->store, "SQLite file of the results")->type_name("FILE")->required();
  add_number(sweep, "--jobs", arguments->jobs, kJobs,
             "Trials at a time (default: the cores); the results are the same");
  sweep.add_flag("--resume", arguments->resume, "Keep the trials of the store and train what is missing");
  sweep.add_flag("--retry-failed", arguments->retry_failed, "With --resume: train again what has failed");
  add_format(sweep, arguments->format);
  sweep.callback([arguments, &chosen] {
    chosen = [arguments] {
      if (arguments->retry_failed && !arguments->resume) throw BadInput("--retry-failed needs --resume");
      return run(*arguments);
    };
  });
}

}  // namespace softradial::program
