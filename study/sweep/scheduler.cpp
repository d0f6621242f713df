#include "sweep/scheduler.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "files/durable_file.hpp"
#include "files/errors.hpp"

namespace softradial::study {
namespace {

// How long the scheduler sleeps if nothing happens: it looks at the stop flag so often.
constexpr std::chrono::milliseconds kTick{100};

struct GroupState {
  std::deque<PlannedTrial> queue;
  bool done = false;
  double trained_seconds = 0;  // in this call
  double trained_epochs = 0;
};

struct Running {
  std::size_t group = 0;
  PlannedTrial trial;
  double first_epoch = -1;  // before the first one that was told
  double done = 0;          // epochs since then
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

  // Asks the plan for the next stage of a group of which nothing is waiting or running.
  void refill(std::size_t g) {
    const Group& group = plan_.groups[g];
    Stage stage = next_stage(group, plan_.search, results_);
    GroupProgress& progress = progress_.groups[g];
    progress.done = stage.trials_done;
    progress.epochs_left = static_cast<double>(size_of(group, plan_.search).epochs - stage.epochs_done);
    progress.failed = stage.failed;
    progress.best = std::max(progress.best, stage.best);
    states_[g].queue.assign(std::make_move_iterator(stage.missing.begin()),
                            std::make_move_iterator(stage.missing.end()));
    if (!states_[g].queue.empty()) return;
    states_[g].done = true;
    progress.trials = progress.done;
    progress.epochs_left = 0;
    // Also those that a killed process left behind. A result that is not saved yet needs its own.
    if (!unsaved_.empty()) return;
    for (const Configuration& each : group.candidates) {
      for (int k = 0; k < group.seeds; ++k) forget_checkpoint(each, group.first_seed + static_cast<std::uint64_t>(k));
    }
  }

  // The next trial that nobody has trained or is training. Groups may share trials.
  std::optional<Running> next() {
    for (std::size_t g = 0; g < states_.size(); ++g) {
      std::deque<PlannedTrial>& queue = states_[g].queue;
      while (!queue.empty()) {
        const TrialId id{queue.front().configuration.key, queue.front().seed};
        if (in_flight_.contains(id)) break;
        PlannedTrial trial = std::move(queue.front());
        queue.pop_front();
        if (!results_.contains(id)) return Running{.group = g, .trial = std::move(trial)};
        if (queue.empty() && progress_.groups[g].running == 0) refill(g);
      }
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
                                           .checkpoint = checkpoint_of(trial.configuration, trial.seed)});
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
      in_flight_.erase({ended.trial.configuration.key, ended.trial.seed});
      touched.insert(ended.group);
      --progress_.groups[ended.group].running;
      if (event.kind == WorkerEvent::Kind::finished) finish(std::move(ended), std::move(*event.outcome));
    }
    if (touched.empty()) return;
    save();
    for (const std::size_t g : touched) {
      if (states_[g].queue.empty() && progress_.groups[g].running == 0) refill(g);
    }
  }

  void finish(Running ended, TrialOutcome outcome) {
    const TrialResult result{.failed = outcome.failed(), .selection = outcome.selection};
    results_[{ended.trial.configuration.key, ended.trial.seed}] = result;
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
    if (state.trained_epochs > 0) progress.seconds_per_epoch = state.trained_seconds / state.trained_epochs;
    unsaved_.push_back({std::move(ended.trial.configuration), ended.trial.seed, std::move(outcome)});
    may_go_on_.push_back(ended.trial.may_go_on);
  }

  // A disk that is full now may have room later: the results are kept until they can be saved, and so are the checkpoints, so
  // that nothing is trained again even if this process ends before.
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
  std::vector<GroupState> states_;
  std::vector<std::optional<Running>> running_;  // by worker
  std::set<TrialId> in_flight_;
  std::vector<FinishedTrial> unsaved_;
  std::vector<bool> may_go_on_;  // of those
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
