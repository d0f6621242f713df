// Measures the time of a training epoch: a plain softmax as the layer, one thread.
//   softradial_training_bench portfolio prices.csv --epochs 20 --hidden 32 --lookback 10
//   softradial_training_bench dispatch demand.csv --epochs 20 --hidden 64
// Tables are wide: a header, then one row per day or hour with its ISO date (and time) in the first column.
#include <ATen/Parallel.h>
#include <ATen/ops/softmax.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tasks/trial.hpp"

namespace {

using namespace softradial::study;

struct WideCsv {
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  Table values;
};

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  size_t from = 0;
  for (size_t comma = line.find(','); comma != std::string::npos; comma = line.find(',', from)) {
    out.push_back(line.substr(from, comma - from));
    from = comma + 1;
  }
  out.push_back(line.substr(from));
  return out;
}

WideCsv read_wide(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) throw std::runtime_error("cannot read " + file);
  WideCsv csv;
  csv.columns = cells(line);
  csv.columns.erase(csv.columns.begin());
  std::vector<double> values;
  while (std::getline(in, line)) {
    const std::vector<std::string> row = cells(line);
    if (row.size() != csv.columns.size() + 1) throw std::runtime_error(file + ": a row of another width: " + line);
    csv.rows.push_back(row[0]);
    for (size_t i = 1; i < row.size(); ++i) values.push_back(std::stod(row[i]));
  }
  csv.values = Eigen::Map<const Table>(values.data(), std::ssize(csv.rows), std::ssize(csv.columns));
  return csv;
}

int number(const std::string& text, size_t from, size_t count) { return std::stoi(text.substr(from, count)); }

std::chrono::year_month_day date_of(const std::string& text) {
  return std::chrono::year(number(text, 0, 4)) / number(text, 5, 2) / number(text, 8, 2);
}

PriceTable read_prices(const std::string& file) {
  WideCsv csv = read_wide(file);
  PriceTable table{{}, csv.columns, csv.values};
  for (const std::string& row : csv.rows) table.dates.emplace_back(date_of(row));
  return table;
}

DemandTable read_demand(const std::string& file) {
  WideCsv csv = read_wide(file);
  DemandTable table{{}, csv.columns, csv.values};
  for (const std::string& row : csv.rows) {
    table.hours.push_back(std::chrono::local_days(date_of(row)) + std::chrono::hours(number(row, 11, 2)));
  }
  return table;
}

DecisionLayer softmax(int64_t n) {
  return {[](const at::Tensor& u, bool) { return at::softmax(u, -1); }, n, n};
}

struct Arguments {
  std::string file;
  int64_t epochs = 20;
  int64_t hidden = 0;
  int64_t lookback = 10;
  uint64_t seed = 0;
};

template <class Task>
void run(Task& task, const Arguments& a) {
  const TrainingOptions options{.epochs = a.epochs, .seed = a.seed};
  const auto trial = run_trial(task, options);
  std::printf("{\"epochs\": %lld, \"seconds\": %.4f, \"seconds_per_epoch\": %.5f, \"best_epoch\": %lld",
              static_cast<long long>(trial.epochs), trial.seconds, trial.seconds / static_cast<double>(trial.epochs),
              static_cast<long long>(trial.best_epoch));
  for (const auto& [name, value] : named_values(trial.validation))
    std::printf(", \"val_%s\": %.4f", name.data(), value);
  for (const auto& [name, value] : named_values(trial.test)) std::printf(", \"test_%s\": %.4f", name.data(), value);
  std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Seconds per epoch of training, one thread, softmax as the layer");
  Arguments a;
  app.require_subcommand(1);
  const auto add = [&](CLI::App* command) {
    command->add_option("file", a.file)->required()->check(CLI::ExistingFile);
    command->add_option("--epochs", a.epochs)->check(CLI::PositiveNumber);
    command->add_option("--hidden", a.hidden);
    command->add_option("--lookback", a.lookback);
    command->add_option("--seed", a.seed);
    return command;
  };
  const CLI::App* portfolio = add(app.add_subcommand("portfolio", "LSTM on daily prices"));
  add(app.add_subcommand("dispatch", "MLP on hourly demand"));
  CLI11_PARSE(app, argc, argv);
  at::set_num_threads(1);
  try {
    if (portfolio->parsed()) {
      const PortfolioData data = make_portfolio_data(read_prices(a.file), {}, a.lookback);
      PortfolioTask task(data, {.hidden = a.hidden > 0 ? a.hidden : 32}, softmax(data.relatives.cols()));
      run(task, a);
    } else {
      const DispatchData data = make_dispatch_data(read_demand(a.file));
      DispatchTask task(data, {.hidden = a.hidden > 0 ? a.hidden : 64}, softmax(data.demand.cols()));
      run(task, a);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "softradial_training_bench: error: %s\n", error.what());
    return 2;
  }
  return 0;
}
