#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "data/parquet_file.hpp"
#include "files/durable_file.hpp"
#include "files/folder_lock.hpp"
#include "number_option.hpp"
#include "outcome.hpp"
#include "output_file.hpp"
#include "sweep/results_store.hpp"
#include "sweep/scheduler.hpp"
#include "sweep/summary.hpp"
#include "train/sweep_commands.hpp"
#include "train/sweep_table.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;
using nlohmann::json;

constexpr const char* kResultsExamples = R"(Examples:
  softradial results best   --store paper.sqlite --markdown
  softradial results list   --store paper.sqlite --status failed
  softradial results show   --store paper.sqlite 17
  softradial results files  --store paper.sqlite 17 --out trial-17
  softradial results export --store paper.sqlite --out trials.parquet
  softradial results export --store paper.sqlite --epochs --out epochs.csv
  softradial results merge  --store all.sqlite part1.sqlite part2.sqlite

A store may be read while a sweep writes it. docs/sweeps.md has its tables.)";

struct ResultsArguments {
  std::string store;
  TrialFilter filter;
  std::int64_t id = 0;
  std::string out;
  bool epochs = false;
  std::vector<std::string> others;
  Format format = Format::text;
};

ResultsStore opened(const ResultsArguments& arguments) { return {arguments.store, SqliteFile::Access::read}; }

std::string number_or_dash(double value) { return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-"; }

ExitCode list(const ResultsArguments& arguments) {
  ResultsStore store = opened(arguments);
  OutputFile out(STDOUT_FILENO);
  if (arguments.format == Format::json) {
    json all = json::array();
    store.list(arguments.filter, [&](const TrialLine& line) {
      all.push_back({{"id", line.id},
                     {"task", line.task},
                     {"method", line.method},
                     {"setting", line.setting},
                     {"parameters", line.parameters},
                     {"seed", line.seed},
                     {"status", line.status},
                     {"reason", line.reason},
                     {"epochs", line.epochs},
                     {"seconds", line.seconds},
                     {"validation", line.selection},
                     {"test", line.test}});
    });
    out.append(all.dump() + "\n");
  } else {
    TextTable table = {{"id", "setting", "method", "parameters", "seed", "status", "epochs", "seconds", "validation",
                        "test", "reason"}};
    store.list(arguments.filter, [&](const TrialLine& line) {
      table.push_back({std::to_string(line.id), line.setting, line.method, line.parameters, std::to_string(line.seed),
                       line.status, std::to_string(line.epochs), fmt::format("{:.1f}", line.seconds),
                       number_or_dash(line.selection), number_or_dash(line.test), line.reason});
    });
    out.append(table_text(table, arguments.format == Format::markdown));
  }
  out.finish();
  return ExitCode::done;
}

json found_trial(ResultsStore& store, const ResultsArguments& arguments, bool with_epochs) {
  json found;
  store.each({.method = {}, .status = {}, .id = arguments.id}, with_epochs, [&](const json& trial) { found = trial; });
  if (found.is_null()) {
    throw BadInput(arguments.store + ": has no trial " + std::to_string(arguments.id) +
                   ": see softradial results list");
  }
  return found;
}

ExitCode show(const ResultsArguments& arguments) {
  ResultsStore store = opened(arguments);
  json found = found_trial(store, arguments, true);
  found["files"] = json::array();
  for (const TrialFile& file : store.files_of(arguments.id)) {
    found["files"].push_back({{"name", file.name}, {"size", file.size}, {"sha256", file.sha256}});
  }
  OutputFile out(STDOUT_FILENO);
  out.append(found.dump(arguments.format == Format::json ? -1 : 2) + "\n");
  out.finish();
  return ExitCode::done;
}

// Writes all files of a trial into a folder, or none of them. Files that are already there with the same bytes stay.
ExitCode write_files(const ResultsArguments& arguments) {
  ResultsStore store = opened(arguments);
  static_cast<void>(found_trial(store, arguments, false));
  std::vector<WrittenFile> files = store.read_files(arguments.id);
  if (files.empty()) {
    throw BadInput(
        fmt::format("{}: trial {} has no files: the sweep keeps the decisions of chosen trials alone, or of none",
                    arguments.store, arguments.id));
  }
  const std::filesystem::path folder = arguments.out;
  make_folder(folder);
  std::erase_if(files, [&](const WrittenFile& file) {
    const std::filesystem::path place = folder / file.name;
    if (!std::filesystem::exists(place)) return false;
    if (std::filesystem::is_regular_file(place) && read_file(place) == file.text) return true;
    throw BadInput(place.string() + ": is there already, with other contents; choose another folder");
  });
  std::vector<std::filesystem::path> written;
  try {
    for (const WrittenFile& file : files) {
      write_file(folder / file.name, file.text);
      written.push_back(folder / file.name);
    }
  } catch (const std::exception&) {
    std::error_code ignored;
    for (const std::filesystem::path& file : written) std::filesystem::remove(file, ignored);
    throw;
  }
  return ExitCode::done;
}

ExitCode best(const ResultsArguments& arguments) {
  ResultsStore store = opened(arguments);
  print_summary(summary_of(store), arguments.format);
  return ExitCode::done;
}

std::string csv_field(const json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float()) return number_text(value.get<double>());
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted_text = "\"";
  for (const char c : text) {
    if (c == '"') quoted_text += '"';
    quoted_text += c;
  }
  quoted_text += '"';
  return quoted_text;
}

