#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "sweep/workers.hpp"
#include "training/train.hpp"

namespace softradial::study {

// Workers that are threads of this process. Each trains one trial at a time, with one thread for its algebra.
class LocalWorkers final : public Workers {
 public:
  using Train = std::function<std::optional<TrialOutcome>(const TrialOrder& order, const TrainingHooks& hooks)>;

  LocalWorkers(int count, Train train);
  ~LocalWorkers() override;
  LocalWorkers(const LocalWorkers&) = delete;
  LocalWorkers& operator=(const LocalWorkers&) = delete;

  [[nodiscard]] int count() const override { return static_cast<int>(orders_.size()); }
  void begin(int worker, TrialOrder order) override;
  void interrupt() override { stop_ = true; }
  [[nodiscard]] std::vector<WorkerEvent> wait(std::chrono::milliseconds most) override;

 private:
  void work(int worker);
  void report(WorkerEvent event);

  Train train_;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable ordered_;
  std::condition_variable reported_;
  std::vector<std::optional<TrialOrder>> orders_;  // by worker
  std::vector<WorkerEvent> events_;
  bool closed_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace softradial::study
