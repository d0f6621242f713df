#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "output_file.hpp"
#include "runs/run_config.hpp"

// Prints the tables of `softradial table`.
namespace softradial::program {

// One line of a table: a run, and the paper's numbers for it if there are any.
struct TableLine {
  std::string set;
  std::string method;
  nlohmann::json report;
  std::string paper;
  std::string write_error = {};  // why its record is incomplete; empty: it is complete
};

struct TableStyle {
  Format format = Format::text;
  bool with_choice = false;  // print the chosen parameters of each line below the table
};

// "exponential, lambda 0.5": the numbers that --tune chose for the method; empty if it has none. For the trials of a store:
// the parameters of the search, in the words of its sweep.
[[nodiscard]] std::string chosen_text(const nlohmann::json& report);

// Prints the table, and below it a description of its data.
void print_table(const TextTable& rows, const std::string& data, Format format);

// Sharpe ratio or volatility, turnover, the comparison with equal weight, violation, the paper's numbers.
void print_portfolio_lines(const TableStyle& style, study::PortfolioObjective objective,
                           const std::vector<TableLine>& lines, const std::string& data);
// The same table with the served rate, for dispatch.
void print_dispatch_lines(const TableStyle& style, const std::vector<TableLine>& lines, const std::string& data);

}  // namespace softradial::program
