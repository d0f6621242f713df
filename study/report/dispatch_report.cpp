#include <fmt/format.h>

#include <array>
#include <cmath>

#include "metrics/mean_and_std.hpp"
#include "report/charts.hpp"
#include "report/paper_table.hpp"
#include "report/report.hpp"

namespace softradial::study {
namespace {

constexpr std::array<const char*, 7> kWeekdays = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<const char*, 3> kBaselines = {"equal_weight", "last_hour", "last_week"};

std::string over(const RunRecord& run, double scale) {
  std::vector<double> values;
  for (const SeedRecord& seed : run.seeds)
    values.push_back(scale * seed.trial.at("test").at("served_rate").get<double>());
  const MeanAndStd m = mean_and_std(values);
  return values.size() < 2 ? fmt::format("{:.2f}", m.mean) : fmt::format("{:.2f} ± {:.2f}", m.mean, m.std);
}

std::string dispatch_headline(const std::vector<RunRecord>& runs) {
  std::vector<std::vector<std::string>> rows = {{"method", "served %", "seeds", "violation"}};
  for (const RunRecord& run : runs) {
    double worst = 0;
    for (const SeedRecord& seed : run.seeds) worst = std::max(worst, seed.trial.value("violation", 0.0));
    rows.push_back({run.label, over(run, 100), std::to_string(run.seeds.size()), fmt::format("{:.0e}", worst)});
  }
  const auto& result = runs.front().result;
  if (result.contains("baselines")) {
    for (const auto& [name, baseline] : result["baselines"].items()) {
      if (is_run(runs, name)) continue;
      rows.push_back({name, fmt::format("{:.2f}", 100 * baseline.at("test").at("served_rate").get<double>()), "-",
                      fmt::format("{:.0e}", baseline.value("violation", 0.0))});
    }
  }
  return html_table(rows, "Test period; mean and deviation over the seeds. Rows without seeds need no training");
}

// The mean of the values over all hours with the same `slot`.
template <class Slot>
std::vector<double> mean_by(const std::vector<std::string>& times, const std::vector<double>& values, std::size_t slots,
                            const Slot& slot) {
  std::vector<double> sum(slots, 0.0);
  std::vector<double> count(slots, 0.0);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::size_t k = slot(time_number(times[i]));
    sum[k] += values[i];
    ++count[k];
  }
  for (std::size_t k = 0; k < slots; ++k) sum[k] = count[k] > 0 ? sum[k] / count[k] : std::nan("");
  return sum;
}

std::size_t hour_of_day(double hour) { return static_cast<std::size_t>(hour) % 24; }
// 1970 began on a Thursday.
std::size_t weekday(double hour) { return (static_cast<std::size_t>(hour) / 24 + 3) % 7; }
std::size_t hour_of_week(double hour) { return 24 * weekday(hour) + hour_of_day(hour); }

template <class Slot>
std::vector<ChartSeries> served_by(const std::vector<RunRecord>& runs, std::size_t slots, const Slot& slot) {
  std::vector<double> x(slots);
  for (std::size_t k = 0; k < slots; ++k) x[k] = static_cast<double>(k);
  std::vector<ChartSeries> series;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    series.push_back(over_seeds(runs[k], x, static_cast<int>(k), [&](const SeedRecord& seed) {
      return mean_by(seed.ended, seed.outcome("served_rate"), slots, slot);
    }));
  }
  const SeedRecord& first = runs.front().seeds.front();
  for (std::size_t k = 0; k < kBaselines.size(); ++k) {
    const auto found = first.outcomes.find(std::string(kBaselines[k]) + ".served_rate");
    if (found == first.outcomes.end() || is_run(runs, kBaselines[k])) continue;
    series.push_back({.name = kBaselines[k],
                      .x = x,
                      .middle = mean_by(first.ended, found->second, slots, slot),
                      .low = {},
                      .high = {},
                      .color = static_cast<int>(runs.size() + k),
                      .dashed = true});
  }
  return series;
}

std::string week(const RunRecord& run) {
  const ChartSeries series = served_by({run}, 168, hour_of_week).front();
  std::vector<double> known = series.middle;
  std::erase_if(known, [](double v) { return std::isnan(v); });
  plot::HeatMap map{.columns = 24, .rows = 7, .values = series.middle, .texts = {}, .range = {}};
  map.range = known.empty() ? plot::Range{0, 1}
                            : plot::Range{*std::ranges::min_element(known), *std::ranges::max_element(known)};
  if (map.range.high <= map.range.low) map.range.high = map.range.low + 1e-6;
  std::vector<std::string> columns;
  columns.reserve(24);
  for (int h = 0; h < 24; ++h) columns.push_back(h % 4 == 0 ? std::to_string(h) : "");
  return heat_map(
             {.title = run.label,
              .description = fmt::format("Served rate by weekday and hour, from {:.0f} % (orange) to {:.0f} % (blue).",
                                         100 * map.range.low, 100 * map.range.high),
              .file = "week",
              .height = 154},
             map, columns, {kWeekdays.begin(), kWeekdays.end()}) +
         fmt::format("<p class=\"note\">From {:.0f} % (orange) to {:.0f} % (blue) of the requests.</p>",
                     100 * map.range.low, 100 * map.range.high);
}

std::string dispatch_paper_table(const std::vector<RunRecord>& runs) {
  std::vector<OurResult> ours;
  ours.reserve(runs.size());
  for (const RunRecord& run : runs) {
    ours.push_back({.label = run.label,
                    .method = run.method(),
                    .config = run.manifest.at("config"),
                    .sharpe = {},
                    .turnover = {},
                    .served = over(run, 1)});
  }
  return dispatch_beside_the_paper(ours);
}

}  // namespace

std::vector<Section> dispatch_sections(const std::vector<RunRecord>& runs, const ZonePlaces& places) {
  std::vector<Section> sections;
  sections.push_back({"Results", dispatch_headline(runs)});
  std::string weeks;
  for (const RunRecord& run : runs) weeks += week(run);
  sections.push_back(
      {"Served rate over the day and the week", line_chart({.title = "Served rate by hour of the day",
                                                            .description = "Mean over the test period.",
                                                            .file = "served_by_hour",
                                                            .y = YKind::percent},
                                                           served_by(runs, 24, hour_of_day)) +
                                                    line_chart({.title = "Served rate by weekday, Monday is 0",
                                                                .description = "Mean over the test period.",
                                                                .file = "served_by_weekday",
                                                                .y = YKind::percent,
                                                                .height = 180},
                                                               served_by(runs, 7, weekday)) +
                                                    weeks});
  sections.push_back({"Fleet and demand by zone", zone_charts(runs, places)});
  sections.push_back({"Shares of the zones over time", decision_charts(runs, XKind::hour, "Shares of the fleet")});
  sections.push_back({"Slack of the constraints", slack_charts(runs, XKind::hour)});
  sections.push_back({"Training", training_charts(runs)});
  sections.push_back({"The paper's table", dispatch_paper_table(runs)});
  sections.push_back({"Configurations", configurations(runs)});
  return sections;
}

}  // namespace softradial::study
