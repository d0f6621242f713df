#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "layers/comparison.hpp"
#include "outcome.hpp"
#include "output_file.hpp"
#include "set_file.hpp"
#include "softradial/errors.hpp"

namespace softradial::program {
namespace {

using layers::Comparison;
using layers::Descent;

constexpr const char* kCompareExamples = R"(Examples:
  softradial compare
  softradial compare --set set.json --method soft_radial,orthogonal,dc3
  softradial compare --format markdown > comparison.md
  softradial compare --learn

Columns: the worst violation of an inequality over random rows of size 1, 1e3 and 1e6 in single precision, with the layer
as in training; the same at 1e6 as in evaluation; the worst residual of an equality; the numerical rank of the Jacobian
outside the set; the size of the gradient at 2, 10 and 100 times the distance to the boundary; forward and backward time
relative to a softmax of the same shape; inner iterations per row. A second table shows gradient descent through each
layer towards targets inside, near and on the boundary of a triangle.

With --learn, networks are trained through the layers instead: compare --learn --help.)";

struct CompareArguments {
  std::string set_file;
  std::vector<std::string> methods;
  bool learn = false;  // always false here: `softradial` hands such a call on to softradial-train
  Format format = Format::text;
};

struct Report {
  std::vector<Comparison> comparisons;
  std::vector<Descent> descents;
};

std::string short_number(double value) {
  if (value == 0) return "0";
  return value >= 0.01 && value < 1000 ? fmt::format("{:.2f}", value) : fmt::format("{:.0e}", value);
}

template <class Numbers>
std::string three(const Numbers& values) {
  return fmt::format("{} {} {}", short_number(values[0]), short_number(values[1]), short_number(values[2]));
}

TextTable comparison_table(const Report& report) {
  TextTable table = {{"set", "method", "violation at 1, 1e3, 1e6", "evaluated", "equalities", "rank",
                      "gradient at 2, 10, 100", "time", "iterations"}};
  for (const Comparison& c : report.comparisons) {
    if (!c.unsupported.empty()) continue;
    table.push_back({c.set, c.method, three(c.violation), short_number(c.evaluated_violation),
                     short_number(c.equality_residual), fmt::format("{} of {}", c.rank, c.hull_dim), three(c.gradient),
                     fmt::format("{:.1f}", c.time), c.iterations > 0 ? fmt::format("{:.1f}", c.iterations) : "-"});
  }
  return table;
}

TextTable scope_table(const Report& report) {
  TextTable table = {{"method", "takes"}};
  std::string last;
  for (const Comparison& c : report.comparisons) {
    if (std::ranges::any_of(table, [&](const auto& row) { return row[0] == c.method; })) continue;
    table.push_back({c.method, layers::method_scope(method_named(c.method))});
  }
  return table;
}

TextTable descent_table(const Report& report) {
  TextTable table = {{"method", "target", "steps", "distance left", "gradient left"}};
  for (const Descent& d : report.descents) {
    // With a smaller gradient, no reasonable number of steps moves x by a thousandth.
    constexpr double kNothing = 1e-7;
    const std::string steps = d.reached               ? std::to_string(d.steps)
                              : d.gradient < kNothing ? "stalls"
                                                      : fmt::format("more than {}", layers::kDescentSteps);
    table.push_back({d.method, d.target, steps, short_number(d.distance), short_number(d.gradient)});
  }
  return table;
}

nlohmann::json as_json(const Report& report) {
  nlohmann::json root;
  for (const Comparison& c : report.comparisons) {
    nlohmann::json row = {
        {"set", c.set}, {"method", c.method}, {"scope", layers::method_scope(method_named(c.method))}};
    if (!c.unsupported.empty()) {
      row["unsupported"] = c.unsupported;
    } else {
      row["violation"] = c.violation;
      row["evaluated_violation"] = c.evaluated_violation;
      row["equality_residual"] = c.equality_residual;
      row["rank"] = c.rank;
      row["hull_dim"] = c.hull_dim;
      row["gradient"] = c.gradient;
      row["time"] = c.time;
      row["iterations"] = c.iterations;
    }
    root["comparison"].push_back(row);
  }
  for (const Descent& d : report.descents) {
    root["descent"].push_back({{"method", d.method},
                               {"target", d.target},
                               {"reached", d.reached},
                               {"steps", d.steps},
                               {"distance", d.distance},
                               {"gradient", d.gradient}});
  }
  return root;
}

Report measure(const CompareArguments& arguments) {
  std::vector<LayerMethod> methods;
  if (arguments.methods.empty()) {
    for (const std::string_view name : method_names()) methods.push_back(method_named(name));
  }
  for (const std::string& name : arguments.methods) methods.push_back(method_named(name));
  std::vector<layers::ComparedSet> sets = layers::default_sets();
  if (!arguments.set_file.empty()) {
    const Set set = load_set_file(arguments.set_file).set;
    sets = {{set->describe().type, set}};
  }
  Report report;
  const bool watched = isatty(STDERR_FILENO) != 0;
  for (const auto& set : sets) {
    for (const LayerMethod& method : methods) {
      if (watched) tell(fmt::format("{} on {}", method_name(method), set.name));
      report.comparisons.push_back(layers::compare(set, method));
    }
  }
  for (const LayerMethod& method : methods) {
    try {
      const auto descents = layers::descend(method);
      report.descents.insert(report.descents.end(), descents.begin(), descents.end());
    } catch (const InvalidSet&) {
      continue;  // the method does not accept simplices: no row
    }
  }
  return report;
}

void print(const Report& report, Format format) {
  OutputFile out(STDOUT_FILENO);
  if (format == Format::json) {
    out.append(as_json(report).dump(2) + "\n");
  } else {
    for (const TextTable& table : {comparison_table(report), scope_table(report), descent_table(report)}) {
      out.append(table_text(table, format == Format::markdown) + "\n");
    }
  }
  out.finish();
}

}  // namespace

void add_compare_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<CompareArguments>();
  CLI::App& command = *program.add_subcommand("compare", "Measure every constraint layer side by side");
  command.footer(kCompareExamples);
  command.add_option("--set", arguments->set_file, "Set (SET.json) to compare on, instead of one set of each family")
      ->type_name("FILE");
  const std::vector<std::string_view> names = method_names();
  command.add_option("--method", arguments->methods, "Methods, separated by commas (default: all)")
      ->delimiter(',')
      ->check(one_of({names.begin(), names.end()}))
      ->type_name("NAME");
  add_format(command, arguments->format);
  command.add_flag("--learn", arguments->learn,
                   "Train networks through the layers and compare their decisions with the optimum");
  command.callback([arguments, &chosen] {
    chosen = [arguments] {
      print(measure(*arguments), arguments->format);
      return ExitCode::done;
    };
  });
}

}  // namespace softradial::program
