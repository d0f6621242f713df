#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <vector>

#include "command.hpp"
#include "number_option.hpp"
#include "outcome.hpp"
#include "project_stream.hpp"
#include "softradial/layer.hpp"

namespace softradial::program {

namespace {

constexpr const char* kProjectExamples = R"(Examples:
  softradial project --set set.json < u.csv > x.csv
  softradial project --set set.json --dtype f32 --contraction exponential --lambda 2 < u.csv > x.csv
  softradial project --set set.json --vjp grads.csv < u.csv > grad_u.csv
  softradial project --set set.json --inverse < x.csv > u.csv
  softradial project --set set.json --anchor analytic --log-det < u.csv
  softradial project --set set.json --method dc3 --option steps=5 --option momentum=0.9 --evaluate < u.csv

Each row of stdin is one point and gives one row on stdout. A row with nan or inf gives a row of nan, or an error with
--check-finite. If the output is below 16 MiB, an error on any line leaves no output at all.)";

// The command line as the user wrote it.
struct ProjectArguments {
  ProjectOptions options;  // its method has default numbers, its quantity is not set yet
  std::string contraction;
  std::optional<double> lambda;
  bool lambda_is_auto = false;
  std::optional<double> epsilon;
  std::vector<std::string> method_options;  // NAME=NUMBER
  bool evaluate = false;
  bool inverse = false;
  bool log_det = false;
  bool slack = false;
  std::string vjp_file;
  std::string jvp_file;
};

// The method with the numbers that the user gave.
LayerMethod method_of(const ProjectArguments& arguments) {
  LayerMethod method = arguments.options.method;
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

ProjectOptions options_of(const ProjectArguments& arguments) {
  std::vector<Quantity> quantities;
  if (!arguments.vjp_file.empty()) quantities.push_back(Quantity::vjp);
  if (!arguments.jvp_file.empty()) quantities.push_back(Quantity::jvp);
  if (arguments.inverse) quantities.push_back(Quantity::inverse);
  if (arguments.log_det) quantities.push_back(Quantity::log_det);
  if (arguments.slack) quantities.push_back(Quantity::slack);
  if (quantities.size() > 1) throw BadInput("--vjp, --jvp, --inverse, --log-det and --slack exclude each other");
  if (arguments.evaluate && !quantities.empty()) {
    throw BadInput("--evaluate and --vjp, --jvp, --inverse, --log-det or --slack exclude each other");
  }
  if (arguments.evaluate) quantities.push_back(Quantity::evaluation);

  ProjectOptions options = arguments.options;
  options.method = method_of(arguments);
  options.auto_lambda =
      !arguments.lambda && std::none_of(arguments.method_options.begin(), arguments.method_options.end(),
                                        [](const std::string& text) { return text.starts_with("lambda="); });
  if (arguments.lambda_is_auto && !std::holds_alternative<SoftRadial>(options.method)) {
    throw BadInput("--lambda auto is for soft_radial, not for " + std::string(method_name(options.method)));
  }
  options.quantity = quantities.empty() ? Quantity::value : quantities.front();
  options.second_file = arguments.vjp_file + arguments.jvp_file;  // at most one of the two is given
  return options;
}

void add_method_options(CLI::App& command, ProjectArguments& arguments) {
  Choices<LayerMethod> methods;
  for (const std::string_view name : method_names()) methods.emplace_back(name, method_named(name));
  add_choice(command, "--method", arguments.options.method, methods, "The map");
  command
      .add_option(
          "--contraction", arguments.contraction,
          "Formula that shortens the radius: rational (default), exponential, hyperbolic (soft_radial, gauge_map)")
      ->check(one_of({"rational", "exponential", "hyperbolic"}));
  const auto read_lambda = [&arguments](const std::string& word) {
    arguments.lambda_is_auto = word == "auto";
    arguments.lambda.reset();
    if (word != "auto") arguments.lambda = parse_number<double>("--lambda", word, study::kAnyNumber);
  };
  command
      .add_option_function<std::string>(
          "--lambda", read_lambda,
          "Scale of the contraction, a positive number (gauge_map: default 1), or auto: "
          "in units of the set (soft_radial: default)")
      ->type_name("FLOAT|auto");
  add_number(command, "--epsilon", arguments.epsilon, study::kAnyNumber,
             "Slope at the anchor, between 0 and 1 (default 0.01; soft_radial)");
  command
      .add_option(
          "--option", arguments.method_options,
          "Another number of the method, for example steps=5 (dc3, hardnet) or temperature=0.5 (mirror, softmax)")
      ->type_name("NAME=NUMBER");
  command.add_flag(
      "--evaluate", arguments.evaluate,
      "Apply the layer as in evaluation, not as in training: dc3 and hardnet then end with an exact projection");
}

void add_quantity_options(CLI::App& command, ProjectArguments& arguments) {
  const std::string group = "Print one of these instead of the projection";
  command.add_option("--vjp", arguments.vjp_file, "Print J'g; this file has a row g for each row of stdin")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--jvp", arguments.jvp_file, "Print J v; this file has a row v for each row of stdin")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--inverse", arguments.inverse, "Take stdin as x and print the u that projects to it")->group(group);
  command.add_flag("--log-det", arguments.log_det, "Print log|det J|, one number per row")->group(group);
  command.add_flag("--slack", arguments.slack, "Print 1 - gauge of the result: 1 at the anchor, 0 at the boundary")
      ->group(group);
}

}  // namespace

void add_project_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<ProjectArguments>();
  CLI::App& command = *program.add_subcommand("project", "Project each row of stdin into the set");
  command.footer(kProjectExamples);
  command.add_option("--set", arguments->options.set_file, "The set (SET.json)")->type_name("FILE")->required();
  add_method_options(command, *arguments);
  add_anchor_option(command, arguments->options.anchor);
  add_choice(command, "--dtype", arguments->options.precision, kPrecisions, "Precision of rows and results");
  add_quantity_options(command, *arguments);
  add_number(command, "--threads", arguments->options.threads, study::at_least_1_up_to(1024),
             "Number of threads; it does not change the results");
  command.add_flag("--check-finite", arguments->options.check_finite, "Treat a nan or inf in the input as an error");
  command.callback([arguments, &chosen] {
    chosen = [arguments] {
      project_stream(options_of(*arguments));
      return ExitCode::done;
    };
  });
}

}  // namespace softradial::program
