#include "train/sweep_table.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "output_file.hpp"
#include "train/work_progress.hpp"

namespace softradial::program {
namespace {

using nlohmann::json;

struct SweepColumn {
  const char* metric;
  const char* head;
  double scale;
  int digits;
};
constexpr SweepColumn kSweepColumns[] = {
    {"sharpe", "Sharpe", 1, 3}, {"turnover", "turnover %", 100, 2}, {"served_rate", "served %", 100, 2}};

bool is_known(const json& group, const char* metric) {
  return group.contains("chosen") && group["chosen"].contains("mean") && group["chosen"]["mean"].contains(metric);
}

}  // namespace

void print_summary(const std::vector<json>& groups, Format format) {
  OutputFile out(STDOUT_FILENO);
  if (format == Format::json) {
    out.append(json(groups).dump() + "\n");
    out.finish();
    return;
  }
  TextTable table = {{"setting", "method", "chosen", "tried", "validation"}};
  std::vector<const SweepColumn*> shown;
  for (const SweepColumn& column : kSweepColumns) {
    if (std::ranges::none_of(groups, [&](const json& group) { return is_known(group, column.metric); })) continue;
    shown.push_back(&column);
    table[0].emplace_back(column.head);
  }
  table[0].insert(table[0].end(), {"seeds", "violation"});
  for (const json& group : groups) {
    const auto text = [&](const char* key) {
      const auto word = group.at(key).get<std::string>();
      return word.empty() ? std::string("-") : word;
    };
    const json chosen = group.value("chosen", json::object());
    const std::string parameters = chosen.value("parameters", "");
    std::vector<std::string> row = {
        text("setting"), text("method"), parameters.empty() ? "-" : parameters,
        fmt::format("{}/{}", group.at("finished").get<int>(), group.at("candidates").get<int>()),
        chosen.contains("selection") ? fmt::format("{:.4f}", chosen["selection"].get<double>()) : "-"};
    for (const SweepColumn* column : shown) {
      row.push_back(is_known(group, column->metric)
                        ? fmt::format("{:.{}f} +- {:.{}f}",
                                      column->scale * chosen["mean"][column->metric].get<double>(), column->digits,
                                      column->scale * chosen["std"][column->metric].get<double>(), column->digits)
                        : "-");
    }
    row.push_back(std::to_string(chosen.value("seeds", json::array()).size()));
    row.push_back(chosen.contains("violation") ? fmt::format("{:.0e}", chosen["violation"].get<double>()) : "-");
    table.push_back(std::move(row));
  }
  out.append(table_text(table, format == Format::markdown));
  out.finish();
}

void print_plan(const study::SweepPlan& plan, const study::TrialResults& results, Format format) {
  json lines = json::array();
  TextTable table = {{"setting", "method", "candidates", "seeds", "trials", "done"}};
  std::size_t trials = 0;
  std::size_t done = 0;
  for (const study::Group& group : plan.groups) {
    const std::size_t all = size_of(group, plan.search).trials;
    const std::size_t there = next_stage(group, plan.search, results).trials_done;
    trials += all;
    done += there;
    lines.push_back({{"setting", group.setting},
                     {"method", group.method},
                     {"candidates", group.candidates.size()},
                     {"seeds", group.seeds},
                     {"trials", all},
                     {"done", there}});
    table.push_back({group.setting.empty() ? "-" : group.setting, group.method, std::to_string(group.candidates.size()),
                     std::to_string(group.seeds), std::to_string(all), std::to_string(there)});
  }
  table.push_back({"all", "", "", "", std::to_string(trials), std::to_string(done)});
  OutputFile out(STDOUT_FILENO);
  out.append(format == Format::json ? lines.dump() + "\n" : table_text(table, format == Format::markdown));
  out.finish();
}

void print_simulation(const std::vector<study::SimulationResult>& results, Format format) {
  json lines = json::array();
  TextTable table = {{"workers", "trials", "time", "trials/h", "of ideal %", "busy %", "scheduler %"}};
  for (const study::SimulationResult& r : results) {
    const double trials_per_hour = 3600 * static_cast<double>(r.trials) / r.seconds;
    const double busy = r.trained_seconds / (r.seconds * r.workers);
    const double scheduler = r.scheduler_seconds / r.seconds;
    lines.push_back({{"workers", r.workers},
                     {"trials", r.trials},
                     {"seconds", r.seconds},
                     {"ideal_seconds", r.ideal_seconds},
                     {"efficiency", r.efficiency()},
                     {"trials_per_hour", trials_per_hour},
                     {"busy", busy},
                     {"scheduler", scheduler}});
    table.push_back({std::to_string(r.workers), std::to_string(r.trials), duration_text(r.seconds),
                     fmt::format("{:.0f}", trials_per_hour), fmt::format("{:.1f}", 100 * r.efficiency()),
                     fmt::format("{:.1f}", 100 * busy), fmt::format("{:.1f}", 100 * scheduler)});
  }
  OutputFile out(STDOUT_FILENO);
  out.append(format == Format::json ? lines.dump() + "\n" : table_text(table, format == Format::markdown));
  out.finish();
}

}  // namespace softradial::program
