#include "report/report.hpp"

#include <fmt/format.h>

#include <fstream>

#include "files/errors.hpp"

namespace softradial::study {

Page report_of(std::vector<RunRecord> runs, const ZonePlaces& places) {
  if (runs.empty()) throw DataError("a report needs at least one run");
  for (const RunRecord& run : runs) {
    if (run.task() != runs.front().task()) {
      throw DataError(run.folder.string() + ": is a run of " + run.task() + ", and " + runs.front().folder.string() +
                      " one of " + runs.front().task() + ": make a report of each");
    }
  }
  make_labels_unique(runs);
  const bool portfolio = runs.front().task() == "portfolio";
  if (portfolio && !places.by_zone.empty())
    throw DataError(places.file + ": " + runs.front().folder.string() + " is a run of portfolio, which has no zones");
  const auto& data = runs.front().manifest.at("data");
  Page page{.title = portfolio ? "Portfolio policies" : "Dispatch policies",
            .lead = fmt::format("{} {} on {}, test period {} to {}.", runs.size(), runs.size() == 1 ? "run" : "runs",
                                data.at("source").get<std::string>(), runs.front().best().decided.front(),
                                runs.front().best().decided.back()),
            .sections = portfolio ? portfolio_sections(runs) : dispatch_sections(runs, places),
            .head = {},
            .script = {}};
  return page;
}

bool is_store(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return false;
  std::string begin(15, '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == "SQLite format 3";
}

}  // namespace softradial::study
