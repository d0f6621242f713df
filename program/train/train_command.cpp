#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "outcome.hpp"
#include "output_file.hpp"
#include "runs/run.hpp"
#include "train/commands.hpp"
#include "train/config_flags.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;

constexpr const char* kPortfolioExamples = R"(Examples:
  softradial train portfolio --cap 0.05
  softradial train portfolio --prices prices.csv --cap 0.05 --seeds 5 --out runs/mine
  softradial train portfolio --prices prices.csv --set limits.json --method orthogonal --json
  softradial train portfolio --config runs/mine/config.toml

Ctrl-C ends the training under way with a usable checkpoint. OUT holds config.toml (the full configuration, which
--config reads again), config.json, a checkpoint for each seed and result.json.)";

constexpr const char* kDispatchExamples = R"(Examples:
  softradial train dispatch --kappa 0.1
  softradial train dispatch --demand hourly.csv --zones 67 --kappa 0.02 --method hardnet --seeds 5 --json)";

// Set by Ctrl-C. A signal handler can reach only global variables.
std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) { stop_requested.store(true); }

struct Output {
  std::string config;  // read before the command line: see expand_config
  std::string folder;
  bool json = false;
};

std::string result_table(const nlohmann::json& report) {
  std::string text;
  const auto& names = report.at("mean");
  text += fmt::format("{:<8}", "seed");
  for (const auto& [name, value] : names.items()) text += fmt::format("{:>18}", name);
  text += fmt::format("{:>14}{:>10}\n", "violation", "seconds");
  for (const auto& trial : report.at("trials")) {
    text += fmt::format("{:<8}", trial.at("seed").get<std::uint64_t>());
    for (const auto& [name, value] : names.items())
      text += fmt::format("{:>18.4f}", trial.at("test").at(name).get<double>());
    text += fmt::format("{:>14.1e}{:>10.1f}\n", trial.value("violation", 0.0), trial.at("seconds").get<double>());
  }
  for (const char* row : {"mean", "std"}) {
    text += fmt::format("{:<8}", row);
    for (const auto& [name, value] : report.at(row).items()) text += fmt::format("{:>18.4f}", value.get<double>());
    text += "\n";
  }
  return text;
}

// Trains, prints the test results, and saves the run if the user names a folder.
template <class Config, class TableType>
ExitCode train_and_tell(const Config& config, const TableType& table, const Output& output, const std::string& toml) {
  at::set_num_threads(config.threads);
  std::signal(SIGINT, on_interrupt);
  RunHooks hooks;
  hooks.stop = &stop_requested;
  hooks.out = output.folder;
  const auto trials = [&] {
    // The bar leaves the terminal before anything else is printed there.
    ProgressBar bar(output.json && isatty(STDOUT_FILENO) != 0);
    hooks.progress = [&](int trial, const study::Progress& progress) {
      bar.show(config.layer.method, trial, config.seeds, progress);
    };
    return study::run(config, table, hooks);
  }();
  if (!output.folder.empty()) {
    std::ofstream file(std::filesystem::path(output.folder) / "config.toml");
    file << toml;
    if (!file.flush()) throw BadInput(output.folder + "/config.toml: cannot be written");
  }
  const nlohmann::json result = report(config, trials);
  OutputFile out(STDOUT_FILENO);
  if (output.json) {
    out.append(result.dump() + "\n");
  } else {
    out.append(result_table(result));
    if (!output.folder.empty()) {
      out.append(fmt::format("saved in {}: softradial backtest --model {} --prices ..., softradial predict\n",
                             output.folder, output.folder));
    }
  }
  out.finish();
  if (stop_requested.load()) tell("interrupted: results are those of the best epoch so far");
  return ExitCode::done;
}

template <class Config>
struct Arguments {
  Config config;
  LayerFlags flags;
  Output output;
};

template <class Config>
void add_output_flags(CLI::App& command, Arguments<Config>& arguments) {
  command.add_option("--out", arguments.output.folder, "Folder for checkpoints, configuration and results")
      ->type_name("DIR");
  command.add_flag("--json", arguments.output.json, "Print one JSON object with configuration and results")
      ->configurable(false);
  command
      .add_option("--config", arguments.output.config,
                  "TOML file with these flags as keys; flags on the command line win")
      ->type_name("FILE")
      ->configurable(false);
}

}  // namespace

void add_train_command(CLI::App& program, Action& chosen) {
  CLI::App& train = *program.add_subcommand("train", "Train a policy");
  train.require_subcommand(1);

  const auto portfolio = std::make_shared<Arguments<PortfolioConfig>>();
  CLI::App& prices =
      *train.add_subcommand("portfolio", "Portfolio weights from daily prices: the Sharpe ratio after costs");
  prices.footer(kPortfolioExamples);
  add_task_flags(prices, portfolio->config);
  add_layer_flags(prices, portfolio->flags);
  add_training_flags(prices, portfolio->config);
  add_output_flags(prices, *portfolio);
  prices.callback([portfolio, &prices, &chosen] {
    chosen = [portfolio, toml = toml_of(prices)] {
      apply(portfolio->flags, portfolio->config);
      const PriceTable table = load_prices_and_warn(portfolio->config.prices, portfolio->config.data_seed);
      return train_and_tell(portfolio->config, table, portfolio->output, toml);
    };
  });

  const auto dispatch = std::make_shared<Arguments<DispatchConfig>>();
  CLI::App& demand = *train.add_subcommand("dispatch", "Shares of a fleet from hourly demand: the served rate");
  demand.footer(kDispatchExamples);
  add_task_flags(demand, dispatch->config);
  add_layer_flags(demand, dispatch->flags);
  add_training_flags(demand, dispatch->config);
  add_output_flags(demand, *dispatch);
  demand.callback([dispatch, &demand, &chosen] {
    chosen = [dispatch, toml = toml_of(demand)] {
      apply(dispatch->flags, dispatch->config);
      return train_and_tell(dispatch->config, load_demand_and_warn(dispatch->config), dispatch->output, toml);
    };
  });
}

}  // namespace softradial::program
