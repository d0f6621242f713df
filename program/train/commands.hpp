#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "command.hpp"
#include "data/tables.hpp"
#include "runs/field_range.hpp"
#include "runs/task_kinds.hpp"

// The commands that load LibTorch, and the functions that they share.
namespace softradial::program {

void add_train_command(CLI::App& program, Action& chosen);
void add_backtest_command(CLI::App& program, Action& chosen);
void add_predict_command(CLI::App& program, Action& chosen);
void add_table_command(CLI::App& program, Action& chosen);
void add_learn_command(CLI::App& program, Action& chosen);  // compare --learn

// Load the data and print a warning on stderr for each repair.
[[nodiscard]] study::PriceTable load_prices_and_warn(const std::string& source, std::uint64_t seed);
[[nodiscard]] study::DemandTable load_demand_and_warn(const std::string& source, std::size_t max_zones,
                                                      std::uint64_t seed);

// Checks the limits against the columns of the data, and tells the user if they depend on the order of the columns.
void tell_about_limits(const study::PortfolioConfig& config, const study::PriceTable& prices);
void tell_about_limits(const study::DispatchConfig& config, const study::DemandTable& demand);

// The number of trainings at a time: the user's choice, or as many as the cores allow with that many threads each.
inline constexpr study::FieldRange kJobs = study::at_least_1_up_to(1024);
[[nodiscard]] int jobs_or_default(std::optional<int> jobs, int threads);

// While it lives, SIGINT, SIGTERM and SIGHUP ask for a stop instead of ending the process; a second signal ends it. Only one
// such object may live at a time.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  [[nodiscard]] const std::atomic<bool>& flag() const;
};

}  // namespace softradial::program
