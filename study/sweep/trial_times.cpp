#include "sweep/trial_times.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

double number_or(const json& object, const char* key, double otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : otherwise;
}

// The number of days or hours that a decision sees.
double window_of(const json& config) { return number_or(config, "lookback", number_or(config, "history", 1)); }

// The correction steps of DC3 and HardNet; 1 for layers without steps.
double steps_of(const json& config) {
  const auto options = config.find("method_options");
  return options != config.end() ? number_or(*options, "steps", 1) : 1;
}

// Seconds of an epoch, in arbitrary units:  rows (window hidden / 100 + layer columns / 10)
// The model's part grows with its hidden units and its window, the layer's with its columns and its steps.
double thumb_of(const Configuration& configuration) {
  const json& config = configuration.config;
  const json& facts = configuration.problem->facts;
  if (configuration.method() == "equal_weight") return 1e-9;
  const double rows = number_or(facts.at("data"), "rows", 1000);
  const auto columns = static_cast<double>(facts.at("names").size());
  return 1e-6 * rows * (window_of(config) * number_or(config, "hidden", 32) / 100 + steps_of(config) * columns / 10);
}

}  // namespace

TrialShape shape_of(const Configuration& configuration) {
  const json& config = configuration.config;
  const json key = {
      configuration.problem->key, configuration.method(),        number_or(config, "hidden", 0),     window_of(config),
      steps_of(config),           number_or(config, "batch", 0), number_or(config, "dropout", 0) > 0};
  return {.key = key.dump(), .thumb = thumb_of(configuration)};
}

void TrialTimes::record(const TrialShape& shape, std::int64_t epochs, double seconds) {
  if (epochs <= 0 || !(seconds > 0)) return;
  const auto count = static_cast<double>(epochs);
  Pace& pace = shapes_[shape.key];
  pace.seconds += seconds;
  pace.epochs += count;
  seconds_ += seconds;
  thumb_ += count * shape.thumb;
}

double TrialTimes::seconds_per_epoch(const TrialShape& shape) const {
  if (const auto found = shapes_.find(shape.key); found != shapes_.end()) {
    return found->second.seconds / found->second.epochs;
  }
  return shape.thumb * (thumb_ > 0 ? seconds_ / thumb_ : 1);
}

bool TrialTimes::knows(const TrialShape& shape) const { return shapes_.contains(shape.key); }

}  // namespace softradial::study
