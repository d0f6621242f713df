#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "learning/learn.hpp"
#include "number_option.hpp"
#include "outcome.hpp"
#include "output_file.hpp"
#include "runs/trial_report.hpp"
#include "softradial/errors.hpp"
#include "train/commands.hpp"
#include "train/work_progress.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;
using nlohmann::json;

constexpr const char* kLearnExamples = R"(Examples:
  softradial compare --learn
  softradial compare --learn --tasks dc3,mpc --method soft_radial,soft_orthogonal,orthogonal --epochs 20
  softradial compare --learn --tasks linear --seeds 3 --format markdown

A network of two hidden layers is trained through each layer, the same draw, budget and seeds for all; its decisions on new
inputs are compared with the optimum. gap: mean and deviation over the seeds. violating: rows of the test with an inequality
that does not hold, of the last seed, and by how much. Tasks and references: docs/benchmarks.md; what to choose when:
docs/choosing.md.)";

struct LearnArguments {
  std::vector<std::string> tasks = learning_task_names();
  std::vector<std::string> methods = {"soft_radial", "gauge_map", "soft_orthogonal", "mirror", "orthogonal",
                                      "rayen",       "dc3",       "hardnet"};
  std::optional<int> epochs;
  int seeds = 1;
  std::uint64_t seed = 0;
  std::uint64_t world = 1;
  int threads = 1;
  bool learn = false;  // the flag that leads here
  Format format = Format::text;
};

// One method on one task: the results of all seeds, or the reason why there are none.
struct Row {
  std::string method;
  std::vector<Learned> seeds;
  std::string refused;
};

struct Block {
  LearningTask task;
  std::vector<Row> rows;
};

Row learned(const LearnArguments& arguments, const LearningTask& task, const std::string& method, WorkProgress& bar,
            const std::atomic<bool>& stop) {
  Row row{method, {}, ""};
  bar.begin(task.name + ", " + method, arguments.seeds);
  for (int k = 0; k < arguments.seeds && !stop.load(); ++k) {
    LearnOptions options{
        .epochs = arguments.epochs.value_or(0), .seed = arguments.seed + static_cast<std::uint64_t>(k), .stop = &stop};
    options.progress = [&](int epoch, int epochs, double loss) {
      bar.show(k, study::Progress{.epoch = epoch, .epochs = epochs, .loss = loss, .validation = -loss});
    };
    try {
      row.seeds.push_back(learn(task, method_named(method), options));
    } catch (const InvalidSet& error) {
      row.refused = error.what();
      return row;
    }
  }
  return row;
}

MeanAndStd gap_of(const Row& row) {
  std::vector<double> gaps;
  for (const Learned& each : row.seeds) gaps.push_back(each.gap);
  return mean_and_std(gaps);
}

TextTable table_of(const Block& block) {
  TextTable table = {{"method", "gap", "violating", "worst", "equalities", "s/epoch", "ms/test"}};
  for (const Row& row : block.rows) {
    if (row.seeds.empty()) {
      table.push_back({row.method, "-", "-", "-", "-", "-", "-"});
      continue;
    }
    const MeanAndStd gap = gap_of(row);
    const Learned& last = row.seeds.back();
    table.push_back(
        {row.method,
         row.seeds.size() > 1 ? fmt::format("{:.4f} +- {:.4f}", gap.mean, gap.std) : fmt::format("{:.4f}", gap.mean),
         fmt::format("{} of {}", last.rows_violating, last.rows), fmt::format("{:.0e}", last.violation),
         fmt::format("{:.0e}", last.equality), fmt::format("{:.2f}", last.seconds_per_epoch),
         fmt::format("{:.1f}", last.milliseconds)});
  }
  return table;
}

json as_json(const std::vector<Block>& blocks) {
  json all = json::array();
  for (const Block& block : blocks) {
    json task = {{"task", block.task.name}, {"what", block.task.what}, {"measure", block.task.measure}};
    for (const Row& row : block.rows) {
      json entry = {{"method", row.method}, {"seeds", json::array()}};
      if (!row.refused.empty()) entry["refused"] = row.refused;
      for (const Learned& each : row.seeds) {
        entry["seeds"].push_back({{"gap", each.gap},
                                  {"rows_violating", each.rows_violating},
                                  {"rows", each.rows},
                                  {"violation", each.violation},
                                  {"equality", each.equality},
                                  {"seconds_per_epoch", each.seconds_per_epoch},
                                  {"milliseconds", each.milliseconds}});
      }
      task["methods"].push_back(std::move(entry));
    }
    all.push_back(std::move(task));
  }
  return all;
}

