#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sweep/results_store.hpp"
#include "sweep/trial_plan.hpp"
#include "sweep/workers.hpp"

namespace softradial::study {

struct GroupProgress {
  const Group* group = nullptr;
  std::size_t trials = 0;  // trials that the group will ask for
  std::size_t done = 0;    // includes failed ones
  std::size_t failed = 0;
  std::size_t running = 0;
  double best = -std::numeric_limits<double>::infinity();  // on validation; -inf: none yet
  double epochs_left = 0;
  double seconds_per_epoch = 0;  // 0: not known yet
};

struct SweepProgress {
  std::vector<GroupProgress> groups;
  double seconds_left = 0;  // 0: not known yet

  [[nodiscard]] std::size_t sum(std::size_t GroupProgress::*count) const;
};

struct SweepHooks {
  std::function<void(const SweepProgress&)> progress;  // called often, by the thread that schedules
  const std::atomic<bool>* stop = nullptr;
};

struct SweepEnd {
  bool interrupted = false;
  std::size_t trained = 0;  // trials trained in this call
  std::size_t failed = 0;   // failed trials among all of the plan
  std::string write_error;  // why results could not be saved; empty: all are saved
};

// The folder beside a store that holds the lock of the scheduling process and the checkpoints of running trainings.
[[nodiscard]] std::filesystem::path trainings_folder(const std::filesystem::path& store);

// Trains the trials that the plan wants and the store does not have, and saves each as soon as it has ended. `retry_failed`:
// train failed trials again.
[[nodiscard]] SweepEnd run_sweep(const SweepPlan& plan, ResultsStore& store, Workers& workers, bool retry_failed,
                                 const SweepHooks& hooks = {});

}  // namespace softradial::study
