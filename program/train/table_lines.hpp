#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "output_file.hpp"
#include "runs/run_config.hpp"

// How the tables of `softradial table` are told.
namespace softradial::program {

// One line of a table: a run, and the paper's numbers for it if there are any.
struct TableLine {
  std::string set;
  std::string method;
  nlohmann::json report;
  std::string paper;
  std::string write_error = {};  // why its record is not complete; empty: it is
};

struct TableStyle {
  Format format = Format::text;
  bool with_choice = false;  // below the table: the parameters that were chosen for each line
};

// "exponential, lambda 0.5": the numbers that --tune chose for the method; empty if it has none. For the trials of a store:
// what was searched over, in the words of its sweep.
[[nodiscard]] std::string chosen_text(const nlohmann::json& report);

// The table, and below it the data that it is about.
void print_table(const TextTable& rows, const std::string& data, Format format);

// Sharpe ratio or volatility, turnover, the comparison with equal weight, violation, the paper's numbers.
void print_portfolio_lines(const TableStyle& style, study::PortfolioObjective objective,
                           const std::vector<TableLine>& lines, const std::string& data);
// The same with the served rate.
void print_dispatch_lines(const TableStyle& style, const std::vector<TableLine>& lines, const std::string& data);

}  // namespace softradial::program
