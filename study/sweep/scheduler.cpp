#include "sweep/scheduler.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "files/durable_file.hpp"
#include "files/errors.hpp"
#include "sweep/trial_times.hpp"

namespace softradial::study {
namespace {

// The longest sleep of the scheduler: it looks at the stop flag this often.
constexpr std::chrono::milliseconds kTick{100};

// A trial that could be trained now.
struct Waiting {
  std::size_t group = 0;
  PlannedTrial trial;
  TrialShape shape = {};
  std::int64_t epochs_after = 0;  // Stage::epochs_after
  double seconds = 0;             // until the group could be done, if it never had to wait
};

// Waiting trials, the one with the longest way ahead first; in a tie, the first in the plan.
class Queue {
 public:
  [[nodiscard]] bool empty() const { return trials_.empty(); }
  void push(Waiting trial) { trials_.emplace(std::pair(-trial.seconds, count_++), std::move(trial)); }
  Waiting pop() { return std::move(trials_.extract(trials_.begin()).mapped()); }
  // Sorts the trials again by the function `seconds`.
  template <class Seconds>
  void reorder(const Seconds& seconds) {
    std::map<std::pair<double, std::size_t>, Waiting> again;
    for (auto& [place, trial] : trials_) {
      trial.seconds = seconds(trial);
      again.emplace(std::pair(-trial.seconds, place.second), std::move(trial));
    }
    trials_ = std::move(again);
  }

 private:
  std::map<std::pair<double, std::size_t>, Waiting> trials_;
  std::size_t count_ = 0;
};

struct GroupState {
  std::size_t waiting = 0;
  bool done = false;
  std::map<std::string, TrialShape> shapes;  // shapes of its candidates, each once
  double seconds_per_epoch = 0;              // for its slowest candidate
  double trained_seconds = 0;                // in this call
  double trained_epochs = 0;
};

struct Running {
  std::size_t group = 0;
  PlannedTrial trial;
  double first_epoch = -1;  // epochs done before the first report
  double done = 0;          // epochs done since then
};

class Scheduler {
 public:
  Scheduler(const SweepPlan& plan, ResultsStore& store, Workers& workers, const SweepHooks& hooks)
      : plan_(plan),
        store_(store),
        workers_(workers),
        hooks_(hooks),
        folder_(trainings_folder(store.path())),
        states_(plan.groups.size()),
        running_(static_cast<std::size_t>(workers.count())) {
    for (const Group& group : plan.groups) {
      progress_.groups.push_back({.group = &group, .trials = size_of(group, plan.search).trials});
    }
  }

  SweepEnd run(bool retry_failed) {
    make_folder(folder_);
    results_ = store_.results();
    if (retry_failed) std::erase_if(results_, [](const auto& each) { return each.second.failed; });
    bar_.emplace(plan_, results_);
    store_.each_duration([&](const Configuration& configuration, std::int64_t epochs, double seconds) {
      times_.record(shape_of(configuration), epochs, seconds);
    });
    for (std::size_t g = 0; g < states_.size(); ++g) refill(g);
    bool told = false;
    while (true) {
      const bool stopped = hooks_.stop != nullptr && hooks_.stop->load();
      if (stopped && !told) workers_.interrupt();
      told = stopped;
      if (!stopped) hand_out();
      if (std::ranges::none_of(running_, [](const auto& each) { return each.has_value(); })) {
        end_.interrupted = stopped && !all_done();
        break;
      }
      take(workers_.wait(kTick));
      show();
    }
    save();
    for (const GroupProgress& group : progress_.groups) end_.failed += group.failed;
    return end_;
  }

 private:
  [[nodiscard]] bool all_done() const {
    return std::ranges::all_of(states_, [](const GroupState& state) { return state.done; });
  }

  [[nodiscard]] std::filesystem::path checkpoint_of(const Configuration& configuration, std::uint64_t seed) const {
    return folder_ / (training_key(configuration, seed) + ".safetensors");
  }

  void forget_checkpoint(const Configuration& configuration, std::uint64_t seed) const {
    std::error_code ignored;
    std::filesystem::remove(checkpoint_of(configuration, seed), ignored);
  }

