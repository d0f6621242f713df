#include <memory>
#include <string>
#include <vector>

#include "number_option.hpp"
#include "outcome.hpp"
#include "sweep/simulation.hpp"
#include "train/commands.hpp"
#include "train/sweep_commands.hpp"
#include "train/sweep_file.hpp"
#include "train/sweep_run.hpp"
#include "train/sweep_table.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;

constexpr const char* kSweepExamples = R"(Examples:
  softradial sweep configs/small.toml --store small.sqlite
  softradial sweep configs/paper/portfolio_net.toml --data prices --plan
  softradial sweep configs/paper/portfolio_net.toml --data prices --store paper.sqlite
  softradial sweep configs/paper/portfolio_net.toml --data prices --store paper.sqlite --resume
  mpirun -n 9 softradial sweep configs/paper/portfolio_net.toml --data prices --store paper.sqlite
  softradial sweep configs/paper/portfolio_net.toml --data prices --store paper.sqlite --slurm array --tasks 100
  softradial sweep configs/paper/portfolio_net.toml --data prices --store paper.sqlite --simulate 10,100,1000
  softradial results best --store paper.sqlite

CONFIG.toml names a task, flags of `softradial train`, and what is varied (docs/sweeps.md). The configuration with the best
validation is chosen with one seed; the other seeds are trained for it alone. Every trial is saved as soon as it has ended.
Ctrl-C, SIGTERM and SIGHUP end the sweep with exit code 4; --resume trains what is missing, to the same bits. Exit code 1:
trials failed; `softradial results list --status failed` says why. Under mpirun or srun the first process schedules and writes
the store, the others train.)";

ExitCode show_plan(const SweepArguments& arguments) {
  const Sweep sweep = read_sweep(arguments.file, arguments.choice);
  TrialResults results;
  if (!arguments.store.empty()) results = ResultsStore(arguments.store, SqliteFile::Access::read).results();
  print_plan(sweep.plan, results, arguments.format);
  return ExitCode::done;
}

ExitCode show_simulation(const SweepArguments& arguments) {
  const Sweep sweep = read_sweep(arguments.file, arguments.choice);
  const RecordedTrials recorded = [&] {
    ResultsStore store(arguments.store, SqliteFile::Access::read);
    return recorded_trials(store);
  }();
  if (recorded.paces.empty()) throw BadInput(arguments.store + ": has no finished trial to take times from");
  const SweepPlan plan = arguments.copies > 1 ? copies_of(sweep.plan, arguments.copies) : sweep.plan;
  std::vector<SimulationResult> results;
  for (const int workers : arguments.simulate) {
    results.push_back(simulate(plan, recorded, workers, arguments.store + ".simulation", real_stopwatch()));
  }
  print_simulation(results, arguments.format);
  return ExitCode::done;
}

// Parses "3/8".
SweepPart parse_part(const std::string& word) {
  const std::size_t slash = word.find('/');
  const auto number = [](std::string_view digits) {
    return parse_number<std::size_t>("--part", digits, {.least = 0, .most = 1e6});
  };
  if (slash == std::string::npos) throw CLI::ValidationError("--part " + word, "expected K/N");
  const SweepPart part{.index = number(std::string_view(word).substr(0, slash)),
                       .count = number(std::string_view(word).substr(slash + 1))};
  if (part.index >= part.count) throw CLI::ValidationError("--part " + word, "expected K/N with K from 0 to N - 1");
  return part;
}

ExitCode run(const SweepArguments& arguments) {
  if (arguments.retry_failed && !arguments.resume) throw BadInput("--retry-failed needs --resume");
  if (arguments.plan) return show_plan(arguments);
  if (arguments.store.empty()) throw BadInput("--store is required");
  if (!arguments.simulate.empty()) return show_simulation(arguments);
  if (arguments.part) return run_sweep_part(arguments);
  return arguments.slurm.kind == SlurmKind::none ? run_sweep_here(arguments) : run_sweep_on_slurm(arguments);
}

void add_cluster_flags(CLI::App& sweep, SweepArguments& arguments) {
  CLI::Option* const slurm =
      add_choice(sweep, "--slurm", arguments.slurm.kind, {{"mpi", SlurmKind::mpi}, {"array", SlurmKind::array}},
                 "Submit the sweep as a job of Slurm, follow it and collect its results: processes "
                 "that are handed trials (mpi), or tasks with a fixed part each (array)")
          ->excludes(sweep.get_option("--jobs"));
  add_number(sweep, "--tasks", arguments.slurm.tasks, at_least_1_up_to(1e5), "With --slurm: processes that train")
      ->needs(slurm);
  add_number(sweep, "--cpus", arguments.slurm.cpus, kJobs, "With --slurm: cores of each process, one trial on each")
      ->needs(slurm);
  sweep
      .add_option("--sbatch", arguments.slurm.options, "With --slurm: an option of sbatch, as --sbatch=--time=2:00:00")
      ->type_name("OPTION")
      ->take_all()
      ->needs(slurm);
  sweep
      .add_option_function<std::string>(
          "--part", [&arguments](const std::string& word) { arguments.part = parse_part(word); },
          "Train the trials K, K + N, ... of a list from --slurm array, which takes the place of CONFIG.toml")
      ->type_name("K/N")
      ->excludes(slurm)
      ->excludes(sweep.get_option("--data"))
      ->excludes(sweep.get_option("--random"))
      ->excludes(sweep.get_option("--decisions"))
      ->excludes(sweep.get_option("--plan"));
}

}  // namespace

void add_sweep_choice(CLI::App& command, SweepArguments& arguments) {
  command.add_option("config", arguments.file, "What to train (docs/sweeps.md)")->type_name("CONFIG.toml")->required();
  command.add_option("--store", arguments.store, "SQLite file of the results")->type_name("FILE");
  command
      .add_option("--data", arguments.choice.data,
                  "Folder of the data files that CONFIG.toml names (default: the current one)")
      ->type_name("DIR");
  add_number(command, "--random", arguments.choice.count, at_least_1_up_to(1e9),
             "Only this many candidates of each method and setting, drawn at random");
  add_number(command, "--random-seed", arguments.choice.seed, kSeed,
             "Seed of that draw (default: that of CONFIG.toml, or 0)");
  add_decisions(command, arguments.choice.decisions);
}

void add_sweep_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<SweepArguments>();
  CLI::App& sweep = *program.add_subcommand("sweep", "Train many configurations, choose on validation, judge on test");
  sweep.footer(kSweepExamples);
  add_sweep_choice(sweep, *arguments);
  sweep.add_flag("--plan", arguments->plan,
                 "Train nothing: check CONFIG.toml and its data, and show the number of trials");
  add_number(sweep, "--jobs", arguments->jobs, kJobs,
             "Trials at a time (default: the cores); the results are the same");
  sweep.add_flag("--resume", arguments->resume, "Keep the trials of the store and train what is missing");
  sweep.add_flag("--retry-failed", arguments->retry_failed, "With --resume: train failed trials again");
  add_cluster_flags(sweep, *arguments);
  CLI::Option* const simulate =
      add_numbers(sweep, "--simulate", arguments->simulate, at_least_1_up_to(1e6),
                  "Train nothing: estimate the time with this many workers, from the times of the store's trials")
          ->excludes(sweep.get_option("--slurm"))
          ->excludes(sweep.get_option("--part"))
          ->excludes(sweep.get_option("--plan"));
  add_number(sweep, "--copies", arguments->copies, at_least_1_up_to(1e4),
             "With --simulate: make the plan this many times as large")
      ->needs(simulate);
  add_format(sweep, arguments->format);
  sweep.callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace softradial::program
