#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "files/durable_file.hpp"
#include "report/report.hpp"
#include "view_commands.hpp"

namespace softradial::program {
namespace {

constexpr const char* kExamples = R"(Examples:
  softradial report runs/mine -o report.html
  softradial report runs/soft_radial runs/orthogonal runs/dc3 -o report.html
  softradial report small.sqlite -o sweep.html

The page is one file that needs no other, no server and no network: open it in a browser, print it, send it. RUN is the folder
of a run (docs/runs.md) or the store of a sweep (docs/sweeps.md); several runs of one task stand side by side.)";

struct Arguments {
  std::vector<std::string> sources;
  std::string out;
};

study::Page page_of(const Arguments& arguments) {
  if (arguments.sources.size() == 1 && study::is_store(arguments.sources.front())) {
    study::ResultsStore store(arguments.sources.front(), study::SqliteFile::Access::read);
    return study::report_of(store);
  }
  std::vector<study::RunRecord> runs;
  for (const std::string& source : arguments.sources) {
    if (study::is_store(source)) throw BadInput(source + ": is the store of a sweep: make a report of it alone");
    runs.push_back(study::read_run(source));
  }
  return study::report_of(std::move(runs));
}

}  // namespace

void add_report_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *program.add_subcommand("report", "One HTML file about runs or a sweep");
  command.footer(kExamples);
  command.add_option("runs", arguments->sources, "Folders of runs, or the store of a sweep")
      ->type_name("RUN...")
      ->required();
  command.add_option("-o,--out", arguments->out, "The page to write")->type_name("FILE")->required();
  command.callback([arguments, &chosen] {
    chosen = [arguments] {
      const std::string html = study::html_of(page_of(*arguments));
      study::write_file(arguments->out, html);
      tell(fmt::format("{}, {} kB: open it in a browser", arguments->out, html.size() / 1000));
      return ExitCode::done;
    };
  });
}

}  // namespace softradial::program
