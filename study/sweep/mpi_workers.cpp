#include "sweep/mpi_workers.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <map>
#include <thread>
#include <utility>

namespace softradial::study {
namespace {

using Clock = std::chrono::steady_clock;

// How often a rank looks for messages: while it has an idle worker, and while all of them train. MPI's own waiting would keep
// busy a core that could train.
constexpr std::chrono::milliseconds kIdlePoll{1};
constexpr std::chrono::milliseconds kBusyPoll{20};
// Epochs are sent only to estimate the time left, so they need not be sent more often.
constexpr std::chrono::milliseconds kEpochsApart{5000};
// Trials that have not ended this long after they were told to are given up. Their checkpoints are on the disk.
constexpr std::chrono::seconds kPatience{10};

}  // namespace

MpiWorkers::MpiWorkers(MpiRanks& ranks, std::unique_ptr<LocalWorkers> own) : ranks_(ranks), own_(std::move(own)) {
  std::vector<int> counts(static_cast<std::size_t>(ranks.size()), -1);
  counts[0] = own_ ? own_->count() : 0;
  while (std::ranges::count(counts, -1) > 0) {
    const auto received = ranks_.receive();
    if (!received) {
      std::this_thread::sleep_for(kIdlePoll);
    } else if (received->tag == MpiRanks::Tag::hello) {
      counts[static_cast<std::size_t>(received->rank)] = nlohmann::json::from_cbor(received->message).get<int>();
    }
  }
  for (int rank = 0; rank < ranks.size(); ++rank) {
    first_place_.push_back(count());
    for (int w = 0; w < counts[static_cast<std::size_t>(rank)]; ++w) places_.push_back({.rank = rank, .worker = w});
  }
}

void MpiWorkers::begin(int worker, TrialOrder order) {
  Place& place = places_[static_cast<std::size_t>(worker)];
  place.busy = true;
  if (place.rank == 0) {
    own_->begin(place.worker, std::move(order));
  } else {
    ranks_.send(place.rank, MpiRanks::Tag::order, message_of(place.worker, order));
  }
}

void MpiWorkers::interrupt() {
  deadline_ = Clock::now() + kPatience;
  if (own_) own_->interrupt();
  for (int rank = 1; rank < ranks_.size(); ++rank) ranks_.send(rank, MpiRanks::Tag::interrupt, {});
}

void MpiWorkers::take(const MpiRanks::Received& received, std::vector<WorkerEvent>& events) {
  if (received.tag == MpiRanks::Tag::stop) std::raise(SIGTERM);
  if (received.tag != MpiRanks::Tag::event) return;
  WorkerEvent event = event_in(received.message);
  event.worker += first_place_[static_cast<std::size_t>(received.rank)];
  events.push_back(std::move(event));
}

std::vector<WorkerEvent> MpiWorkers::wait(std::chrono::milliseconds most) {
  const auto until = Clock::now() + most;
  std::vector<WorkerEvent> events;
  while (true) {
    while (const auto received = ranks_.receive()) take(*received, events);
    const bool is_over = !events.empty() || Clock::now() >= until;
    if (own_) {
      for (WorkerEvent& event : own_->wait(is_over ? std::chrono::milliseconds(0) : kIdlePoll)) {
        events.push_back(std::move(event));  // the workers of rank 0 have the first numbers
      }
    } else if (!is_over) {
      std::this_thread::sleep_for(kIdlePoll);
    }
    if (!events.empty() || is_over) break;
  }
  for (const WorkerEvent& event : events) {
    if (event.kind != WorkerEvent::Kind::epoch) places_[static_cast<std::size_t>(event.worker)].busy = false;
  }
  if (!deadline_ || Clock::now() < *deadline_) return events;
  for (int w = 0; w < count(); ++w) {
    if (!std::exchange(places_[static_cast<std::size_t>(w)].busy, false)) continue;
    ranks_.give_up();
    events.push_back({.kind = WorkerEvent::Kind::interrupted, .worker = w, .epoch = 0, .outcome = {}});
  }
  return events;
}

void serve_orders(MpiRanks& ranks, LocalWorkers& workers, const std::atomic<bool>& stop) {
  ranks.send(0, MpiRanks::Tag::hello, nlohmann::json::to_cbor(workers.count()));
  std::map<int, Clock::time_point> told;  // when an epoch was last sent, by worker
  int idle = workers.count();
  bool is_stopped = false;
  while (true) {
    while (const auto received = ranks.receive()) {
      if (received->tag == MpiRanks::Tag::end) return;
      if (received->tag == MpiRanks::Tag::interrupt) workers.interrupt();
      if (received->tag != MpiRanks::Tag::order) continue;
      AddressedOrder order = order_in(received->message);
      workers.begin(order.worker, std::move(order.order));
      --idle;
    }
    if (stop.load() && !std::exchange(is_stopped, true)) {
      workers.interrupt();
      ranks.send(0, MpiRanks::Tag::stop, {});
    }
    for (const WorkerEvent& event : workers.wait(idle > 0 ? kIdlePoll : kBusyPoll)) {
      if (event.kind != WorkerEvent::Kind::epoch) {
        ++idle;
      } else if (const auto now = Clock::now(); now < told[event.worker] + kEpochsApart) {
        continue;
      } else {
        told[event.worker] = now;
      }
      ranks.send(0, MpiRanks::Tag::event, message_of(event));
    }
  }
}

}  // namespace softradial::study
