#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "data/table_parts.hpp"
#include "mpi/ranks.hpp"
#include "number_option.hpp"
#include "outcome.hpp"
#include "output_file.hpp"
#include "runs/run.hpp"
#include "runs/run_folder.hpp"
#include "train/commands.hpp"
#include "train/config_flags.hpp"
#include "train/metric_table.hpp"
#include "train/work_progress.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;

constexpr const char* kPortfolioExamples = R"(Examples:
  softradial train portfolio --cap 0.05
  softradial train portfolio --prices prices.csv --cap 0.05 --seeds 5 --out runs/mine
  softradial train portfolio --prices prices.csv --set limits.json --method orthogonal --json
  softradial train portfolio --prices prices.csv --cap 0.05 --objective variance --seeds 5 --ensemble
  softradial train portfolio --config runs/mine/config.toml
  mpirun -n 4 softradial train portfolio --prices prices.parquet --out runs/large --distributed

OUT holds the whole record: manifest.json, and for each seed the model, the metrics of every epoch, decisions and outcomes;
config.toml has the configuration for --config. Ctrl-C, SIGTERM and SIGHUP end the training with exit code 4; --resume goes
on, with the same result to the bit as if nothing had happened.)";

constexpr const char* kDispatchExamples = R"(Examples:
  softradial train dispatch --kappa 0.1
  softradial train dispatch --demand hourly.csv --zones 67 --kappa 0.02 --method hardnet --seeds 5 --json
  mpirun -n 4 softradial train dispatch --demand hourly.parquet --out runs/large --distributed)";

struct Output {
  std::string folder;
  bool resume = false;
  bool overwrite = false;
  bool ensemble = false;
  bool distributed = false;
  std::optional<int> jobs;
  Format format = Format::text;
};

// One row per seed, then their mean, the ensemble, and the baselines, which need no training.
TextTable result_table(const nlohmann::json& report) {
  std::vector<MetricRow> rows;
  const nlohmann::json& trials = report.at("trials");
  for (const auto& trial : trials) {
    const bool best = trials.size() > 1 && trial.at("seed") == report.at("best_seed");
    rows.push_back({fmt::format("{}{}", trial.at("seed").get<std::uint64_t>(), best ? " (best)" : ""), trial.at("test"),
                    trial.value("violation", 0.0)});
  }
  if (trials.size() > 1) {
    for (const char* row : {"mean", "std"}) rows.push_back({row, report.at(row), std::nullopt});
  }
  if (report.contains("ensemble")) {
    const nlohmann::json& ensemble = report["ensemble"];
    rows.push_back({"ensemble", ensemble.at("test"), ensemble.at("violation").get<double>()});
  }
  for (const auto& [name, baseline] : report.at("baselines").items()) {
    rows.push_back({name, baseline.at("test"), baseline.value("violation", 0.0)});
  }
  return metric_table("seed", rows);
}

// "mean of the seeds to equal weight, 95 %: Sharpe ratio -0.15 [-0.48, +0.17]", and so on.
std::string comparison_lines(const nlohmann::json& report) {
  std::string text;
  const auto add = [&](const char* who, const nlohmann::json& holder) {
    if (!holder.contains("against_equal_weight")) return;
    for (const std::string& each : comparison_texts(holder["against_equal_weight"])) {
      text += fmt::format("{} to equal weight, 95 %: {}\n", who, each);
    }
  };
  add(report.at("trials").size() > 1 ? "mean of the seeds" : "policy", report);
  if (report.contains("ensemble")) add("ensemble", report["ensemble"]);
  return text;
}

RunStart start_of(const Output& output) {
  if (output.resume && output.overwrite) throw BadInput("--resume and --overwrite exclude each other");
  if ((output.resume || output.overwrite) && output.folder.empty()) {
    throw BadInput(std::string(output.resume ? "--resume" : "--overwrite") + " needs --out");
  }
  return output.resume ? RunStart::resume : output.overwrite ? RunStart::overwrite : RunStart::fresh;
}

// Calls work(hooks) while a bar shows its progress.
template <class Config, class Work>
auto with_bar(const Config& config, const Output& output, RunHooks hooks, const Work& work) {
  // Erases the bar from the terminal before anything else is printed there.
  WorkProgress bar(config.seeds, output.format == Format::json && isatty(STDOUT_FILENO) != 0);
  bar.begin(config.layer.method, config.seeds);
  hooks.progress = [&](int trial, const study::Progress& progress) { bar.show(trial, progress); };
  return work(hooks);
}

