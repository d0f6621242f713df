#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "plot/svg_path.hpp"
#include "report/charts.hpp"
#include "report/paper_table.hpp"
#include "report/report.hpp"
#include "sweep/summary.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

// A trial as the page shows it: its line of the listing, and the parameters of its layer.
struct ShownTrial {
  TrialLine line;
  std::map<std::string, std::string> words;  // "lambda" -> "2", "contraction" -> "rational"
};

// Splits "hidden=32 lambda=5" into values by name.
std::map<std::string, std::string> words_of(const std::string& parameters) {
  std::map<std::string, std::string> out;
  for (std::size_t at = 0; at < parameters.size();) {
    const std::size_t end = std::min(parameters.find(' ', at), parameters.size());
    const std::size_t equals = parameters.find('=', at);
    if (equals < end) out[parameters.substr(at, equals - at)] = parameters.substr(equals + 1, end - equals - 1);
    at = end + 1;
  }
  return out;
}

std::string percent_or_number(const json& chosen, const char* name, double scale, int digits) {
  if (!chosen.contains("mean") || !chosen["mean"].contains(name)) return "-";
  return fmt::format("{:.{}f} ± {:.{}f}", scale * chosen["mean"][name].get<double>(), digits,
                     scale * chosen["std"][name].get<double>(), digits);
}

std::string chosen_table(const std::vector<json>& groups, bool portfolio) {
  std::vector<std::vector<std::string>> rows = {{"method", "setting", "chosen", "tried", "failed", "validation"}};
  if (portfolio) {
    rows[0].insert(rows[0].end(), {"test: Sharpe", "turnover %"});
  } else {
    rows[0].emplace_back("test: served %");
  }
  rows[0].emplace_back("seeds");
  for (const json& group : groups) {
    const json chosen = group.value("chosen", json::object());
    std::vector<std::string> row = {
        group.at("method").get<std::string>(),
        group.at("setting").get<std::string>(),
        chosen.value("parameters", "-"),
        fmt::format("{} of {}", group.at("finished").get<int>(), group.at("candidates").get<int>()),
        std::to_string(group.at("failed").get<int>()),
        chosen.contains("selection") && chosen["selection"].is_number()
            ? fmt::format("{:.4f}", chosen["selection"].get<double>())
            : "-"};
    if (portfolio) {
      row.push_back(percent_or_number(chosen, "sharpe", 1, 3));
      row.push_back(percent_or_number(chosen, "turnover", 100, 2));
    } else {
      row.push_back(percent_or_number(chosen, "served_rate", 100, 2));
    }
    row.push_back(std::to_string(chosen.value("seeds", json::array()).size()));
    rows.push_back(std::move(row));
  }
  return html_table(rows, "The best on validation of every setting and method, and its results on test");
}

std::string paper_table(const std::vector<json>& groups, bool portfolio) {
  std::vector<OurResult> ours;
  for (const json& group : groups) {
    const json chosen = group.value("chosen", json::object());
    if (!chosen.contains("config")) continue;
    const auto method = group.at("method").get<std::string>();
    ours.push_back({.label = method + ", " + group.at("setting").get<std::string>(),
                    .method = method,
                    .config = chosen["config"],
                    .sharpe = percent_or_number(chosen, "sharpe", 1, 2),
                    .turnover = percent_or_number(chosen, "turnover", 100, 1),
                    .served = percent_or_number(chosen, "served_rate", 1, 2)});
  }
  return portfolio ? portfolio_beside_the_paper(ours) : dispatch_beside_the_paper(ours);
}

// The best validation for each value of a numeric parameter: one line for each method, setting and contraction.
std::string sensitivity(const std::vector<ShownTrial>& trials, const std::string& parameter) {
  std::map<std::string, std::map<double, double>> lines;
  for (const ShownTrial& trial : trials) {
    const auto found = trial.words.find(parameter);
    if (found == trial.words.end() || !std::isfinite(trial.line.selection)) continue;
    char* end = nullptr;
    const double value = std::strtod(found->second.c_str(), &end);
    if (*end != '\0' || !(value > 0)) continue;
    std::string name = trial.line.method;
    if (!trial.line.setting.empty()) name += ", " + trial.line.setting;
    if (const auto contraction = trial.words.find("contraction"); contraction != trial.words.end())
      name += ", " + contraction->second;
    auto [place, added] = lines[name].try_emplace(value, trial.line.selection);
    if (!added) place->second = std::max(place->second, trial.line.selection);
  }
  std::erase_if(lines, [](const auto& line) { return line.second.size() < 2; });
  if (lines.empty()) return "";
  std::vector<ChartSeries> series;
  for (const auto& [name, values] : lines) {
    ChartSeries line{
        .name = name, .x = {}, .middle = {}, .low = {}, .high = {}, .color = static_cast<int>(series.size())};
    for (const auto& [x, y] : values) {
      line.x.push_back(x);
      line.middle.push_back(y);
    }
    series.push_back(std::move(line));
  }
  return line_chart({.title = "Best validation by " + parameter,
                     .description = "One line for each method, setting and contraction.",
                     .file = "sensitivity_" + parameter,
                     .height = 220},
                    series);
}

