#include "report/charts.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>

#include "data/calendar.hpp"
#include "plot/colors.hpp"
#include "plot/fluid.hpp"
#include "plot/svg_path.hpp"
#include "plot/ticks.hpp"
#include "report/page.hpp"
#include "softradial/constraint_names.hpp"

namespace softradial::study {
namespace {

using plot::escaped;

// The most points of a line: more than a screen has columns cannot be seen.
constexpr std::size_t kMostPoints = 320;
constexpr std::size_t kMostLines = 6;
constexpr std::size_t kMostAreas = 12;

std::string_view word(XKind kind) {
  constexpr std::array<std::string_view, 4> kWords = {"date", "hour", "number", "rank"};
  return kWords[static_cast<std::size_t>(kind)];
}

// JSON for use inside a page: names may contain anything, and nothing in it may look like a tag.
std::string json_text(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

std::chrono::sys_days day_of(double x, XKind kind) {
  return std::chrono::sys_days(std::chrono::days(static_cast<int>(std::floor(kind == XKind::hour ? x / 24 : x))));
}

// Ticks at the first days of years, or of months if there are few; for hours, at midnights.
std::vector<plot::Tick> time_ticks(plot::Range range, XKind kind) {
  std::vector<plot::Tick> ticks;
  const double per_day = kind == XKind::hour ? 24 : 1;
  const double days = (range.high - range.low) / per_day;
  if (days < 70) {
    const double step = std::max(1.0, std::ceil(days / 6));
    for (double d = std::ceil(range.low / per_day); d * per_day <= range.high; d += step) {
      ticks.push_back({d * per_day, format_date(day_of(d, XKind::date)).substr(5)});
    }
    return ticks;
  }
  const int months = days > 2.2 * 365 ? 12 : days > 250 ? 3 : 1;
  for (double d = std::ceil(range.low / per_day); d * per_day <= range.high; ++d) {
    const std::chrono::year_month_day date(day_of(d, XKind::date));
    if (static_cast<unsigned>(date.day()) != 1 ||
        (static_cast<unsigned>(date.month()) - 1) % static_cast<unsigned>(months) != 0)
      continue;
    const std::string text = format_date(date);
    ticks.push_back({d * per_day, months == 12 ? text.substr(0, 4) : text.substr(0, 7)});
  }
  return ticks;
}

plot::Axis x_axis(const Chart& chart, plot::Range range) {
  if (range.high <= range.low) range.high = range.low + 1;
  return {.range = range,
          .scale = plot::Scale::linear,
          .label = {},
          .ticks =
              chart.x == XKind::date || chart.x == XKind::hour ? time_ticks(range, chart.x) : plot::round_ticks(range)};
}

plot::Axis y_axis(const Chart& chart, plot::Range range) {
  return {.range = range,
          .scale = chart.y_scale,
          .label = {},
          .ticks = chart.y == YKind::percent ? plot::percent_ticks(range) : plot::round_ticks(range, chart.y_scale)};
}

std::string legend_button(const std::string& name, int color) {
  return fmt::format(
      "<button type=\"button\" aria-pressed=\"true\" data-name=\"{0}\"><i style=\"--color:{1}\"></i>{0}</button>",
      escaped(name), plot::variable(color));
}

std::string figure(const Chart& chart, const std::string& legend, const plot::Panel& panel, bool csv) {
  return fmt::format(
      "<figure class=\"chart\" data-x=\"{}\" data-y=\"{}\" "
      "data-file=\"{}\"{}><figcaption><strong>{}</strong>{}{}</figcaption>{}"
      "</figure>\n",
      word(chart.x), chart.y == YKind::percent ? "percent" : "number", escaped(chart.file),
      chart.x_names.empty() ? "" : fmt::format(" data-names=\"{}\"", escaped(json_text(chart.x_names))),
      escaped(chart.title), legend,
      csv ? fmt::format("<button type=\"button\" class=\"csv\" aria-label=\"Download {} as CSV\">CSV</button>",
                        escaped(chart.title))
          : "",
      plot::fluid(panel, chart.height));
}

// Every n-th row, so that at most kMostPoints are left. The last row is always among them.
std::vector<std::size_t> sampled(std::size_t count) {
  std::vector<std::size_t> rows;
  const std::size_t step = std::max<std::size_t>(1, (count + kMostPoints - 1) / kMostPoints);
  for (std::size_t i = 0; i < count; i += step) rows.push_back(i);
  if (count > 0 && rows.back() != count - 1) rows.push_back(count - 1);
  return rows;
}

// The band of a series at fewer points: each has the minimum and the maximum of the rows up to the next point.
plot::Band band_of(const ChartSeries& series) {
  plot::Band band{.name = series.name, .x = {}, .low = {}, .high = {}, .color = series.color};
  const std::vector<std::size_t> rows = sampled(series.x.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto from = static_cast<std::ptrdiff_t>(rows[k]);
    const auto to = k + 1 < rows.size() ? static_cast<std::ptrdiff_t>(rows[k + 1]) : from + 1;
    band.x.push_back(series.x[rows[k]]);
    band.low.push_back(*std::min_element(series.low.begin() + from, series.low.begin() + to));
    band.high.push_back(*std::max_element(series.high.begin() + from, series.high.begin() + to));
  }
  return band;
}

std::vector<std::string> inequality_names(const RunRecord& run) {
  std::vector<std::string> names;
  LinearSystem system(run.set.dim());
  run.set->append_linear(system);
  const auto named = constraint_names(system, run.names);
  for (std::size_t k = 0; k < run.set->num_inequalities(); ++k) {
    const std::string own = run.set->inequality_name(k);
    const auto found = named.find(own);
    names.push_back(found == named.end() ? own : found->second);
  }
  return names;
}

}  // namespace

std::vector<double> time_numbers(const std::vector<std::string>& times) {
  std::vector<double> out;
  out.reserve(times.size());
  for (const std::string& time : times) out.push_back(time_number(time));
  return out;
}

std::string line_chart(const Chart& chart, const std::vector<ChartSeries>& series) {
  plot::Panel panel{.title = chart.title, .description = chart.description, .x = {}, .y = {}, .marks = {}};
  std::vector<double> xs;
  std::vector<double> ys;
  std::string legend;
  for (const ChartSeries& s : series) {
    for (const auto* values : {&s.middle, &s.low, &s.high}) ys.insert(ys.end(), values->begin(), values->end());
    xs.insert(xs.end(), s.x.begin(), s.x.end());
    legend += legend_button(s.name, s.color);
  }
  if (chart.y_scale == plot::Scale::log) std::erase_if(ys, [](double y) { return !(y > 0); });
  plot::Range y_range = plot::range_of(ys);
  if (chart.y_scale == plot::Scale::log && y_range.low <= 0) y_range.low = *std::ranges::min_element(ys);
  panel.x = x_axis(chart, plot::range_of(xs, 0));
  panel.y = y_axis(chart, y_range);
  for (const ChartSeries& s : series) {
    if (!s.low.empty()) panel.marks.emplace_back(band_of(s));
  }
  for (const ChartSeries& s : series) {
    plot::Line line{s.name, {}, {.color = s.color, .width = 1.6, .dashed = s.dashed}};
    for (std::size_t i = 0; i < s.x.size(); ++i) line.points.push_back({s.x[i], s.middle[i]});
    panel.marks.emplace_back(std::move(line));
  }
  return figure(chart, legend, panel, true);
}

std::string dots_over_line(const Chart& chart, const std::vector<ChartSeries>& series) {
  plot::Panel panel{.title = chart.title, .description = chart.description, .x = {}, .y = {}, .marks = {}};
  double most = 0;
  std::string legend;
  for (const ChartSeries& s : series) {
    for (const double y : s.middle) most = std::isfinite(y) ? std::max(most, y) : most;
    legend += legend_button(s.name, s.color);
    std::vector<plot::Point> points;
    points.reserve(s.x.size());
    for (std::size_t i = 0; i < s.x.size(); ++i) points.push_back({s.x[i], s.middle[i]});
    if (&s == &series.front()) {
      panel.marks.emplace_back(plot::Line{s.name, points, {.color = s.color, .width = 1.6}});
    } else {
      panel.marks.emplace_back(
          plot::Scatter{.name = s.name, .points = points, .size = 3, .color = s.color, .opacity = 0.8});
    }
  }
  panel.x = x_axis(chart, {0.5, static_cast<double>(chart.x_names.size()) + 0.5});
  panel.y = y_axis(chart, {0, most > 0 ? 1.05 * most : 1});
  return figure(chart, legend, panel, true);
}

nlohmann::json in_millionths(const std::vector<double>& values) {
  nlohmann::json out = nlohmann::json::array();
  for (const double value : values)
    out.push_back(std::isfinite(value) ? nlohmann::json(std::llround(1e6 * value)) : nlohmann::json());
  return out;
}

std::string exact_table(const ExactTable& table) {
  const nlohmann::json content = {
      {"head", table.head}, {"rows", table.rows}, {"names", table.names}, {"columns", table.columns}};
  return fmt::format(
      "<script type=\"application/json\" id=\"{0}\">{1}</script><p><button type=\"button\" "
      "data-table=\"{0}\">{2}</button></p>\n",
      escaped(table.file), json_text(content), escaped(table.text));
}

std::string scatter_chart(const Chart& chart, const std::map<std::string, std::vector<plot::Point>>& points,
                          const std::vector<double>& xs, const std::vector<double>& ys) {
  plot::Panel panel{.title = chart.title, .description = chart.description, .x = {}, .y = {}, .marks = {}};
  panel.x = x_axis(chart, plot::range_of(xs));
  panel.y = y_axis(chart, plot::range_of(ys));
  std::string legend;
  int color = 0;
  for (const auto& [name, places] : points) {
    panel.marks.emplace_back(
        plot::Scatter{.name = name, .points = places, .size = 2.5, .color = color, .opacity = 0.6});
    legend += legend_button(name, color++);
  }
  return figure(chart, legend, panel, true);
}

std::string stacked_chart(const Chart& chart, const plot::StackedArea& stack) {
  plot::Panel panel{.title = chart.title, .description = chart.description, .x = {}, .y = {}, .marks = {stack}};
  double most = 0;
  for (std::size_t i = 0; i < stack.x.size(); ++i) {
    double sum = 0;
    for (const auto& heights : stack.heights) sum += heights[i];
    most = std::max(most, sum);
  }
  panel.x = x_axis(chart, plot::range_of(stack.x, 0));
  panel.y = y_axis(chart, {0, most > 0 ? most : 1});
  std::string legend;
  for (std::size_t k = 0; k < stack.names.size(); ++k) legend += legend_button(stack.names[k], static_cast<int>(k));
  return figure(chart, legend, panel, true);
}

std::string heat_map(const Chart& chart, const plot::HeatMap& map, const std::vector<std::string>& columns,
                     const std::vector<std::string>& rows) {
  plot::Panel panel{.title = chart.title, .description = chart.description, .x = {}, .y = {}, .marks = {map}};
  panel.x.range = {0, static_cast<double>(map.columns)};
  panel.y.range = {0, static_cast<double>(map.rows)};
  for (std::size_t k = 0; k < columns.size(); ++k) panel.x.ticks.push_back({static_cast<double>(k) + 0.5, columns[k]});
  for (std::size_t k = 0; k < rows.size(); ++k)
    panel.y.ticks.push_back({static_cast<double>(rows.size() - k) - 0.5, rows[k]});
  return figure(chart, "", panel, false);
}

std::string training_charts(const std::vector<RunRecord>& runs) {
  const auto curves = [&](double EpochRecord::*value) {
    std::vector<ChartSeries> series;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      std::size_t epochs = 0;
      for (const SeedRecord& seed : runs[k].seeds) epochs = std::max(epochs, seed.history.size());
      std::vector<double> x(epochs);
      std::iota(x.begin(), x.end(), 1.0);
      series.push_back(over_seeds(runs[k], x, static_cast<int>(k), [&](const SeedRecord& seed) {
        std::vector<double> y;
        for (const EpochRecord& epoch : seed.history) y.push_back(epoch.*value);
        return y;
      }));
    }
    return series;
  };
  return "<div class=\"charts\">" +
         line_chart({.title = "Loss in training, by epoch",
                     .description = "One line for each run.",
                     .file = "training_loss",
                     .height = 200},
                    curves(&EpochRecord::loss)) +
         line_chart({.title = "Metric on validation, by epoch",
                     .description = "One line for each run.",
                     .file = "validation",
                     .height = 200},
                    curves(&EpochRecord::validation)) +
         "</div>";
}

std::string slack_charts(const std::vector<RunRecord>& runs, XKind kind) {
  std::string out;
  for (const RunRecord& run : runs) {
    const SeedRecord& seed = run.best();
    const std::vector<std::string> names = inequality_names(run);
    if (names.empty() || seed.decisions.rows() == 0) continue;
    const auto rows = static_cast<std::size_t>(seed.decisions.rows());
    Table slacks(seed.decisions.rows(), static_cast<Eigen::Index>(names.size()));
    for (Eigen::Index i = 0; i < slacks.rows(); ++i) {
      run.set->slacks({seed.decisions.row(i).data(), run.set.dim()}, {slacks.row(i).data(), names.size()});
    }
    std::vector<std::size_t> order(names.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const Eigen::RowVectorXd mean = slacks.colwise().mean();
    std::ranges::sort(order, {}, [&](std::size_t k) { return mean[static_cast<Eigen::Index>(k)]; });
    order.resize(std::min(order.size(), kMostLines));
    const std::vector<double> all_x = time_numbers(seed.decided);
    std::vector<ChartSeries> series;
    for (std::size_t k = 0; k < order.size(); ++k) {
      ChartSeries line{
          .name = names[order[k]], .x = {}, .middle = {}, .low = {}, .high = {}, .color = static_cast<int>(k)};
      for (const std::size_t i : sampled(rows)) {
        line.x.push_back(all_x[i]);
        line.middle.push_back(slacks(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(order[k])));
      }
      series.push_back(std::move(line));
    }
    out += line_chart({.title = run.label,
                       .description = fmt::format(
                           "Slack of the {} tightest of {} constraints over time, seed {}; the least of all is {:.2e}.",
                           order.size(), names.size(), seed.seed, slacks.minCoeff()),
                       .file = "slack",
                       .x = kind,
                       .height = 180},
                      series);
    out += fmt::format(
        "<p class=\"note\">The {} tightest of {} constraints on average; the least slack of all is {:.2e}.</p>",
        order.size(), names.size(), slacks.minCoeff());
  }
  return out;
}

std::string decision_charts(const std::vector<RunRecord>& runs, XKind kind, const std::string& what) {
  std::string out;
  for (const RunRecord& run : runs) {
    const SeedRecord& seed = run.best();
    if (seed.decisions.rows() == 0) continue;
    std::vector<std::size_t> order(run.names.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const Eigen::RowVectorXd mean = seed.decisions.colwise().mean();
    std::ranges::sort(order, std::ranges::greater{}, [&](std::size_t k) { return mean[static_cast<Eigen::Index>(k)]; });
    const std::size_t shown = std::min(order.size(), kMostAreas);
    const std::vector<std::size_t> rows = sampled(static_cast<std::size_t>(seed.decisions.rows()));
    const std::vector<double> all_x = time_numbers(seed.decided);
    plot::StackedArea stack;
    for (const std::size_t i : rows) stack.x.push_back(all_x[i]);
    for (std::size_t k = 0; k < shown; ++k) {
      stack.names.push_back(run.names[order[k]]);
      auto& heights = stack.heights.emplace_back();
      for (const std::size_t i : rows)
        heights.push_back(seed.decisions(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(order[k])));
    }
    if (shown < order.size()) {
      stack.names.push_back(fmt::format("{} others", order.size() - shown));
      auto& rest = stack.heights.emplace_back(rows.size(), 0.0);
      for (std::size_t k = shown; k < order.size(); ++k) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
          rest[i] += seed.decisions(static_cast<Eigen::Index>(rows[i]), static_cast<Eigen::Index>(order[k]));
        }
      }
    }
    out += stacked_chart({.title = run.label,
                          .description = fmt::format("{} over time, seed {}.", what, seed.seed),
                          .file = "decisions",
                          .x = kind,
                          .y = YKind::percent,
                          .height = 200},
                         stack);
  }
  return out;
}

std::string configurations(const std::vector<RunRecord>& runs) {
  std::string out;
  for (const RunRecord& run : runs) {
    out += fmt::format(
        "<details><summary>{}</summary><p class=\"note\">softradial train {} --config "
        "{}/config.toml</p><pre>{}</pre></details>\n",
        escaped(run.label), escaped(run.task()), escaped(run.folder.string()), escaped(run.manifest.dump(2)));
  }
  return out;
}

}  // namespace softradial::study
