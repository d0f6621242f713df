#include "sweep/local_workers.hpp"

#include <ATen/Parallel.h>

#include <utility>

namespace softradial::study {

LocalWorkers::LocalWorkers(int count, Train train)
    : train_(std::move(train)), orders_(static_cast<std::size_t>(count)) {
  at::set_num_threads(1);
  for (int k = 0; k < count; ++k) threads_.emplace_back([this, k] { work(k); });
}

LocalWorkers::~LocalWorkers() {
  stop_ = true;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  ordered_.notify_all();
}

void LocalWorkers::begin(int worker, TrialOrder order) {
  {
    const std::lock_guard lock(mutex_);
    orders_[static_cast<std::size_t>(worker)] = std::move(order);
  }
  ordered_.notify_all();
}

void LocalWorkers::report(WorkerEvent event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  reported_.notify_one();
}

std::vector<WorkerEvent> LocalWorkers::wait(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  reported_.wait_for(lock, most, [&] { return !events_.empty(); });
  return std::exchange(events_, {});
}

void LocalWorkers::work(int worker) {
  // A new thread uses OpenMP's own default until it is told this process's number of threads.
  at::init_num_threads();
  const auto progress = [&](const Progress& p) {
    report({.kind = WorkerEvent::Kind::epoch, .worker = worker, .epoch = p.epoch, .outcome = {}});
  };
  while (true) {
    TrialOrder order;
    {
      std::unique_lock lock(mutex_);
      std::optional<TrialOrder>& mine = orders_[static_cast<std::size_t>(worker)];
      ordered_.wait(lock, [&] { return closed_ || mine.has_value(); });
      if (closed_) return;
      order = *std::exchange(mine, std::nullopt);
    }
    std::optional<TrialOutcome> outcome = train_(order, {.progress = progress, .stop = &stop_});
    const auto kind = outcome ? WorkerEvent::Kind::finished : WorkerEvent::Kind::interrupted;
    report({.kind = kind, .worker = worker, .epoch = 0, .outcome = std::move(outcome)});
  }
}

}  // namespace softradial::study