// Prints the test results, and completes the record.
template <class Config, class Metrics>
ExitCode tell_results(const Config& config, const RunResult<Metrics>& ran,
                      const std::vector<Baseline<Metrics>>& baselines, RunFolder* folder, const Output& output,
                      const std::string& toml) {
  const nlohmann::json result = report(config, ran, baselines);
  const bool interrupted = ran.interrupted;
  if (folder != nullptr) folder->save_report(result, toml);
  OutputFile out(STDOUT_FILENO);
  if (output.format == Format::json) {
    out.append(result.dump() + "\n");
  } else {
    out.append(result.at("task") == "portfolio"
                   ? "test, after costs; return and volatility per year, turnover per day\n"
                   : "test\n");
    const bool markdown = output.format == Format::markdown;
    out.append((markdown ? "\n" : "") + table_text(result_table(result), markdown));
    out.append((markdown ? "\n" : "") + comparison_lines(result));
    if (folder != nullptr && folder->write_error().empty() && !interrupted) {
      out.append(fmt::format("saved in {0}: softradial backtest --model {0} ..., predict, export\n", output.folder));
      out.append(fmt::format("to look at: softradial report {} -o report.html\n", output.folder));
    }
  }
  out.finish();
  for (const auto& trial : ran.trials) {
    if (trial.end != TrainingEnd::diverged) continue;
    tell(fmt::format("warning: the training of seed {} diverged after {} epochs: {}", trial.seed, trial.epochs,
                     trial.best_epoch > 0 ? fmt::format("epoch {} is used", trial.best_epoch)
                                          : "its model is as good as untrained"));
  }
  if (folder != nullptr && !folder->write_error().empty()) throw InternalFailure(folder->write_error());
  if (!interrupted) return ExitCode::done;
  tell(folder != nullptr
           ? "interrupted: results are those of the best epoch so far; the same command with --resume goes on"
           : "interrupted: results are those of the best epoch so far");
  return ExitCode::interrupted;
}

// Trains, prints the test results, and records the run if the user names a folder.
template <class Config, class TableType>
ExitCode train_and_tell(const Config& config, const TableType& table, const Output& output, const std::string& toml) {
  tell_about_limits(config, table);
  at::set_num_threads(config.threads);
  const RunStart start = start_of(output);
  std::optional<RunFolder> folder;
  if (!output.folder.empty()) folder.emplace(output.folder, manifest_of(config, table), start);
  const StopOnSignal stop;
  RunHooks hooks;
  hooks.stop = &stop.flag();
  hooks.folder = folder ? &*folder : nullptr;
  hooks.jobs = jobs_or_default(output.jobs, config.threads);
  hooks.ensemble = output.ensemble;
  const auto ran =
      with_bar(config, output, hooks, [&](const RunHooks& watched) { return study::run(config, table, watched); });
  return tell_results(config, ran, baselines(config, table), hooks.folder, output, toml);
}

std::unique_ptr<PriceParts> open_parts(const PortfolioConfig& c, Team& team) {
  std::unique_ptr<PriceParts> parts;
  together(team, [&] { parts = open_prices(c.prices, c.data_seed); });
  return parts;
}

// The zones are those with the largest sums over all hours, which rank 0 finds.
std::unique_ptr<DemandParts> open_parts(const DispatchConfig& c, Team& team) {
  std::unique_ptr<DemandParts> parts;
  nlohmann::json choice;
  together(team, [&] {
    if (team.rank() != 0) return;
    parts = open_demand(c.demand, c.zones, c.data_seed);
    choice = {parts->outline().zones, parts->outline().zones_left_out};
  });
  choice = nlohmann::json::parse(team.from_first(choice.dump()));
  together(team, [&] {
    if (team.rank() != 0) parts = open_demand(c.demand, ZoneChoice{choice.at(0), choice.at(1)}, c.data_seed);
  });
  return parts;
}

