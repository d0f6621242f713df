#include <memory>
#include <vector>

#include "cli/command.hpp"
#include "cli/failure.hpp"
#include "cli/project_stream.hpp"

namespace softradial::cli {

namespace {

constexpr const char* kExamples = R"(Examples:
  softradial project --set set.json < u.csv > x.csv
  softradial project --set set.json --dtype f32 --contraction exponential --lambda 2 < u.csv > x.csv
  softradial project --set set.json --vjp grads.csv < u.csv > grad_u.csv
  softradial project --set set.json --inverse < x.csv > u.csv
  softradial project --set set.json --anchor analytic --log-det < u.csv

Each row of stdin is one point; each gives one row on stdout. A row with nan or inf gives a row of nan, or an error
with --check-finite. Results under 16 MiB are all or nothing: an error on any line leaves no output.)";

enum class MethodName { soft_radial, hard_radial, gauge_map };

// The command line before its words have become types.
struct Arguments {
  ProjectOptions options;
  MethodName method = MethodName::soft_radial;
  SoftRadial profile;  // contraction, lambda and epsilon, with the library's defaults
  bool inverse = false;
  bool log_det = false;
  bool slack = false;
  std::string vjp_file;
  std::string jvp_file;
};

Method method_of(const Arguments& arguments) {
  switch (arguments.method) {
    case MethodName::hard_radial:
      return HardRadial{};
    case MethodName::gauge_map:
      return GaugeMap{.contraction = arguments.profile.contraction, .lambda = arguments.profile.lambda};
    case MethodName::soft_radial:
      break;
  }
  return arguments.profile;
}

ProjectOptions options_of(const Arguments& arguments) {
  std::vector<Quantity> quantities;
  if (!arguments.vjp_file.empty()) quantities.push_back(Quantity::vjp);
  if (!arguments.jvp_file.empty()) quantities.push_back(Quantity::jvp);
  if (arguments.inverse) quantities.push_back(Quantity::inverse);
  if (arguments.log_det) quantities.push_back(Quantity::log_det);
  if (arguments.slack) quantities.push_back(Quantity::slack);
  if (quantities.size() > 1) throw BadInput("--vjp, --jvp, --inverse, --log-det and --slack exclude each other");

  ProjectOptions options = arguments.options;
  options.method = method_of(arguments);
  options.quantity = quantities.empty() ? Quantity::value : quantities.front();
  options.second_file = arguments.vjp_file + arguments.jvp_file;  // one of them at most
  return options;
}

void add_method_options(CLI::App& command, Arguments& arguments) {
  add_choice(command, "--method", arguments.method,
             {{"soft_radial", MethodName::soft_radial},
              {"hard_radial", MethodName::hard_radial},
              {"gauge_map", MethodName::gauge_map}},
             "The map");
  add_choice(command, "--contraction", arguments.profile.contraction,
             {{"rational", Contraction::rational},
              {"exponential", Contraction::exponential},
              {"hyperbolic", Contraction::hyperbolic}},
             "How the radius is contracted (soft_radial, gauge_map)");
  command
      .add_option("--lambda", arguments.profile.lambda, "Scale of the contraction, positive (soft_radial, gauge_map)")
      ->capture_default_str();
  command.add_option("--epsilon", arguments.profile.epsilon, "Slope at the anchor, between 0 and 1 (soft_radial)")
      ->capture_default_str();
}

void add_quantity_options(CLI::App& command, Arguments& arguments) {
  const std::string group = "Instead of the projection, one of these";
  command.add_option("--vjp", arguments.vjp_file, "Print J'g, with g row by row from this file")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--jvp", arguments.jvp_file, "Print J v, with v row by row from this file")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--inverse", arguments.inverse, "stdin is x: print the u that projects to it")->group(group);
  command.add_flag("--log-det", arguments.log_det, "Print log|det J|, one number a row")->group(group);
  command.add_flag("--slack", arguments.slack, "Print 1 - gauge of the result: 1 at the anchor, 0 at the boundary")
      ->group(group);
}

}  // namespace

void add_project_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *program.add_subcommand("project", "Project each row of stdin into the set");
  command.footer(kExamples);
  command.add_option("--set", arguments->options.set_file, "The set (SET.json)")->type_name("FILE")->required();
  add_method_options(command, *arguments);
  add_anchor_option(command, arguments->options.anchor);
  add_choice(command, "--dtype", arguments->options.precision, kPrecisions, "Precision of rows and results");
  add_quantity_options(command, *arguments);
  command.add_option("--threads", arguments->options.threads, "Threads; the results do not depend on their number")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_flag("--check-finite", arguments->options.check_finite, "A nan or inf in the input is an error");
  command.callback([arguments, &chosen] {
    chosen = [arguments] {
      project_stream(options_of(*arguments));
      return ExitCode::done;
    };
  });
}

}  // namespace softradial::cli
