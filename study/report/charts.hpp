#pragma once

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plot/panel.hpp"
#include "report/run_record.hpp"
#include "report/zone_places.hpp"

namespace softradial::study {

// A line, with a band that shows the spread over its seeds.
struct ChartSeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> middle;
  std::vector<double> low, high;  // both empty: no band
  int color = 0;
  bool dashed = false;
};

enum class XKind { date, hour, number, rank };  // rank: 1 is the first of x_names
enum class YKind { number, percent };

struct Chart {
  std::string title;
  std::string description;
  std::string file;  // name of its CSV file
  XKind x = XKind::number;
  YKind y = YKind::number;
  plot::Scale y_scale = plot::Scale::linear;
  double height = 260;
  std::vector<std::string> x_names = {};  // for XKind::rank
};

// A table of exact numbers, which a button saves as CSV. Numbers are rounded to millionths.
struct ExactTable {
  std::string file;  // file name without .csv; unique in a page
  std::string text;  // text of the button
  std::string head;  // head of the first column
  std::vector<std::string> rows;
  std::vector<std::string> names;  // heads of the other columns
  nlohmann::json columns = nlohmann::json::array();
};
[[nodiscard]] nlohmann::json in_millionths(const std::vector<double>& values);
[[nodiscard]] std::string exact_table(const ExactTable& table);

// A figure of the page: title, series that can be switched on and off, a CSV file, the plot.
[[nodiscard]] std::string line_chart(const Chart& chart, const std::vector<ChartSeries>& series);
[[nodiscard]] std::string stacked_chart(const Chart& chart, const plot::StackedArea& stack);
[[nodiscard]] std::string heat_map(const Chart& chart, const plot::HeatMap& map,
                                   const std::vector<std::string>& columns, const std::vector<std::string>& rows);

// Dots over a line. The first series is the line.
[[nodiscard]] std::string dots_over_line(const Chart& chart, const std::vector<ChartSeries>& series);

// Points of several series; xs and ys hold all of their coordinates.
[[nodiscard]] std::string scatter_chart(const Chart& chart,
                                        const std::map<std::string, std::vector<plot::Point>>& points,
                                        const std::vector<double>& xs, const std::vector<double>& ys);

// The mean of f(seed) over the seeds of a run, in a band from the lowest to the highest seed; one number for each x.
template <class F>
[[nodiscard]] ChartSeries over_seeds(const RunRecord& run, std::vector<double> x, int color, const F& f) {
  ChartSeries out{.name = run.label, .x = std::move(x), .middle = {}, .low = {}, .high = {}, .color = color};
  for (const SeedRecord& seed : run.seeds) {
    std::vector<double> values = f(seed);
    values.resize(out.x.size(), std::nan(""));
    if (out.middle.empty()) {
      out.middle.assign(out.x.size(), 0);
      if (run.seeds.size() > 1) out.low = out.high = values;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      out.middle[i] += values[i] / static_cast<double>(run.seeds.size());
      if (run.seeds.size() < 2) continue;
      out.low[i] = std::min(out.low[i], values[i]);
      out.high[i] = std::max(out.high[i], values[i]);
    }
  }
  return out;
}

// The times of a seed's outcomes or decisions as numbers.
[[nodiscard]] std::vector<double> time_numbers(const std::vector<std::string>& times);

// The training curves, for any task.
[[nodiscard]] std::string training_charts(const std::vector<RunRecord>& runs);
// The slack of the tightest constraints over time, by name, for the best seed of each run.
[[nodiscard]] std::string slack_charts(const std::vector<RunRecord>& runs, XKind kind);
// The largest decisions over time, stacked, for the best seed of each run.
[[nodiscard]] std::string decision_charts(const std::vector<RunRecord>& runs, XKind kind, const std::string& what);
// Allocation and demand of each zone; on a map if there are places.
[[nodiscard]] std::string zone_charts(const std::vector<RunRecord>& runs, const ZonePlaces& places);
// The exact configurations, and the commands that run them again.
[[nodiscard]] std::string configurations(const std::vector<RunRecord>& runs);

}  // namespace softradial::study
