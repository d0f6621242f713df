#include "train/sweep_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "files/durable_file.hpp"
#include "runs/provenance.hpp"
#include "sweep/local_workers.hpp"
#include "sweep/mpi_workers.hpp"
#include "sweep/scheduler.hpp"
#include "sweep/summary.hpp"
#include "sweep/trainer.hpp"
#include "sweep/trial_list.hpp"
#include "train/commands.hpp"
#include "train/sweep_progress.hpp"
#include "train/sweep_table.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;

constexpr std::chrono::milliseconds kTablesPoll{1};

LocalWorkers::Train trainer_of(const SweepData& data) {
  return std::visit(
      [](const auto& shared) -> LocalWorkers::Train {
        return [shared](const TrialOrder& order, const TrainingHooks& hooks) {
          return train_order(order, *shared, hooks);
        };
      },
      data);
}

// The data for orders of both tasks. Each order names its data, which are then read.
struct AnyData {
  std::shared_ptr<StudyData<PortfolioConfig>> portfolio;
  std::shared_ptr<StudyData<DispatchConfig>> dispatch;

  explicit AnyData(const std::function<void(const std::string&)>& warn)
      : portfolio(std::make_shared<StudyData<PortfolioConfig>>(warn)),
        dispatch(std::make_shared<StudyData<DispatchConfig>>(warn)) {}
};

LocalWorkers::Train trainer_of(const AnyData& data) {
  return [portfolio = data.portfolio, dispatch = data.dispatch](const TrialOrder& order, const TrainingHooks& hooks) {
    return order.config.at("task") == KindOf<PortfolioConfig>::kName ? train_order(order, *portfolio, hooks)
                                                                     : train_order(order, *dispatch, hooks);
  };
}

// The first process of each machine reads the tables and hands them to the others there. If it cannot, each process tries for
// itself, and trials fail with the reason.
template <class Config>
void read_once_on_node(StudyData<Config>& data, const std::vector<std::string>& tables, MpiRanks& ranks) {
  for (const std::string& name : tables) {
    std::string bytes;
    if (ranks.is_first_on_node()) {
      try {
        bytes = data.table_bytes(name);
      } catch (const DataError&) {
        bytes.clear();
      }
    }
    bytes = ranks.from_first_on_node(std::move(bytes));
    if (!ranks.is_first_on_node() && !bytes.empty()) data.take_table(name, bytes);
  }
}

// Rank 0 tells the others which tables the sweep has.
void hand_out_tables(const SweepData& data, MpiRanks& ranks) {
  std::visit(
      [&]<class Config>(const std::shared_ptr<StudyData<Config>>& shared) {
        const std::vector<std::string> tables = shared->tables();
        const nlohmann::json message = {{"task", KindOf<Config>::kName}, {"tables", tables}};
        for (int rank = 1; rank < ranks.size(); ++rank) {
          ranks.send(rank, MpiRanks::Tag::tables, nlohmann::json::to_cbor(message));
        }
        read_once_on_node(*shared, tables, ranks);
      },
      data);
}

// Returns false if the sweep is over before it has begun.
bool take_tables(const AnyData& data, MpiRanks& ranks) {
  while (true) {
    const auto received = ranks.receive();
    if (!received) {
      std::this_thread::sleep_for(kTablesPoll);
    } else if (received->tag == MpiRanks::Tag::end) {
      return false;
    } else if (received->tag == MpiRanks::Tag::tables) {
      const nlohmann::json message = nlohmann::json::from_cbor(received->message);
      if (message.at("task") == KindOf<PortfolioConfig>::kName) {
        read_once_on_node(*data.portfolio, message.at("tables"), ranks);
      } else {
        read_once_on_node(*data.dispatch, message.at("tables"), ranks);
      }
      return true;
    }
  }
}

// The number of trials at a time in this process. Ranks on one machine share its cores.
int jobs_of(const SweepArguments& arguments, const MpiRanks* ranks) {
  return jobs_or_default(arguments.jobs, ranks != nullptr ? ranks->trainers_on_node() : 1);
}

std::unique_ptr<Workers> workers_of(const SweepArguments& arguments, const LocalWorkers::Train& train,
                                    MpiRanks* ranks) {
  std::unique_ptr<LocalWorkers> own;
  if (ranks == nullptr || ranks->trains()) own = std::make_unique<LocalWorkers>(jobs_of(arguments, ranks), train);
  if (ranks == nullptr) return own;
  // Printed at the beginning: a failure that ends a rank may end this one before it could print anything.
  std::string command = fmt::format("mpirun -n {} softradial", ranks->size());
  for (const std::string& word : words_to_go_on(arguments)) command += " " + word;
  tell("if a process dies, what has finished is saved, and this goes on: " + command);
  return std::make_unique<MpiWorkers>(*ranks, std::move(own));
}

SweepEnd train_missing(const SweepPlan& plan, const LocalWorkers::Train& train, ResultsStore& store,
                       const SweepArguments& arguments, MpiRanks* ranks) {
  const StopOnSignal stop;
  // Erases its lines from the terminal before anything else is printed there.
  SweepView view(arguments.format == Format::json && isatty(STDOUT_FILENO) != 0);
  const std::unique_ptr<Workers> workers = workers_of(arguments, train, ranks);
  return run_sweep(plan, store, *workers, arguments.retry_failed,
                   {.progress = [&](const SweepProgress& progress) { view.show(progress); }, .stop = &stop.flag()});
}