  // Asks the plan for the next stage of a group that has nothing waiting or running.
  void refill(std::size_t g) {
    const Group& group = plan_.groups[g];
    Stage stage = next_stage(group, plan_.search, results_);
    GroupProgress& progress = progress_.groups[g];
    progress.done = stage.trials_done;
    progress.epochs_left = static_cast<double>(size_of(group, plan_.search).epochs - stage.epochs_done);
    progress.failed = stage.failed;
    progress.best = std::max(progress.best, stage.best);
    GroupState& state = states_[g];
    state.waiting = stage.missing.size();
    if (state.waiting > 0) {
      for (const Configuration& each : group.candidates) {
        TrialShape shape = shape_of(each);
        state.shapes.emplace(shape.key, shape);
      }
      state.seconds_per_epoch = slowest_epoch(state);
      for (PlannedTrial& trial : stage.missing) {
        Waiting waiting{.group = g, .trial = std::move(trial), .epochs_after = stage.epochs_after};
        waiting.shape = shape_of(waiting.trial.configuration);
        waiting.seconds = seconds_ahead(waiting);
        queue_.push(std::move(waiting));
      }
      return;
    }
    state.done = true;
    progress.trials = progress.done;
    progress.epochs_left = 0;
    // Removes checkpoints, also those that a killed process left behind. A result that is not saved yet still needs its own.
    if (!unsaved_.empty()) return;
    for (const Configuration& each : group.candidates) {
      for (int k = 0; k < group.seeds; ++k) forget_checkpoint(each, group.first_seed + static_cast<std::uint64_t>(k));
    }
  }

  [[nodiscard]] double slowest_epoch(const GroupState& state) const {
    double most = 0;
    for (const auto& [key, shape] : state.shapes) most = std::max(most, times_.seconds_per_epoch(shape));
    return most;
  }

  // The trial itself, and what can only begin after it: longer trainings of the best, the other seeds of the chosen one.
  [[nodiscard]] double seconds_ahead(const Waiting& waiting) const {
    return static_cast<double>(waiting.trial.epochs) * times_.seconds_per_epoch(waiting.shape) +
           static_cast<double>(waiting.epochs_after) * states_[waiting.group].seconds_per_epoch;
  }

  // The next trial that is neither trained nor in training. Groups may share trials: a trial that another group is training
  // waits until that one has ended.
  std::optional<Running> next() {
    while (!queue_.empty()) {
      Waiting waiting = queue_.pop();
      const TrialId id{waiting.trial.configuration.key, waiting.trial.seed};
      if (in_flight_.contains(id)) {
        elsewhere_.emplace(id, std::move(waiting));
        continue;
      }
      GroupState& state = states_[waiting.group];
      --state.waiting;
      if (!results_.contains(id)) return Running{.group = waiting.group, .trial = std::move(waiting.trial)};
      if (state.waiting == 0 && progress_.groups[waiting.group].running == 0) refill(waiting.group);
    }
    return std::nullopt;
  }

  void hand_out() {
    for (std::size_t w = 0; w < running_.size(); ++w) {
      if (running_[w]) continue;
      running_[w] = next();
      if (!running_[w]) return;
      const PlannedTrial& trial = running_[w]->trial;
      in_flight_.insert({trial.configuration.key, trial.seed});
      ++progress_.groups[running_[w]->group].running;
      workers_.begin(static_cast<int>(w), {.config = config_with_seed(trial.configuration, trial.seed),
                                           .problem = trial.configuration.problem->key,
                                           .checkpoint = checkpoint_of(trial.configuration, trial.seed),
                                           .record_from = bar_->of({trial.configuration.key, trial.seed})});
    }
  }

  void take(std::vector<WorkerEvent> events) {
    std::set<std::size_t> touched;
    for (WorkerEvent& event : events) {
      std::optional<Running>& place = running_[static_cast<std::size_t>(event.worker)];
      if (event.kind == WorkerEvent::Kind::epoch) {
        const auto epoch = static_cast<double>(event.epoch);
        if (place->first_epoch < 0) place->first_epoch = epoch - 1;
        place->done = epoch - place->first_epoch;
        continue;
      }
      Running ended = *std::exchange(place, std::nullopt);
      const TrialId id{ended.trial.configuration.key, ended.trial.seed};
      in_flight_.erase(id);
      for (auto [each, last] = elsewhere_.equal_range(id); each != last; each = elsewhere_.erase(each)) {
        queue_.push(std::move(each->second));
      }
      touched.insert(ended.group);
      --progress_.groups[ended.group].running;
      if (event.kind == WorkerEvent::Kind::finished) finish(std::move(ended), std::move(*event.outcome));
    }
    if (touched.empty()) return;
    save();
    if (is_new_shape_) reorder();
    for (const std::size_t g : touched) {
      if (states_[g].waiting == 0 && progress_.groups[g].running == 0) refill(g);
    }
  }

