#include "program.hpp"

#include <csignal>
#include <new>
#include <string>

#include "command.hpp"
#include "failure.hpp"
#include "message.hpp"
#include "run_beside.hpp"
#include "softradial/errors.hpp"

namespace softradial::program {

namespace {

ExitCode report(ExitCode code, const std::string& message) {
  tell("error: " + message);
  return code;
}

constexpr const char* kDescription =
    "Maps points into the interior of a convex set, one to one, in closed form.\n"
    "Sets are described in JSON; points are rows of plain comma-separated numbers on stdin and stdout.";

constexpr const char* kExamples = R"(Example:
  echo '{"type": "capped_simplex", "dim": 3, "cap": 0.5}' > set.json
  echo '4,-1,2' | softradial project --set set.json
  softradial COMMAND --help shows more of them.

Exit codes: 0 done, 1 the answer is no, 2 bad usage or bad input, 3 an internal failure.)";

ExitCode run(int argc, const char* const* argv) {
  CLI::App program(kDescription, "softradial");
  program.set_version_flag("--version", "softradial " SOFTRADIAL_VERSION);
  program.footer(kExamples);
  Action chosen;
  add_project_command(program, chosen);
  add_anchor_command(program, chosen);
  add_check_command(program, chosen);
  add_command_beside(program, chosen, "bench", "Speed against softmax and a matrix product, as ratios",
                     "softradial-bench", {});
  add_compare_command(program, chosen);
  add_data_command(program, chosen);
  const std::string train = "softradial-train";
  add_command_beside(program, chosen, "train", "Train a policy: portfolio or dispatch", train, {"train"});
  add_command_beside(program, chosen, "backtest", "A saved portfolio policy on any period", train, {"backtest"});
  add_command_beside(program, chosen, "predict", "The weights of a saved policy for the latest day", train,
                     {"predict"});
  add_command_beside(program, chosen, "table", "The paper's tables, ours next to its numbers", train, {"table"});
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& answer) {
    return static_cast<ExitCode>(program.exit(answer));
  }
  if (!chosen) return report(ExitCode::bad_input, "no command: see softradial --help");
  return chosen();
}

}  // namespace

ExitCode run_program(int argc, const char* const* argv) noexcept {
  return guarded([&] { return run(argc, argv); });
}

ExitCode guarded(const std::function<ExitCode()>& work) noexcept {
  // A reader that leaves early shows as a failed write, which OutputFile turns into a quiet end.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return work();
  } catch (const OutputClosed&) {
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    return report(ExitCode::bad_input, error.what());
  } catch (const BadInput& error) {
    return report(ExitCode::bad_input, error.what());
  } catch (const Error& error) {
    return report(ExitCode::bad_input, error.what());
  } catch (const std::bad_alloc&) {
    return report(ExitCode::internal_failure, "out of memory");
  } catch (const std::exception& error) {
    return report(ExitCode::internal_failure, error.what());
  } catch (...) {
    return report(ExitCode::internal_failure, "unknown failure");
  }
}

}  // namespace softradial::program
