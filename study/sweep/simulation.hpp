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

// What a sweep would take with any number of workers. The scheduler and the store are the real ones; only the trainings
// are replaced, by trials that last as long as recorded ones on a clock of their own.
namespace softradial::study {

// Seconds since it was last asked.
using Stopwatch = std::function<double()>;
[[nodiscard]] Stopwatch real_stopwatch();

// Workers on a clock of their own. The time in which the scheduler works, by the stopwatch, passes on it too: so it shows
// where one scheduler is too slow for so many workers.
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
  // How long the trials take, in the order in which they were begun.
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
  std::vector<Running> running_;        // a heap, the first to end on top
  std::vector<double> begun_;
  double clock_ = 0;
  double scheduler_ = 0;
};

// How long trials take and how good they are, from a store; for those that it does not have, what TrialTimes says.
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
  double seconds = 0;            // of the whole sweep
  double ideal_seconds = 0;      // no schedule is shorter: all work shared evenly, or the longest chain of trials
  double trained_seconds = 0;    // of all trials together
  double scheduler_seconds = 0;  // in which the scheduler and the store worked

  [[nodiscard]] double efficiency() const { return seconds > 0 ? ideal_seconds / seconds : 1; }
};

// The whole plan with so many workers, as if nothing had been trained. `file`: of a store that is made and removed again.
[[nodiscard]] SimulationResult simulate(const SweepPlan& plan, const RecordedTrials& recorded, int workers,
                                        const std::filesystem::path& file, Stopwatch elapsed);

// The plan so many times over, with trials that are told apart.
[[nodiscard]] SweepPlan copies_of(const SweepPlan& plan, int copies);

}  // namespace softradial::study