// The best validation for each value of a parameter that is a word: a table.
std::string by_word(const std::vector<ShownTrial>& trials, const std::string& parameter) {
  std::map<std::pair<std::string, std::string>, std::pair<int, double>> best;
  for (const ShownTrial& trial : trials) {
    const auto found = trial.words.find(parameter);
    if (found == trial.words.end() || !std::isfinite(trial.line.selection)) continue;
    auto [place, added] = best.try_emplace(
        {trial.line.method + (trial.line.setting.empty() ? "" : ", " + trial.line.setting), found->second}, 0,
        trial.line.selection);
    ++place->second.first;
    place->second.second = std::max(place->second.second, trial.line.selection);
  }
  if (best.size() < 2) return "";
  std::vector<std::vector<std::string>> rows = {{"method", parameter, "trials", "best validation"}};
  for (const auto& [key, value] : best)
    rows.push_back({key.first, key.second, std::to_string(value.first), fmt::format("{:.4f}", value.second)});
  return html_table(rows, "Best validation by " + parameter);
}

// Validation against test for every finished trial: shows how far the choice can be trusted.
std::string scatter(const std::vector<ShownTrial>& trials) {
  std::map<std::string, std::vector<plot::Point>> points;
  std::vector<double> xs;
  std::vector<double> ys;
  for (const ShownTrial& trial : trials) {
    if (!std::isfinite(trial.line.selection) || !std::isfinite(trial.line.test)) continue;
    points[trial.line.method].push_back({trial.line.selection, trial.line.test});
    xs.push_back(trial.line.selection);
    ys.push_back(trial.line.test);
  }
  return points.empty() ? ""
                        : scatter_chart({.title = "Test against validation, every trial",
                                         .description = "One dot for each trial.",
                                         .file = "trials"},
                                        points, xs, ys);
}

std::string failures(const std::vector<ShownTrial>& trials) {
  std::vector<std::vector<std::string>> rows = {{"trial", "method", "parameters", "seed", "reason"}};
  constexpr std::size_t kMost = 50;
  for (const ShownTrial& trial : trials) {
    if (trial.line.status != "failed" || rows.size() > kMost) continue;
    rows.push_back({std::to_string(trial.line.id), trial.line.method, trial.line.parameters,
                    std::to_string(trial.line.seed), trial.line.reason});
  }
  return rows.size() > 1 ? html_table(rows, "Trials that failed, the first 50") : "<p>None.</p>";
}

std::string chosen_configurations(const std::vector<json>& groups) {
  std::string out;
  for (const json& group : groups) {
    if (!group.contains("chosen") || !group["chosen"].contains("config")) continue;
    out += fmt::format("<details><summary>{} {}</summary><pre>{}</pre></details>\n",
                       plot::escaped(group.at("method").get<std::string>()),
                       plot::escaped(group.at("setting").get<std::string>()),
                       plot::escaped(group["chosen"]["config"].dump(2)));
  }
  return out;
}

Page page_of(ResultsStore& store) {
  std::vector<ShownTrial> trials;
  std::set<std::string> tasks;
  store.list({}, [&](const TrialLine& line) {
    trials.push_back({line, words_of(line.parameters)});
    tasks.insert(line.task);
  });
  const std::vector<json> groups = summary_of(store);
  const auto failed = std::ranges::count_if(trials, [](const ShownTrial& t) { return t.line.status == "failed"; });
  Page page{.title = "Sweep " + store.path().filename().string(),
            .lead = fmt::format("{} trials have ended, {} of them failed.", trials.size(), failed),
            .sections = {},
            .head = {},
            .script = {}};
  const bool portfolio = !tasks.contains("dispatch");
  page.sections.push_back({"Chosen configurations", chosen_table(groups, portfolio)});
  page.sections.push_back({"The paper's table", paper_table(groups, portfolio)});
  std::string sensitive;
  for (const char* parameter : {"lambda", "epsilon"}) sensitive += sensitivity(trials, parameter);
  sensitive = "<div class=\"charts\">" + sensitive + "</div>" + by_word(trials, "contraction");
  page.sections.push_back({"Sensitivity", sensitive});
  page.sections.push_back({"Trials", scatter(trials)});
  page.sections.push_back({"Failures", failures(trials)});
  page.sections.push_back({"Configurations", chosen_configurations(groups)});
  return page;
}

}  // namespace

Page report_of(ResultsStore& store) {
  try {
    return page_of(store);
  } catch (const json::exception&) {
    throw damaged_store(store.path());
  }
}

}  // namespace softradial::study