  // Sorts the waiting trials by the times known now.
  void reorder() {
    for (GroupState& state : states_) {
      if (state.waiting > 0) state.seconds_per_epoch = slowest_epoch(state);
    }
    queue_.reorder([&](const Waiting& waiting) { return seconds_ahead(waiting); });
    is_new_shape_ = false;
  }

  void finish(Running ended, TrialOutcome outcome) {
    const TrialResult result{.failed = outcome.failed(), .selection = outcome.selection};
    const TrialId id{ended.trial.configuration.key, ended.trial.seed};
    results_[id] = result;
    bar_->take(id, result);
    GroupProgress& progress = progress_.groups[ended.group];
    GroupState& state = states_[ended.group];
    ++end_.trained;
    ++progress.done;
    progress.failed += result.failed ? 1 : 0;
    if (!result.failed && ended.trial.seed == plan_.groups[ended.group].first_seed) {
      progress.best = std::max(progress.best, result.selection);
    }
    const auto trained = static_cast<double>(outcome.epochs - outcome.first_epoch);
    progress.epochs_left = std::max(0.0, progress.epochs_left - std::max(trained, ended.done));
    state.trained_epochs += trained;
    state.trained_seconds += outcome.seconds;
    if (!result.failed) {
      // The first training of a shape tells more than the rule of thumb.
      const TrialShape shape = shape_of(ended.trial.configuration);
      const bool known = times_.knows(shape);
      times_.record(shape, outcome.epochs - outcome.first_epoch, outcome.seconds);
      is_new_shape_ = is_new_shape_ || (!known && times_.knows(shape));
    }
    if (state.trained_epochs > 0) progress.seconds_per_epoch = state.trained_seconds / state.trained_epochs;
    unsaved_.push_back({std::move(ended.trial.configuration), ended.trial.seed, std::move(outcome)});
    may_go_on_.push_back(ended.trial.may_go_on);
  }

  // A disk that is full now may have room later: unsaved results and their checkpoints are kept, so that nothing is trained
  // again even if this process ends first.
  void save() {
    if (unsaved_.empty()) return;
    try {
      store_.save(unsaved_);
    } catch (const WriteError& error) {
      end_.write_error = error.what();
      return;
    }
    end_.write_error.clear();
    for (std::size_t k = 0; k < unsaved_.size(); ++k) {
      if (!may_go_on_[k]) forget_checkpoint(unsaved_[k].configuration, unsaved_[k].seed);
    }
    unsaved_.clear();
    may_go_on_.clear();
  }

  void show() {
    if (!hooks_.progress) return;
    double seconds = 0;
    double epochs = 0;
    for (const GroupState& state : states_) {
      seconds += state.trained_seconds;
      epochs += state.trained_epochs;
    }
    double left = 0;
    for (const GroupProgress& group : progress_.groups) {
      const double pace = group.seconds_per_epoch > 0 ? group.seconds_per_epoch : epochs > 0 ? seconds / epochs : 0;
      left += group.epochs_left * pace;
    }
    for (const auto& each : running_) {
      if (each) left -= each->done * progress_.groups[each->group].seconds_per_epoch;
    }
    progress_.seconds_left = std::max(0.0, left) / workers_.count();
    hooks_.progress(progress_);
  }

  const SweepPlan& plan_;
  ResultsStore& store_;
  Workers& workers_;
  const SweepHooks& hooks_;
  std::filesystem::path folder_;
  TrialResults results_;
  std::optional<DecisionBar> bar_;  // empty until results_ are read
  std::vector<GroupState> states_;
  std::vector<std::optional<Running>> running_;  // by worker
  TrialTimes times_;
  bool is_new_shape_ = false;  // since the queue was last sorted
  Queue queue_;
  std::set<TrialId> in_flight_;
  std::multimap<TrialId, Waiting> elsewhere_;  // trials that another group is training
  std::vector<FinishedTrial> unsaved_;
  std::vector<bool> may_go_on_;  // for each of unsaved_
  SweepProgress progress_;
  SweepEnd end_;
};

}  // namespace

std::size_t SweepProgress::sum(std::size_t GroupProgress::*count) const {
  return std::accumulate(groups.begin(), groups.end(), std::size_t{0},
                         [&](std::size_t total, const GroupProgress& group) { return total + group.*count; });
}

std::filesystem::path trainings_folder(const std::filesystem::path& store) { return store.string() + ".trainings"; }

SweepEnd run_sweep(const SweepPlan& plan, ResultsStore& store, Workers& workers, bool retry_failed,
                   const SweepHooks& hooks) {
  return Scheduler(plan, store, workers, hooks).run(retry_failed);
}

}  // namespace softradial::study
