#include "sweep/simulation.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <utility>

#include "sweep/scheduler.hpp"

namespace softradial::study {
namespace {

constexpr const char* kCopy = "copy";  // the field that tells the copies of a configuration apart

// An outcome as large as a real one. An unrecorded validation is an arbitrary number that depends on the configuration alone.
TrialOutcome outcome_of(const Configuration& configuration, const TrialOrder& order, const TrialResults& results) {
  TrialOutcome out;
  out.end = "finished";
  out.epochs = configuration.epochs();
  const auto found = results.find({configuration.key, order.config.at("seed").get<std::uint64_t>()});
  out.selection = found != results.end()
                      ? found->second.selection
                      : static_cast<double>(std::hash<std::string>()(configuration.key) % 1000000) / 1e6;
  for (const char* split : {"validation", "test"}) {
    for (const char* name : {"sharpe", "turnover", "annual_return", "annual_volatility", "max_drawdown"}) {
      out.metrics.push_back({split, name, out.selection});
    }
  }
  out.history.assign(static_cast<std::size_t>(out.epochs), {out.selection, out.selection});
  return out;
}

// A chain of trials that must follow each other: in a grid, the slowest candidate and then the chosen one with another seed.
// The chosen one may be the fastest, and a halving may keep only that.
double longest_chain(const SweepPlan& plan, const RecordedTrials& recorded) {
  double longest = 0;
  for (const Group& group : plan.groups) {
    double slowest = 0;
    double fastest = std::numeric_limits<double>::infinity();
    for (const Configuration& each : group.candidates) {
      slowest = std::max(slowest, recorded.seconds(each));
      fastest = std::min(fastest, recorded.seconds(each));
    }
    const double first = plan.search.kind == SearchKind::halving ? fastest : slowest;
    longest = std::max(longest, first + (group.seeds > 1 ? fastest : 0));
  }
  return longest;
}

// The store of a simulation, with the files that SQLite puts beside it.
class TemporaryStore {
 public:
  explicit TemporaryStore(std::filesystem::path file) : file_(std::move(file)) { remove(); }
  ~TemporaryStore() { remove(); }
  TemporaryStore(const TemporaryStore&) = delete;
  TemporaryStore& operator=(const TemporaryStore&) = delete;

 private:
  void remove() const {
    std::error_code ignored;
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(file_.string() + end, ignored);
    std::filesystem::remove_all(trainings_folder(file_), ignored);
  }
  std::filesystem::path file_;
};

}  // namespace

SimulatedWorkers::SimulatedWorkers(int count, Train train, Stopwatch elapsed)
    : train_(std::move(train)), elapsed_(std::move(elapsed)), outcomes_(static_cast<std::size_t>(count)) {
  static_cast<void>(elapsed_());
}

void SimulatedWorkers::count_scheduler() {
  const double worked = elapsed_();
  clock_ += worked;
  scheduler_ += worked;
}

void SimulatedWorkers::begin(int worker, TrialOrder order) {
  count_scheduler();
  Trial trial = train_(order);
  outcomes_[static_cast<std::size_t>(worker)] = std::move(trial.outcome);
  running_.push_back({.end = clock_ + trial.seconds, .worker = worker});
  std::ranges::push_heap(running_, std::greater<>());
  begun_.push_back(trial.seconds);
  static_cast<void>(elapsed_());
}

std::vector<WorkerEvent> SimulatedWorkers::wait(std::chrono::milliseconds /*most*/) {
  count_scheduler();
  std::vector<WorkerEvent> events;
  if (!running_.empty()) clock_ = std::max(clock_, running_.front().end);
  while (!running_.empty() && running_.front().end <= clock_) {
    std::ranges::pop_heap(running_, std::greater<>());
    const int worker = running_.back().worker;
    running_.pop_back();
    events.push_back({.kind = WorkerEvent::Kind::finished,
                      .worker = worker,
                      .epoch = 0,
                      .outcome = std::move(outcomes_[static_cast<std::size_t>(worker)])});
  }
  static_cast<void>(elapsed_());
  return events;
}

double RecordedTrials::seconds(const Configuration& configuration) const {
  const auto found = paces.find(configuration.key);
  const double pace = found != paces.end() ? found->second : times.seconds_per_epoch(shape_of(configuration));
  return static_cast<double>(configuration.epochs()) * pace;
}

RecordedTrials recorded_trials(ResultsStore& store) {
  RecordedTrials recorded{.times = {}, .paces = {}, .results = store.results()};
  store.each_duration([&](const Configuration& configuration, std::int64_t epochs, double seconds) {
    recorded.times.record(shape_of(configuration), epochs, seconds);
    if (epochs > 0) recorded.paces[configuration.key] = seconds / static_cast<double>(epochs);
  });
  return recorded;
}

SimulationResult simulate(const SweepPlan& plan, const RecordedTrials& recorded, int workers,
                          const std::filesystem::path& file, Stopwatch elapsed) {
  std::map<std::string, std::shared_ptr<const Problem>> problems;
  for (const Group& group : plan.groups)
    problems[group.candidates.front().problem->key] = group.candidates.front().problem;
  const auto train = [&](const TrialOrder& order) {
    nlohmann::json config = order.config;
    config.erase(kCopy);
    const Configuration configuration = configuration_of(problems.at(order.problem), std::move(config), {}, {});
    SimulatedWorkers::Trial trial{.seconds = recorded.seconds(configuration),
                                  .outcome = outcome_of(configuration, order, recorded.results)};
    trial.outcome.seconds = trial.seconds;
    return trial;
  };
  const TemporaryStore temporary(file);
  ResultsStore store(file, SqliteFile::Access::write);
  store.begin_session({{"version", ""}, {"machine", nlohmann::json::object()}, {"started", ""}});
  SimulatedWorkers simulated(workers, train, std::move(elapsed));
  const SweepEnd end = run_sweep(plan, store, simulated, false);
  const double trained = std::accumulate(simulated.begun().begin(), simulated.begun().end(), 0.0);
  return {.workers = workers,
          .trials = end.trained,
          .seconds = simulated.seconds(),
          .ideal_seconds = std::max(trained / workers, longest_chain(plan, recorded)),
          .trained_seconds = trained,
          .scheduler_seconds = simulated.scheduler_seconds()};
}

SweepPlan copies_of(const SweepPlan& plan, int copies) {
  SweepPlan out{.name = plan.name, .search = plan.search, .groups = {}};
  for (int copy = 0; copy < copies; ++copy) {
    for (Group group : plan.groups) {
      for (Configuration& each : group.candidates) {
        nlohmann::json config = std::move(each.config);
        config[kCopy] = copy;
        each = configuration_of(each.problem, std::move(config), each.setting, each.parameters);
      }
      out.groups.push_back(std::move(group));
    }
  }
  return out;
}

Stopwatch real_stopwatch() {
  return [last = std::chrono::steady_clock::now()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last, now)).count();
  };
}

}  // namespace softradial::study
