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

// A trial as it is handed to a worker: plain values, which can be sent to another process or thread.
struct TrialOrder {
  nlohmann::json config;             // config_with_seed
  std::string problem;               // key of the problem
  std::filesystem::path checkpoint;  // file to resume from, if it exists, and to save to
  // Decisions are recorded unless the validation is worse than this number; nothing: they are not recorded.
  std::optional<double> record_from = {};
};

struct WorkerEvent {
  enum class Kind { epoch, finished, interrupted };
  Kind kind = Kind::epoch;
  int worker = 0;
  std::int64_t epoch = 0;               // for kind `epoch`: epochs done
  std::optional<TrialOutcome> outcome;  // for kind `finished`
};

// The workers that train. The scheduler knows nothing else about them: they may be threads or processes elsewhere.
class Workers {
 public:
  virtual ~Workers() = default;

  [[nodiscard]] virtual int count() const = 0;
  // Gives a trial to worker 0 ... count() - 1, which must be idle.
  virtual void begin(int worker, TrialOrder order) = 0;
  // Tells the running trials to save their checkpoints and end.
  virtual void interrupt() = 0;
  // The events since the last call. Waits for one, but not longer than `most`.
  [[nodiscard]] virtual std::vector<WorkerEvent> wait(std::chrono::milliseconds most) = 0;
};

}  // namespace softradial::study