// Recommends the layer with the smallest gap among those without violations.
std::string advice(const Block& block) {
  const Row* best = nullptr;
  for (const Row& row : block.rows) {
    if (row.seeds.empty()) continue;
    bool strict = true;
    for (const Learned& each : row.seeds) strict = strict && each.rows_violating == 0;
    if (strict && (best == nullptr || gap_of(row).mean < gap_of(*best).mean)) best = &row;
  }
  return best == nullptr ? "every layer violates something here\n"
                         : fmt::format("smallest gap without a violation: {}\n", best->method);
}

void print(const std::vector<Block>& blocks, Format format) {
  OutputFile out(STDOUT_FILENO);
  if (format == Format::json) {
    out.append(as_json(blocks).dump(2) + "\n");
  } else {
    for (const Block& block : blocks) {
      out.append(fmt::format("{}: {}; {}\n", block.task.name, block.task.what, block.task.measure));
      if (!block.task.published.empty()) out.append("published: " + block.task.published + "\n");
      const bool markdown = format == Format::markdown;
      out.append((markdown ? "\n" : "") + table_text(table_of(block), markdown) + (markdown ? "\n" : ""));
      out.append(advice(block) + "\n");
    }
  }
  out.finish();
}

ExitCode compare_learning(const LearnArguments& arguments) {
  at::set_num_threads(arguments.threads);
  const StopOnSignal stop;
  std::vector<Block> blocks;
  {
    const auto trainings = static_cast<int>(arguments.tasks.size() * arguments.methods.size()) * arguments.seeds;
    WorkProgress bar(trainings, false);
    for (const std::string& name : arguments.tasks) {
      blocks.push_back({learning_task(name, arguments.world), {}});
      for (const std::string& method : arguments.methods) {
        if (stop.flag().load()) break;
        blocks.back().rows.push_back(learned(arguments, blocks.back().task, method, bar, stop.flag()));
      }
      if (stop.flag().load()) break;
    }
  }
  print(blocks, arguments.format);
  for (const Block& block : blocks) {
    for (const Row& row : block.rows) {
      if (!row.refused.empty()) tell(fmt::format("{}, {}: {}", block.task.name, row.method, row.refused));
    }
  }
  if (!stop.flag().load()) return ExitCode::done;
  tell("interrupted: the last row is that of a training that did not end");
  return ExitCode::interrupted;
}

}  // namespace

void add_learn_command(CLI::App& program, Action& chosen) {
  const auto arguments = std::make_shared<LearnArguments>();
  const std::vector<std::string_view> names = method_names();
  CLI::App& command = *program.add_subcommand("compare", "How well networks learn through every constraint layer");
  command.footer(kLearnExamples);
  command.add_flag("--learn", arguments->learn, "Train through the layers (without it: measure the layers themselves)")
      ->required();
  command.add_option("--tasks", arguments->tasks, "Tasks, separated by commas")
      ->delimiter(',')
      ->check(one_of(learning_task_names()))
      ->capture_default_str()
      ->type_name("NAME");
  command.add_option("--method,--methods", arguments->methods, "Methods, separated by commas")
      ->delimiter(',')
      ->check(one_of({names.begin(), names.end()}))
      ->capture_default_str()
      ->type_name("NAME");
  add_number(command, "--epochs", arguments->epochs, at_least_1_up_to(1e6),
             "Epochs of each training (default: a quick comparison, 3 to 5 by task)");
  add_number(command, "--seeds", arguments->seeds, at_least_1_up_to(1000), "Trainings per method, consecutive seeds");
  add_number(command, "--seed", arguments->seed, kSeed, "First seed");
  add_number(command, "--world", arguments->world, kSeed, "Seed for the draw of the problems themselves");
  add_number(command, "--threads", arguments->threads, at_least_1_up_to(1024), "Number of threads");
  add_format(command, arguments->format);
  command.callback([arguments, &chosen] { chosen = [arguments] { return compare_learning(*arguments); }; });
}

}  // namespace softradial::program
