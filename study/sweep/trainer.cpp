#include "sweep/trainer.hpp"

#include <filesystem>
#include <new>
#include <utility>

#include "files/errors.hpp"
#include "files/gzip.hpp"
#include "files/sha256.hpp"
#include "runs/baselines.hpp"
#include "runs/comparison.hpp"
#include "runs/provenance.hpp"
#include "runs/trial_report.hpp"

namespace softradial::study {
namespace {

// Epochs between two checkpoints: repeating seconds of training is cheaper than syncing the disk more often.
constexpr std::int64_t kCheckpointEpochs = 20;
constexpr const char* kInterrupted = "interrupted";

PortfolioConfig read_config(const nlohmann::json& config, const PortfolioConfig& /*kind*/) {
  return portfolio_config(config);
}
DispatchConfig read_config(const nlohmann::json& config, const DispatchConfig& /*kind*/) {
  return dispatch_config(config);
}

// Returns nothing if there is no checkpoint that fits.
std::optional<Checkpoint> checkpoint_at(const std::filesystem::path& file, std::int64_t epochs) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    Checkpoint found = load_checkpoint(file);
    if (found.epoch <= epochs) return found;
  } catch (const DataError&) {
    // Files are renamed into place only when they are whole, so this damage is the disk's. The trial begins again.
    return std::nullopt;
  }
  return std::nullopt;
}

// Copies a trial's report into the outcome. `trial`: the result of to_json for a trial.
void tell_outcome(const nlohmann::json& trial, TrialOutcome& outcome) {
  outcome.end = trial.at("end").get<std::string>();
  outcome.seconds = trial.at("seconds").get<double>();
  outcome.epochs = trial.at("epochs").get<std::int64_t>();
  outcome.best_epoch = trial.at("best_epoch").get<std::int64_t>();
  if (outcome.end == "diverged") {
    outcome.failure = "the loss was not finite in epoch " + std::to_string(outcome.epochs + 1);
  }
  if (outcome.end == "diverged" || outcome.end == kInterrupted) return;
  outcome.selection = trial.at("selection").get<double>();
  if (trial.contains("violation")) outcome.violation = trial["violation"].get<double>();
  for (const char* split : {"validation", "test"}) {
    for (const auto& [name, value] : trial.at(split).items()) {
      outcome.metrics.push_back({split, name, value.get<double>()});
    }
  }
}

// Compresses the files as the store keeps them. A slower search finds little in digits of weights: level 6 takes five times as
// long as level 1 for files that are 7 % smaller.
std::vector<TrialFile> files_of(std::span<const Record> records) {
  constexpr int kLevel = 1;
  std::vector<TrialFile> files;
  for (const RecordFile& file : record_files(records)) {
    files.push_back({.name = file.name,
                     .size = static_cast<std::int64_t>(file.text.size()),
                     .sha256 = sha256_of(file.text),
                     .gzip = gzipped(file.text, kLevel)});
  }
  return files;
}

template <class Config>
void train(const Config& config, const TrialOrder& order, StudyData<Config>& data, const TrainingHooks& hooks,
           TrialOutcome& outcome) {
  using Kind = KindOf<Config>;
  if (data.problem(config)->key != order.problem) {
    throw DataError("the data are not those that the sweep was planned with");
  }
  const auto limits = data.limits(config);
  const auto features = data.features(config);
  typename Kind::TaskType task(*features, config.model, decision_layer(config.layer, limits->set));
  TrainingOptions options = training_of(config, config.training.seed);
  options.checkpoint = order.checkpoint;
  options.checkpoint_every = kCheckpointEpochs;
  const std::optional<Checkpoint> from = checkpoint_at(order.checkpoint, options.epochs);
  outcome.first_epoch = from ? from->epoch : 0;
  const auto record = [&](const auto& on_validation, const auto& on_test, const TrainingResult& training) {
    for (const EpochRecord& epoch : training.checkpoint.history) {
      outcome.history.push_back({epoch.loss, epoch.validation});
    }
    const bool ended = training.end == TrainingEnd::finished || training.end == TrainingEnd::no_gain;
    if (!ended) return;
    if (order.record_from && !(task.selection(on_validation.metrics) < *order.record_from)) {
      const std::vector<Record> records = {record_beside("validation", on_validation, config, *features, limits->set),
                                           record_beside("test", on_test, config, *features, limits->set)};
      outcome.files = files_of(records);
    }
    if (config.layer.equal_weight()) return;
    const auto beside = baselines_over(config, *features, limits->set, rows_of(on_test));
    for (const auto& [name, interval] : against_equal_weight({on_test}, beside[0].evaluation)) {
      outcome.metrics.push_back({kAgainstEqualWeight, name, interval.value});
      outcome.metrics.push_back({kAgainstEqualWeight, name + kLowEnd, interval.low});
      outcome.metrics.push_back({kAgainstEqualWeight, name + kHighEnd, interval.high});
    }
  };
  tell_outcome(to_json(run_trial(task, options, hooks, violation_of(limits->set), from ? &*from : nullptr,
                                 TrialRecorder<typename Kind::Evaluation>(record))),
               outcome);
}

}  // namespace

template <class Config>
std::optional<TrialOutcome> train_order(const TrialOrder& order, StudyData<Config>& data, const TrainingHooks& hooks) {
  TrialOutcome outcome;
  outcome.started = utc_now();
  try {
    train(read_config(order.config, Config()), order, data, hooks, outcome);
    if (outcome.end == kInterrupted) return std::nullopt;
  } catch (const std::bad_alloc&) {
    outcome.failure = "out of memory";
  } catch (const std::exception& error) {
    // LibTorch's messages go on with thousands of letters of addresses.
    const std::string what = error.what();
    outcome.failure = what.empty() ? "unknown failure" : what.substr(0, what.find('\n'));
  }
  return outcome;
}

template <class Config>
void check_trainable(const Config& config, StudyData<Config>& data) {
  static_cast<void>(data.features(config));
  static_cast<void>(decision_layer(config.layer, data.limits(config)->set));
}

template std::optional<TrialOutcome> train_order(const TrialOrder&, StudyData<PortfolioConfig>&, const TrainingHooks&);
template std::optional<TrialOutcome> train_order(const TrialOrder&, StudyData<DispatchConfig>&, const TrainingHooks&);
template void check_trainable(const PortfolioConfig&, StudyData<PortfolioConfig>&);
template void check_trainable(const DispatchConfig&, StudyData<DispatchConfig>&);

}  // namespace softradial::study
