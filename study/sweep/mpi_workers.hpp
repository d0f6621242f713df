#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/ranks.hpp"
#include "sweep/local_workers.hpp"
#include "sweep/worker_messages.hpp"
#include "sweep/workers.hpp"

// Workers in other processes, which mpirun or srun has started together. Rank 0 schedules and is the only one that opens the
// store; the other ranks train what it sends them.
namespace softradial::study {

// For rank 0: the workers of all ranks.
class MpiWorkers final : public Workers {
 public:
  // `own`: the workers of rank 0 itself, or null. Waits until every rank has reported its number of workers.
  MpiWorkers(MpiRanks& ranks, std::unique_ptr<LocalWorkers> own);

  [[nodiscard]] int count() const override { return static_cast<int>(places_.size()); }
  void begin(int worker, TrialOrder order) override;
  void interrupt() override;
  [[nodiscard]] std::vector<WorkerEvent> wait(std::chrono::milliseconds most) override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Place {
    int rank = 0;
    int worker = 0;  // number of the worker on that rank
    bool busy = false;
  };
  void take(const MpiRanks::Received& received, std::vector<WorkerEvent>& events);

  MpiRanks& ranks_;
  std::unique_ptr<LocalWorkers> own_;
  std::vector<Place> places_;                  // by worker
  std::vector<int> first_place_;               // by rank
  std::optional<Clock::time_point> deadline_;  // when to give up trials that were told to end
};

// For the other ranks: trains what rank 0 sends, until rank 0 says that the work is over. `stop` ends the trials of all ranks.
void serve_orders(MpiRanks& ranks, LocalWorkers& workers, const std::atomic<bool>& stop);

}  // namespace softradial::study
