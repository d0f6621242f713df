#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "anchor_choice.hpp"
#include "command.hpp"
#include "outcome.hpp"
#include "row_writer.hpp"
#include "set_file.hpp"

namespace softradial::program {

namespace {

constexpr const char* kAnchorExamples = R"(Examples:
  softradial anchor --set set.json > anchor.csv
  softradial anchor --set set.json --anchor analytic
  softradial anchor --set set.json --anchor mine.csv       checks a point of your own

The point is one row on stdout; its smallest slack and how it was found are one line on stderr.
Exit code 1: the set is empty or has no interior; the reason is on stderr.)";

struct AnchorArguments {
  std::string set_file;
  AnchorChoice anchor;
};

ExitCode run(const AnchorArguments& arguments) {
  const Set set = load_set_file(arguments.set_file).set;
  const auto point = arguments.anchor.point(set.dim());
  const Anchor anchor = arguments.anchor.naming_the_file(arguments.set_file, [&] {
    return point ? check_anchor(set, *point) : find_anchor(set, arguments.anchor.search);
  });
  switch (anchor.status) {
    case AnchorStatus::found:
      break;
    case AnchorStatus::not_found:
      throw InternalFailure(fmt::format("{}: no anchor found: {}", arguments.set_file, anchor.reason));
    case AnchorStatus::empty:
    case AnchorStatus::no_interior:
      tell(fmt::format("{}: {}: {}", arguments.set_file,
                       anchor.status == AnchorStatus::empty ? "the set is empty" : "the set has no interior",
                       anchor.reason));
      return ExitCode::answer_is_no;
  }
  OutputFile out(STDOUT_FILENO);
  write_rows<double>(out, {anchor.point.data(), 1, set.dim()});
  out.finish();
  tell(fmt::format("slack {:.9g}, found by {}, hull of dimension {} in {}", anchor.slack, to_string(anchor.source),
                   set.dim() - anchor.hull.codimension(), set.dim()));
  return ExitCode::done;
}

}  // namespace

void add_anchor_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<AnchorArguments>();
  CLI::App& command = *program.add_subcommand("anchor", "Print an interior point of the set");
  command.footer(kAnchorExamples);
  command.add_option("--set", arguments->set_file, "The set (SET.json)")->type_name("FILE")->required();
  add_anchor_option(command, arguments->anchor);
  command.callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace softradial::program
