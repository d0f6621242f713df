#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "command.hpp"
#include "constraints.hpp"
#include "number_option.hpp"
#include "outcome.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "row_reader.hpp"
#include "set_file.hpp"

namespace softradial::program {

namespace {

constexpr const char* kCheckExamples = R"(Examples:
  softradial check --set set.json < x.csv
  softradial project --set set.json --dtype f32 < u.csv | softradial check --set set.json --dtype f32
  softradial check --set set.json --tolerance 1e-6 < from_a_solver.csv

Prints for each constraint the worst violation over all rows, the row where it occurs, and the number of rows that violate
it. A negative violation is the distance to the boundary. Exit code 1: a point is infeasible.)";

// With more constraints than this, only the worst ones are shown.
constexpr std::size_t kMaxShown = 20;

struct CheckArguments {
  std::string set_file;
  Precision precision = Precision::f64;
  std::optional<double> tolerance;
};

// The record of one constraint over all points so far.
struct Record {
  double worst = -std::numeric_limits<double>::infinity();
  std::size_t row = 0;
  std::size_t infeasible = 0;
};

struct Verdict {
  std::vector<Record> records;
  std::size_t points = 0;
  std::size_t infeasible = 0;
};

// Judges one more point. A NaN violates every constraint that it enters.
void judge(const Constraints& constraints, std::span<const double> x, std::span<double> violations, Verdict& verdict) {
  ++verdict.points;
  constraints.violations(x, violations);
  bool feasible = true;
  for (std::size_t i = 0; i < violations.size(); ++i) {
    Record& record = verdict.records[i];
    const bool is_nan = std::isnan(violations[i]);
    if (violations[i] > record.worst || record.row == 0 || (is_nan && !std::isnan(record.worst))) {
      // A NaN is printed without its sign.
      record.worst = is_nan ? std::numeric_limits<double>::quiet_NaN() : violations[i];
      record.row = verdict.points;
    }
    if (!constraints.allows(i, violations[i], x)) {
      ++record.infeasible;
      feasible = false;
    }
  }
  verdict.infeasible += feasible ? 0 : 1;
}

template <class T>
Verdict judge_stream(const Set& set, const Constraints& constraints) {
  Verdict verdict;
  verdict.records.resize(constraints.size());
  const std::size_t dim = set.dim();
  const std::size_t max_rows = std::max<std::size_t>(1, kBlockNumbers / dim);
  RowReader<T> input(InputFile::standard_input(), dim);
  std::vector<T> block(max_rows * dim);
  std::vector<double> x(dim);
  std::vector<double> violations(constraints.size());
  Progress progress;
  while (const std::size_t count = input.read({block.data(), max_rows, dim})) {
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(block.data() + i * dim, dim, x.begin());
      judge(constraints, x, violations, verdict);
    }
    progress.show(input.rows_read());
  }
  return verdict;
}

// The constraints to show: all in their order, or the worst ones, violated ones first.
std::vector<std::size_t> shown(const std::vector<Record>& records) {
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= kMaxShown) return order;
  const auto badness = [&records](std::size_t i) {
    const Record& record = records[i];
    const double worst = std::isnan(record.worst) ? std::numeric_limits<double>::infinity() : record.worst;
    return std::pair(record.infeasible > 0, worst);
  };
  std::ranges::stable_sort(order, [&badness](std::size_t a, std::size_t b) { return badness(a) > badness(b); });
  order.resize(kMaxShown);
  return order;
}

std::string table(const Constraints& constraints, const Verdict& verdict) {
  std::string text;
  if (verdict.points > 0) {
    const std::vector<std::size_t> order = shown(verdict.records);
    std::size_t width = std::string_view("constraint").size();
    for (const std::size_t i : order) width = std::max(width, constraints.name(i).size());

    text +=
        fmt::format("{:<{}}  {:>16}  {:>10}  {:>10}\n", "constraint", width, "worst violation", "row", "infeasible");
    std::size_t violated_left = 0;
    for (const Record& record : verdict.records) violated_left += record.infeasible > 0 ? 1 : 0;
    for (const std::size_t i : order) {
      const Record& record = verdict.records[i];
      violated_left -= record.infeasible > 0 ? 1 : 0;
      text += fmt::format("{:<{}}  {:>16.9g}  {:>10}  {:>10}\n", constraints.name(i), width, record.worst, record.row,
                          record.infeasible);
    }
    if (const std::size_t left = verdict.records.size() - order.size(); left > 0) {
      text += fmt::format("... and {} more constraints, {} of them violated\n", left, violated_left);
    }
  }
  return text + fmt::format("infeasible: {} of {}\n", verdict.infeasible, verdict.points);
}

Tolerance tolerance_of(const CheckArguments& arguments) {
  return {.epsilon = arguments.precision == Precision::f32 ? std::numeric_limits<float>::epsilon()
                                                           : std::numeric_limits<double>::epsilon(),
          .absolute = arguments.tolerance};
}

ExitCode run(const CheckArguments& arguments) {
  const Tolerance tolerance = tolerance_of(arguments);
  const NamedSet named = load_set_file(arguments.set_file);
  const Set& set = named.set;
  const Constraints constraints(set, tolerance, named.names);
  const Verdict verdict = arguments.precision == Precision::f32 ? judge_stream<float>(set, constraints)
                                                                : judge_stream<double>(set, constraints);
  OutputFile out(STDOUT_FILENO);
  out.append(table(constraints, verdict));
  out.finish();
  return verdict.infeasible > 0 ? ExitCode::answer_is_no : ExitCode::done;
}

}  // namespace

void add_check_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App& command = *program.add_subcommand("check", "Report the worst violation of each constraint");
  command.footer(kCheckExamples);
  command.add_option("--set", arguments->set_file, "The set (SET.json)")->type_name("FILE")->required();
  add_choice(command, "--dtype", arguments->precision, kPrecisions, "Precision in which the rows were computed");
  add_number(command, "--tolerance", arguments->tolerance, study::kNotNegative,
             "Absolute tolerance of all constraints (default: 0, for equalities their rounding)");
  command.callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace softradial::program
