#include "report/run_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "data/calendar.hpp"
#include "data/csv_file.hpp"
#include "files/errors.hpp"
#include "runs/run_files.hpp"
#include "softradial/set_json.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

struct TimedTable {
  std::vector<std::string> columns;
  std::vector<std::string> times;
  std::vector<std::vector<double>> rows;
};

// The rows of the test period of a decisions.csv or outcomes.csv: time, split, numbers.
TimedTable read_test_rows(const std::filesystem::path& file) {
  const std::string text = read_text_file(file.string());
  CsvText csv(text);
  TimedTable table;
  if (!csv.next() || csv.fields().size() < 3)
    throw DataError(file.string() + ": has no head of time, split and columns");
  for (std::size_t k = 2; k < csv.fields().size(); ++k) table.columns.emplace_back(csv.fields()[k]);
  while (csv.next()) {
    const auto& fields = csv.fields();
    if (fields.size() != table.columns.size() + 2) {
      throw DataError(at_line(file.string(), csv.line(),
                              fmt::format("{} fields, expected {}", fields.size(), table.columns.size() + 2)));
    }
    if (fields[1] != "test") continue;
    table.times.emplace_back(fields[0]);
    std::vector<double> row;
    for (std::size_t k = 2; k < fields.size(); ++k) {
      const auto number = parse_number(fields[k]);
      if (!number) throw DataError(at_line(file.string(), csv.line(), quoted_field(fields[k]) + " is no number"));
      row.push_back(*number);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<EpochRecord> read_history(const std::filesystem::path& file) {
  const std::string text = read_text_file(file.string());
  CsvText csv(text);
  std::vector<EpochRecord> history;
  if (!csv.next()) return history;
  while (csv.next()) {
    const auto& fields = csv.fields();
    if (fields.size() != 3) throw DataError(at_line(file.string(), csv.line(), "expected epoch,loss,validation"));
    // A training that diverges records epochs whose numbers are not finite.
    const auto number = [](std::string_view field) { return parse_number(field).value_or(std::nan("")); };
    history.push_back({number(fields[1]), number(fields[2])});
  }
  return history;
}

// The totals of the test period in a zones.csv, in the order of `names`.
std::vector<ZoneTotals> read_zone_totals(const std::filesystem::path& file, const std::vector<std::string>& names) {
  const std::string text = read_text_file(file.string());
  CsvText csv(text);
  std::vector<ZoneTotals> totals;
  if (!csv.next() || csv.fields() != std::vector<std::string_view>{"zone", "split", "allocation", "demand", "served"})
    throw DataError(file.string() + ": has no head zone,split,allocation,demand,served");
  while (csv.next()) {
    const auto& fields = csv.fields();
    if (fields.size() != 5)
      throw DataError(at_line(file.string(), csv.line(), fmt::format("{} fields, expected 5", fields.size())));
    if (fields[1] != "test") continue;
    if (totals.size() == names.size() || fields[0] != names[totals.size()]) {
      throw DataError(
          at_line(file.string(), csv.line(), quoted_field(fields[0]) + " is not the zone that the manifest has here"));
    }
    std::array<double, 3> numbers{};
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const auto number = parse_number(fields[k + 2]);
      if (!number || *number < 0)
        throw DataError(at_line(file.string(), csv.line(), quoted_field(fields[k + 2]) + " is no count"));
      numbers[k] = *number;
    }
    totals.push_back({numbers[0], numbers[1], numbers[2]});
  }
  if (totals.size() != names.size())
    throw DataError(fmt::format("{}: has {} of {} zones", file.string(), totals.size(), names.size()));
  return totals;
}

SeedRecord read_seed(const std::filesystem::path& run, std::uint64_t seed, const std::vector<std::string>& names) {
  const std::filesystem::path folder = seed_folder(run, seed);
  SeedRecord out{.seed = seed,
                 .trial = read_json(folder / "trial.json"),
                 .history = read_history(folder / "history.csv"),
                 .decided = {},
                 .decisions = {},
                 .ended = {},
                 .outcomes = {},
                 .zones = {}};
  if (!out.trial.is_object() || !out.trial.contains("test"))
    throw DataError((folder / "trial.json").string() + ": is no result of a seed");
  TimedTable decisions = read_test_rows(folder / "decisions.csv");
  out.decided = std::move(decisions.times);
  out.decisions.resize(static_cast<Eigen::Index>(decisions.rows.size()),
                       static_cast<Eigen::Index>(decisions.columns.size()));
  for (std::size_t i = 0; i < decisions.rows.size(); ++i) {
    out.decisions.row(static_cast<Eigen::Index>(i)) = Eigen::Map<const Eigen::RowVectorXd>(
        decisions.rows[i].data(), static_cast<Eigen::Index>(decisions.columns.size()));
  }
  const TimedTable outcomes = read_test_rows(folder / "outcomes.csv");
  out.ended = outcomes.times;
  // The last decision may have no outcome yet.
  const std::size_t decided = out.decided.size();
  if (decided == 0 || out.ended.empty() || (out.ended.size() != decided && out.ended.size() + 1 != decided)) {
    throw DataError(fmt::format("{}: the test period has {} decisions and {} outcomes: a file is cut off",
                                folder.string(), decided, out.ended.size()));
  }
  for (std::size_t k = 0; k < outcomes.columns.size(); ++k) {
    std::vector<double>& column = out.outcomes[outcomes.columns[k]];
    for (const auto& row : outcomes.rows) column.push_back(row[k]);
  }
  if (const auto zones = folder / "zones.csv"; std::filesystem::exists(zones))
    out.zones = read_zone_totals(zones, names);
  return out;
}

std::string label_of(const RunRecord& run) {
  const json& config = run.manifest.at("config");
  if (config.contains("limits") && !config["limits"].is_null()) return run.method() + ", limits";
  return run.cap() < 1 ? fmt::format("{}, cap {:g}", run.method(), run.cap()) : run.method();
}

}  // namespace

const std::vector<double>& SeedRecord::outcome(const std::string& name) const {
  const auto found = outcomes.find(name);
  if (found == outcomes.end()) throw DataError(fmt::format("the outcomes of seed {} have no column {}", seed, name));
  return found->second;
}

double RunRecord::cap() const {
  const json& config = manifest.at("config");
  return config.value("cap", config.value("kappa", 1.0));
}

bool is_run(const std::vector<RunRecord>& runs, std::string_view method) {
  return std::ranges::any_of(runs, [&](const RunRecord& run) { return run.method() == method; });
}

const SeedRecord& RunRecord::best() const {
  const auto wanted = manifest.value("best_seed", seeds.front().seed);
  const auto found = std::ranges::find(seeds, wanted, &SeedRecord::seed);
  return found == seeds.end() ? seeds.front() : *found;
}

RunRecord read_run(const std::filesystem::path& folder) {
  json manifest = read_manifest(folder);
  try {
    const NamedSet named = parse_named_set(manifest.at("set").dump());
    RunRecord run{.folder = folder,
                  .label = {},
                  .manifest = std::move(manifest),
                  .result = std::filesystem::exists(folder / kReportFile) ? read_report(folder) : json::object(),
                  .names = {},
                  .set = named.set,
                  .seeds = {}};
    run.names = run.manifest.at("names").get<std::vector<std::string>>();
    for (const auto seed : run.manifest.at("seeds").get<std::vector<std::uint64_t>>()) {
      if (std::filesystem::exists(seed_folder(folder, seed) / "trial.json"))
        run.seeds.push_back(read_seed(folder, seed, run.names));
    }
    if (run.seeds.empty()) throw DataError(folder.string() + ": no seed of this run has finished yet");
    run.label = label_of(run);
    return run;
  } catch (const json::exception& error) {
    throw DataError((folder / kManifestFile).string() + ": is not readable: " + error.what());
  }
}

void make_labels_unique(std::vector<RunRecord>& runs) {
  std::map<std::string, int> count;
  for (const RunRecord& run : runs) ++count[run.label];
  for (RunRecord& run : runs) {
    if (count[run.label] > 1)
      run.label += fmt::format(" ({})", run.folder.filename().empty() ? run.folder.parent_path().filename().string()
                                                                      : run.folder.filename().string());
  }
}

double time_number(const std::string& text) {
  if (text.size() > 10) {
    if (const auto hour = parse_hour(text)) {
      return static_cast<double>(std::chrono::duration_cast<std::chrono::hours>(hour->time_since_epoch()).count());
    }
  } else if (const auto day = parse_date(text)) {
    return static_cast<double>(day->time_since_epoch().count());
  }
  throw DataError("'" + text + "' is neither a day nor an hour");
}

}  // namespace softradial::study