std::string csv_of(const std::vector<std::string>& head, const std::vector<json>& rows) {
  std::string text;
  const auto add_row = [&](const auto& cell) {
    for (std::size_t k = 0; k < head.size(); ++k) {
      if (k > 0) text += ',';
      text += cell(head[k]);
    }
    text += '\n';
  };
  add_row([](const std::string& name) { return name; });
  for (const json& row : rows) {
    add_row([&](const std::string& name) { return csv_field(row.value(name, json())); });
  }
  return text;
}

// One row for each trial, with columns such as "test.sharpe"; or one row for each epoch.
std::string trials_csv(const std::vector<json>& trials, bool epochs) {
  std::vector<std::string> head;
  std::vector<json> rows;
  if (epochs) {
    head = {"trial", "epoch", "loss", "validation"};
    for (const json& trial : trials) {
      for (std::size_t k = 0; k < trial.at("history").size(); ++k) {
        json row = trial["history"][k];
        row["trial"] = trial.at("id");
        row["epoch"] = k + 1;
        rows.push_back(std::move(row));
      }
    }
    return csv_of(head, rows);
  }
  head = {"id",  "task",   "method",      "setting",    "parameters", "seed",    "status",    "reason",   "attempts",
          "end", "epochs", "first_epoch", "best_epoch", "seconds",    "started", "selection", "violation"};
  std::set<std::string> metrics;
  for (json trial : trials) {
    for (const char* split : {"validation", "test", kAgainstEqualWeight}) {
      const json values = trial.value(split, json::object());
      for (const auto& [name, value] : values.items()) {
        metrics.insert(std::string(split) + "." + name);
        trial[std::string(split) + "." + name] = value;
      }
    }
    rows.push_back(std::move(trial));
  }
  head.insert(head.end(), metrics.begin(), metrics.end());
  head.insert(head.end(), {"version", "machine", "configuration", "config", "data"});
  return csv_of(head, rows);
}

ExitCode export_all(const ResultsArguments& arguments) {
  const std::string kind = std::filesystem::path(arguments.out).extension();
  if (kind != ".csv" && kind != ".json" && kind != ".parquet") {
    throw BadInput("--out " + arguments.out + ": expected a name that ends in .csv, .json or .parquet");
  }
  ResultsStore store = opened(arguments);
  std::vector<json> trials;
  store.each(arguments.filter, arguments.epochs, [&](const json& trial) { trials.push_back(trial); });
  if (kind == ".json") {
    write_file(arguments.out, json(trials).dump() + "\n");
  } else if (kind == ".csv") {
    write_file(arguments.out, trials_csv(trials, arguments.epochs));
  } else {
    write_parquet(arguments.out, trials_csv(trials, arguments.epochs));
  }
  return ExitCode::done;
}

ExitCode merge(const ResultsArguments& arguments) {
  const std::filesystem::path folder = trainings_folder(arguments.store);
  make_folder(folder);
  const FolderLock lock(folder);
  ResultsStore store(arguments.store, SqliteFile::Access::write);
  for (const std::string& other : arguments.others) {
    const MergeCount count = store.merge(other);
    tell(fmt::format("{}: {} trials added, {} were there already{}", other, count.added, count.same + count.different,
                     count.different > 0 ? fmt::format(", {} of them with other numbers: those of {} are kept",
                                                       count.different, arguments.store)
                                         : ""));
  }
  return ExitCode::done;
}

}  // namespace

void add_results_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<ResultsArguments>();
  CLI::App& results =
      *program.add_subcommand("results", "The store of a sweep: list, show, files, best, export, merge");
  results.require_subcommand(1);
  results.footer(kResultsExamples);
  const auto add = [&](const char* name, const char* help, ExitCode (*action)(const ResultsArguments&)) -> CLI::App& {
    CLI::App& command = *results.add_subcommand(name, help);
    command.add_option("--store", arguments->store, "SQLite file of the results")->type_name("FILE")->required();
    command.callback([arguments, action, &chosen] { chosen = [arguments, action] { return action(*arguments); }; });
    return command;
  };
  const auto add_filter = [&](CLI::App& command) {
    command.add_option("--method", arguments->filter.method, "Only trials of this method");
    command.add_option("--status", arguments->filter.status, "Only trials with this status")
        ->check(one_of({"finished", "failed"}));
  };
  CLI::App& listed = add("list", "One line for each trial", list);
  add_filter(listed);
  add_format(listed, arguments->format);
  CLI::App& shown =
      add("show", "Everything about one trial, as JSON: configuration, metrics, every epoch, its files", show);
  const auto add_id = [&](CLI::App& command) {
    command.add_option("id", arguments->id, "Number of the trial in `results list`")->type_name("ID")->required();
  };
  add_id(shown);
  add_format(shown, arguments->format);
  CLI::App& written =
      add("files", "Write the decisions and outcomes of one trial, as `softradial train` does", write_files);
  add_id(written);
  written.add_option("--out", arguments->out, "Folder for decisions.csv, outcomes.csv and, for dispatch, zones.csv")
      ->type_name("DIR")
      ->required();
  CLI::App& chosen_ones =
      add("best", "The chosen configuration of every setting and method, with its results on test", best);
  add_format(chosen_ones, arguments->format);
  CLI::App& exported = add("export", "All trials as a table", export_all);
  add_filter(exported);
  exported.add_option("--out", arguments->out, "Output file: .csv, .json or .parquet")->type_name("FILE")->required();
  exported.add_flag("--epochs", arguments->epochs, "Write the metrics of every epoch instead (in JSON: in addition)");
  CLI::App& merged = add("merge", "Add the trials of other stores", merge);
  merged.add_option("others", arguments->others, "Stores to read")->type_name("FILE...")->required();
}

}  // namespace softradial::program
