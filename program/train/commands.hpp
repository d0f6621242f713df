#pragma once

#include <string>

#include "command.hpp"
#include "data/tables.hpp"
#include "runs/run_config.hpp"
#include "training/train.hpp"

// The commands that load LibTorch, and what they share.
namespace softradial::program {

void add_train_command(CLI::App& program, Action& chosen);
void add_backtest_command(CLI::App& program, Action& chosen);
void add_predict_command(CLI::App& program, Action& chosen);
void add_table_command(CLI::App& program, Action& chosen);

// Load the data and print a warning on stderr for each repair.
[[nodiscard]] study::PriceTable load_prices_and_warn(const std::string& source, std::uint64_t seed);
[[nodiscard]] study::DemandTable load_demand_and_warn(const study::DispatchConfig& config);

// "dc3 2/5 [######....] 30/50  loss -0.121  validation 1.02  4 s left" on one line of the terminal; nothing in a pipe.
class ProgressBar {
 public:
  explicit ProgressBar(bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const std::string& name, int trial, int trials, const study::Progress& progress);

 private:
  bool shown_;
  bool dirty_ = false;
};

}  // namespace softradial::program
