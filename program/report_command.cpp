#include <fmt/format.h>

#include <algorithm>
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
  softradial report runs/taxi --zones zone_lookup.csv -o taxi.html

The page is one file that needs no other, no server and no network: open it in a browser, print it, send it. RUN is the folder
of a run (docs/runs.md) or the store of a sweep (docs/sweeps.md); several runs of one task stand side by side.)";

struct Arguments {
  std::vector<std::string> sources;
  std::string out;
  std::string zones;
};

// "4, 12, 105 and 3 others"
std::string some_of(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t k = 0; k < std::min(words.size(), kMost); ++k) text += (k > 0 ? ", " : "") + words[k];
  return words.size() > kMost ? fmt::format("{} and {} others", text, words.size() - kMost) : text;
}

study::Page page_of(const Arguments& arguments) {
  if (arguments.sources.size() == 1 && study::is_store(arguments.sources.front())) {
    if (!arguments.zones.empty()) throw BadInput("--zones: is for runs of dispatch, and this is the store of a sweep");
    study::ResultsStore store(arguments.sources.front(), study::SqliteFile::Access::read);
    return study::report_of(store);
  }
  std::vector<study::RunRecord> runs;
  for (const std::string& source : arguments.sources) {
    if (study::is_store(source)) throw BadInput(source + ": is the store of a sweep: make a report of it alone");
    runs.push_back(study::read_run(source));
  }
  if (arguments.zones.empty()) return study::report_of(std::move(runs));
  const study::ZonePlaces places = study::read_zone_places(arguments.zones);
  const std::vector<std::string> missing = study::zones_without_place(runs, places);
  study::Page page = study::report_of(std::move(runs), places);
  if (!missing.empty())
    tell(fmt::format("{}: zones without coordinates are not on the map: {}", arguments.zones, some_of(missing)));
  return page;
}

}  // namespace

void add_zone_places(CLI::App& command, std::string& file) {
  command
      .add_option(
          "--zones", file,
          "For dispatch: CSV with the zones' centroids (columns lon, lat; the first one has the zones), for a map")
      ->type_name("FILE");
}

void add_report_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *program.add_subcommand("report", "One HTML file about runs or a sweep");
  command.footer(kExamples);
  command.add_option("runs", arguments->sources, "Folders of runs, or the store of a sweep")
      ->type_name("RUN...")
      ->required();
  add_zone_places(command, arguments->zones);
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
