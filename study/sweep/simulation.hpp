#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sweep/results_store.hpp"
#include "sweep/trial_plan.hpp"
#include "sweep/trial_times.hpp"
#include "sweep/workers.hpp"

// Predicts how long a sweep takes with any number of workers. The scheduler and the store are the real ones; only the
// trainings are replaced by trials that last as long as recorded ones, on a simulated clock.
namespace softradial::study {

// The seconds since its last call.
using Stopwatch = std::function<double()>;
[[nodiscard]] Stopwatch real_stopwatch();

// Workers with a simulated clock. The time that the scheduler needs, by the stopwatch, also passes on this clock, which shows
// when one scheduler is too slow for the number of workers.
class SimulatedWorkers final : public Workers {
 public:
  struct Trial {
    double seconds = 0;
    TrialOutcome outcome;
  };
  using Train = std::function<Trial(const TrialOrder&)>;

  SimulatedWorkers(int count, Train train, Stopwatch elapsed);

  [[nodiscard]] int count() const override { return static_cast<int>(outcomes_.size()); }
  void begin(int worker, TrialOrder order) override;
  void interrupt() override {}
  [[nodiscard]] std::vector<WorkerEvent> wait(std::chrono::milliseconds most) override;

  [[nodiscard]] double seconds() const { return clock_; }
  [[nodiscard]] double scheduler_seconds() const { return scheduler_; }
  // How long the trials take, in the order in which they began.
  [[nodiscard]] const std::vector<double>& begun() const { return begun_; }

 private:
  struct Running {
    double end = 0;
    int worker = 0;
    bool operator>(const Running& other) const { return end > other.end; }
  };
  void count_scheduler();

  Train train_;
  Stopwatch elapsed_;
  std::vector<TrialOutcome> outcomes_;  // of the trials under way, by worker
  std::vector<Running> running_;        // a heap, the next one to end on top
  std::vector<double> begun_;
  double clock_ = 0;
  double scheduler_ = 0;
};

// The durations and results of trials, from a store; TrialTimes estimates the durations that the store does not have.
struct RecordedTrials {
  TrialTimes times;
  std::map<std::string, double> paces;  // seconds of an epoch, by key of the configuration
  TrialResults results;

  [[nodiscard]] double seconds(const Configuration& configuration) const;
};
[[nodiscard]] RecordedTrials recorded_trials(ResultsStore& store);

struct SimulationResult {
  int workers = 0;
  std::size_t trials = 0;
  double seconds = 0;            // duration of the whole sweep
  double ideal_seconds = 0;      // no schedule is shorter: all work shared evenly, or the longest chain of trials
  double trained_seconds = 0;    // sum over all trials
  double scheduler_seconds = 0;  // time in which the scheduler and the store worked

  [[nodiscard]] double efficiency() const { return seconds > 0 ? ideal_seconds / seconds : 1; }
};

// Simulates the whole plan with this many workers, as if nothing had been trained. `file`: a temporary store.
[[nodiscard]] SimulationResult simulate(const SweepPlan& plan, const RecordedTrials& recorded, int workers,
                                        const std::filesystem::path& file, Stopwatch elapsed);

// Repeats the plan this many times, with trials that can be told apart.
[[nodiscard]] SweepPlan copies_of(const SweepPlan& plan, int copies);

}  // namespace softradial::study