// Trains one model for each seed, with all processes that mpirun has started.
template <class Config>
ExitCode train_in_team(const Config& config, const Output& output, const std::string& toml, MpiRanks& ranks) {
  at::set_num_threads(config.threads);
  RunStart start = RunStart::fresh;
  together(ranks, [&] {
    start = start_of(output);
    if (output.jobs) throw BadInput("--jobs: processes that train together train one seed at a time");
  });
  const auto parts = open_parts(config, ranks);
  const bool is_first = ranks.rank() == 0;
  std::optional<RunFolder> folder;
  together(ranks, [&] {
    if (!is_first) return;
    for (const std::string& warning : parts->warnings()) tell("warning: " + warning);
    tell_about_limits(config, parts->outline());
    if (output.folder.empty()) return;
    folder.emplace(output.folder, manifest_of(config, *parts), start);
    // Printed at the beginning: a failure that ends a process may end this one before it could print anything.
    tell("if a process dies, the same command with --resume goes on from the last checkpoint");
  });
  const StopOnSignal stop;
  RunHooks hooks;
  hooks.stop = &stop.flag();
  hooks.folder = folder ? &*folder : nullptr;
  hooks.ensemble = output.ensemble;
  hooks.team = &ranks;
  const auto train = [&](const RunHooks& watched) { return run_together(config, *parts, watched); };
  if (!is_first) return train(hooks).result.interrupted ? ExitCode::interrupted : ExitCode::done;
  const auto ran = with_bar(config, output, hooks, train);
  return tell_results(config, ran.result, ran.baselines, hooks.folder, output, toml);
}

// With --distributed under mpirun: trains with the other processes. Returns nothing if this process trains alone.
template <class Config>
std::optional<ExitCode> trained_in_team(const Config& config, const Output& output, const std::string& toml) {
  if (!output.distributed) return std::nullopt;
  const std::unique_ptr<MpiRanks> ranks = MpiRanks::join();
  if (!ranks) {
    tell("--distributed: no mpirun has started this process, it trains alone");
    return std::nullopt;
  }
  try {
    return train_in_team(config, output, toml, *ranks);
  } catch (const EndedByAnother&) {
    return ExitCode::done;  // the process that failed says why
  }
}

template <class Config>
struct TrainArguments {
  Config config;
  LayerFlags flags;
  Output output;
};

template <class Config>
void add_output_flags(CLI::App& command, TrainArguments<Config>& arguments) {
  command.add_option("--out", arguments.output.folder, "Folder for the record of the run (docs/runs.md)")
      ->type_name("DIR");
  command.add_flag("--resume", arguments.output.resume, "Continue the run in --out; finished seeds are kept");
  command.add_flag("--overwrite", arguments.output.overwrite, "Delete the run in --out first");
  command.add_flag("--ensemble", arguments.output.ensemble,
                   "Judge the mean of the seeds' decisions as one more policy; it obeys the set as they do");
  command.add_flag("--distributed", arguments.output.distributed,
                   "Under mpirun: all processes train one model, each with its part of the data (docs/distributed.md)");
  add_number(command, "--jobs", arguments.output.jobs, kJobs,
             "Trainings at a time (default: the cores); the results are the same");
  add_format(command, arguments.output.format);
  add_config_flag(command);
}

}  // namespace

void add_train_command(CLI::App& program, Action& chosen) {
  CLI::App& train = *program.add_subcommand("train", "Train a policy");
  train.require_subcommand(1);

  const auto portfolio = std::make_shared<TrainArguments<PortfolioConfig>>();
  CLI::App& prices = *train.add_subcommand(
      "portfolio", "Portfolio weights from daily prices: the Sharpe ratio after costs, or the smallest variance");
  prices.footer(kPortfolioExamples);
  add_task_flags(prices, portfolio->config);
  add_layer_flags(prices, portfolio->flags);
  add_training_flags(prices, portfolio->config);
  add_output_flags(prices, *portfolio);
  prices.callback([portfolio, &chosen] {
    chosen = [portfolio] {
      apply(portfolio->flags, portfolio->config);
      const std::string toml = toml_of(portfolio->config, portfolio->flags);
      if (const auto code = trained_in_team(portfolio->config, portfolio->output, toml)) return *code;
      const PriceTable table = load_prices_and_warn(portfolio->config.prices, portfolio->config.data_seed);
      return train_and_tell(portfolio->config, table, portfolio->output, toml);
    };
  });

  const auto dispatch = std::make_shared<TrainArguments<DispatchConfig>>();
  CLI::App& demand = *train.add_subcommand("dispatch", "Shares of a fleet from hourly demand: the served rate");
  demand.footer(kDispatchExamples);
  add_task_flags(demand, dispatch->config);
  add_layer_flags(demand, dispatch->flags);
  add_training_flags(demand, dispatch->config);
  add_output_flags(demand, *dispatch);
  demand.callback([dispatch, &chosen] {
    chosen = [dispatch] {
      apply(dispatch->flags, dispatch->config);
      const DispatchConfig& c = dispatch->config;
      const std::string toml = toml_of(c, dispatch->flags);
      if (const auto code = trained_in_team(c, dispatch->output, toml)) return *code;
      return train_and_tell(c, load_demand_and_warn(c.demand, c.zones, c.data_seed), dispatch->output, toml);
    };
  });
}

}  // namespace softradial::program
