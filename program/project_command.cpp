#include <charconv>
#include <memory>
#include <optional>
#include <vector>

#include "command.hpp"
#include "failure.hpp"
#include "layer_stream.hpp"
#include "message.hpp"
#include "project_stream.hpp"
#include "softradial/layer.hpp"

namespace softradial::program {

namespace {

constexpr const char* kExamples = R"(Examples:
  softradial project --set set.json < u.csv > x.csv
  softradial project --set set.json --dtype f32 --contraction exponential --lambda 2 < u.csv > x.csv
  softradial project --set set.json --vjp grads.csv < u.csv > grad_u.csv
  softradial project --set set.json --inverse < x.csv > u.csv
  softradial project --set set.json --anchor analytic --log-det < u.csv
  softradial project --set set.json --method dc3 --option steps=5 --option momentum=0.9 --evaluate < u.csv

Each row of stdin is one point; each gives one row on stdout. A row with nan or inf gives a row of nan, or an error
with --check-finite. Results under 16 MiB are all or nothing: an error on any line leaves no output.)";

// The command line before its words have become types.
struct Arguments {
  ProjectOptions options;
  LayerMethod method = SoftRadial{};
  std::string contraction;
  std::optional<double> lambda;
  std::optional<double> epsilon;
  std::vector<std::string> method_options;  // NAME=NUMBER
  bool evaluate = false;
  bool inverse = false;
  bool log_det = false;
  bool slack = false;
  std::string vjp_file;
  std::string jvp_file;
};

// The method with the options that were given to it.
LayerMethod method_of(const Arguments& arguments) {
  LayerMethod method = arguments.method;
  if (!arguments.contraction.empty()) set_contraction(method, arguments.contraction);
  if (arguments.lambda) set_option(method, "lambda", *arguments.lambda);
  if (arguments.epsilon) set_option(method, "epsilon", *arguments.epsilon);
  for (const std::string& text : arguments.method_options) {
    const std::size_t equals = text.find('=');
    const char* const begin = text.data() + (equals == std::string::npos ? text.size() : equals + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw BadInput("--option " + program::quoted(text) + ": expected NAME=NUMBER");
    }
    set_option(method, text.substr(0, equals), value);
  }
  return method;
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
  options.quantity = quantities.empty() ? Quantity::value : quantities.front();
  options.second_file = arguments.vjp_file + arguments.jvp_file;  // one of them at most
  return options;
}

void add_method_options(CLI::App& command, Arguments& arguments) {
  Choices<LayerMethod> methods;
  for (const std::string_view name : method_names()) methods.emplace_back(name, method_named(name));
  add_choice(command, "--method", arguments.method, methods, "The map");
  command
      .add_option("--contraction", arguments.contraction,
                  "How the radius is contracted: rational (default), exponential, hyperbolic (soft_radial, gauge_map)")
      ->check(CLI::IsMember({"rational", "exponential", "hyperbolic"}));
  command.add_option("--lambda", arguments.lambda, "Scale of the contraction, positive, 1 (soft_radial, gauge_map)");
  command.add_option("--epsilon", arguments.epsilon, "Slope at the anchor, between 0 and 1, 0.01 (soft_radial)");
  command
      .add_option("--option", arguments.method_options,
                  "Another number of the method, for example steps=5 (dc3, hardnet), temperature=0.5 (softmax)")
      ->type_name("NAME=NUMBER");
  command.add_flag("--evaluate", arguments.evaluate,
                   "The layer as it is evaluated: dc3 and hardnet end with an exact projection");
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
      ProjectOptions options = options_of(*arguments);
      const LayerMethod method = method_of(*arguments);
      if (const auto map = radial_method(method)) {
        options.method = *map;
        project_stream(options);
      } else {
        layer_stream(options, method, arguments->evaluate);
      }
      return ExitCode::done;
    };
  });
}

}  // namespace softradial::program
