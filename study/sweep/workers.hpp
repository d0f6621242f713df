#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sweep/trial_outcome.hpp"

namespace softradial::study {

// A trial as it is handed to a worker: plain values, which reach another process as well as another thread.
struct TrialOrder {
  nlohmann::json config;             // config_with_seed
  std::string problem;               // key of what is decided about, and on what data
  std::filesystem::path checkpoint;  // where it goes on, if there is one, and where it is saved
  // Its decisions are recorded unless its validation is worse than this; none: they are not.
  std::optional<double> record_from = {};
};

struct WorkerEvent {
  enum class Kind { epoch, finished, interrupted };
  Kind kind = Kind::epoch;
  int worker = 0;
  std::int64_t epoch = 0;               // of kind `epoch`: done
  std::optional<TrialOutcome> outcome;  // of kind `finished`
};

// Those who train. The scheduler knows no more about them: they may be threads, or processes elsewhere.
class Workers {
 public:
  virtual ~Workers() = default;

  [[nodiscard]] virtual int count() const = 0;
  // Worker 0 ... count() - 1, which must be idle, trains a trial.
  virtual void begin(int worker, TrialOrder order) = 0;
  // The trials under way save their checkpoints and end.
  virtual void interrupt() = 0;
  // What has happened since the last call; waits for something, but not longer than this.
  [[nodiscard]] virtual std::vector<WorkerEvent> wait(std::chrono::milliseconds most) = 0;
};

}  // namespace softradial::study