void refuse_unfinished(const SweepEnd& end, const SweepArguments& arguments,
                       const std::string& again = "the same command with --resume") {
  if (!end.write_error.empty()) throw InternalFailure(end.write_error);
  if (end.interrupted) {
    throw Interrupted("; " + std::to_string(end.trained) + " trials were added to " + arguments.store + ", and " +
                      again + " goes on");
  }
}

// The work of all ranks but the first, from which they get their orders.
ExitCode train_for_others(const SweepArguments& arguments, MpiRanks& ranks) {
  const StopOnSignal stop;
  const AnyData data([](const std::string& /*rank 0 tells it*/) {});
  if (!take_tables(data, ranks)) return ExitCode::done;
  LocalWorkers workers(jobs_of(arguments, &ranks), trainer_of(data));
  serve_orders(ranks, workers, stop.flag());
  return ExitCode::done;
}

// Makes the folder for the lock.
std::filesystem::path made_folder(const std::string& store) {
  std::filesystem::path folder = trainings_folder(store);
  make_folder(folder);
  return folder;
}

}  // namespace

WritableStore::WritableStore(const std::string& file, bool resume)
    : lock_(made_folder(file)), store_(file, SqliteFile::Access::write) {
  if (store_.has_trials() && !resume) {
    throw BadInput(file + ": holds trials already; --resume keeps them and trains what is missing");
  }
  store_.begin_session({{"version", program_version()}, {"machine", this_machine()}, {"started", utc_now()}});
}

void WritableStore::add_groups(const SweepPlan& plan) {
  std::vector<StoredGroup> groups;
  std::vector<Configuration> configurations;
  for (const Group& group : plan.groups) {
    groups.push_back(stored(plan, group));
    configurations.insert(configurations.end(), group.candidates.begin(), group.candidates.end());
  }
  store_.add_groups(groups, configurations);
}

void train_missing_here(const Sweep& sweep, WritableStore& store, const SweepArguments& arguments) {
  refuse_unfinished(train_missing(sweep.plan, trainer_of(sweep.data), store.get(), arguments, nullptr), arguments,
                    "the same command");
}

nlohmann::json report_of_group(ResultsStore& store, const SweepPlan& plan, const Group& group) {
  auto report = chosen_of(store, stored(plan, group), store.results());
  if (!report) {
    throw InternalFailure(group.setting + ", " + group.method +
                          ": no trial has finished; softradial results list --store " + store.path().string() +
                          " --status failed says why");
  }
  return *report;
}

ExitCode report_sweep(ResultsStore& store, const SweepPlan& plan, Format format) {
  // The store may also hold other sweeps.
  std::vector<nlohmann::json> own;
  for (nlohmann::json& group : summary_of(store)) {
    if (group.at("sweep") == plan.name) own.push_back(std::move(group));
  }
  print_summary(own, format);
  if (format == Format::text)
    tell(fmt::format("to look at: softradial report {} -o report.html", store.path().string()));
  const TrialResults results = store.results();
  std::size_t failed = 0;
  for (const Group& group : plan.groups) failed += next_stage(group, plan.search, results).failed;
  if (failed == 0) return ExitCode::done;
  tell(fmt::format("{} trials failed: softradial results list --store {} --status failed says why", failed,
                   store.path().string()));
  return ExitCode::answer_is_no;
}

std::vector<std::string> words_to_go_on(const SweepArguments& arguments) {
  std::vector<std::string> words = {"sweep", arguments.file, "--store", arguments.store, "--resume"};
  const auto add = [&](const char* flag, const std::string& value) { words.insert(words.end(), {flag, value}); };
  if (!arguments.choice.data.empty()) add("--data", arguments.choice.data);
  if (arguments.choice.count) add("--random", std::to_string(*arguments.choice.count));
  if (arguments.choice.seed) add("--random-seed", std::to_string(*arguments.choice.seed));
  if (arguments.choice.decisions) add("--decisions", word_of(*arguments.choice.decisions));
  if (arguments.jobs) add("--jobs", std::to_string(*arguments.jobs));
  return words;
}

ExitCode run_sweep_here(const SweepArguments& arguments) {
  const std::unique_ptr<MpiRanks> ranks = MpiRanks::join();
  if (ranks && ranks->rank() > 0) return train_for_others(arguments, *ranks);
  const Sweep sweep = read_sweep(arguments.file, arguments.choice);
  WritableStore store(arguments.store, arguments.resume);
  store.add_groups(sweep.plan);
  if (ranks) hand_out_tables(sweep.data, *ranks);
  const SweepEnd end = train_missing(sweep.plan, trainer_of(sweep.data), store.get(), arguments, ranks.get());
  const ExitCode code = report_sweep(store.get(), sweep.plan, arguments.format);
  refuse_unfinished(end, arguments);
  return code;
}

ExitCode run_sweep_part(const SweepArguments& arguments) {
  const SweepPlan plan = part_of_list(arguments.file, arguments.part->index, arguments.part->count);
  WritableStore store(arguments.store, arguments.resume);
  const auto warn = [](const std::string& warning) { tell("warning: " + warning); };
  refuse_unfinished(train_missing(plan, trainer_of(AnyData(warn)), store.get(), arguments, nullptr), arguments);
  return ExitCode::done;
}

}  // namespace softradial::program
