#include "training/train.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/empty.h>

#include <chrono>
#include <cmath>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>

#include "files/errors.hpp"

namespace softradial::study {
namespace {

class Run {
 public:
  Run(Task& task, const TrainingOptions& options, const TrainingHooks& hooks)
      : task_(task),
        options_(options),
        hooks_(hooks),
        adam_(task.parameters(), options.adam),
        generator_(at::detail::createCPUGenerator(options.seed)) {
    state_.config = options.config;
    state_.standardisation = task.standardisation();
  }

  void start() {
    task_.initialize(generator_);
    snapshot();
  }

  void resume(const Checkpoint& from) {
    task_.parameters().assign(from.parameters);
    adam_.set_state(from.optimizer);
    try {
      const std::lock_guard<std::mutex> lock(generator_.mutex());
      generator_.set_state(from.generator_state);
    } catch (const c10::Error&) {
      throw DataError("the state of the random numbers in the checkpoint is not valid");
    }
    const std::string config = std::move(state_.config);
    const Standardisation standardisation = std::move(state_.standardisation);
    state_ = from;
    state_.config = config;
    state_.standardisation = standardisation;
    snapshot();
  }

  TrainingResult loop() {
    TrainingResult result;
    const auto begin = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    const int64_t first = state_.epoch;
    while (state_.epoch < options_.epochs) {
      if (options_.patience > 0 && state_.epoch - state_.best_epoch >= options_.patience) {
        result.end = TrainingEnd::no_gain;
        break;
      }
      const std::optional<double> loss = epoch();
      if (!loss) {
        result.end = TrainingEnd::interrupted;
        break;
      }
      if (!std::isfinite(*loss)) {
        result.end = TrainingEnd::diverged;
        break;
      }
      result.loss = *loss;
      const double metric = judge(*loss);
      snapshot();
      if (hooks_.progress) {
        const double so_far = seconds();
        const auto done = static_cast<double>(state_.epoch - first);
        hooks_.progress({.epoch = state_.epoch,
                         .epochs = options_.epochs,
                         .loss = *loss,
                         .validation = metric,
                         .best_validation = state_.best_metric,
                         .seconds = so_far,
                         .seconds_left = so_far / done * static_cast<double>(options_.epochs - state_.epoch)});
      }
      if (options_.checkpoint_every > 0 && state_.epoch % options_.checkpoint_every == 0) save(result);
    }
    save(result);
    task_.parameters().assign(state_.model());
    result.epochs = state_.epoch;
    result.best_epoch = state_.best_epoch;
    result.best_metric = state_.best_metric;
    result.seconds = seconds();
    result.checkpoint = std::move(state_);
    return result;
  }

 private:
  // Returns the mean loss, or nothing if the stop flag was set. The first loss that is not finite ends the epoch.
  std::optional<double> epoch() {
    const int64_t batches = task_.begin_epoch(generator_);
    double sum = 0;
    for (int64_t b = 0; b < batches; ++b) {
      if (hooks_.team != nullptr ? team_stops_ : is_asked_to_stop()) return std::nullopt;
      double loss = task_.loss_and_gradient(b, generator_);
      if (hooks_.team != nullptr) loss = add_up(loss);
      if (!std::isfinite(loss)) return loss;
      adam_.step();
      sum += loss;
    }
    return sum / static_cast<double>(batches);
  }

  [[nodiscard]] bool is_asked_to_stop() const {
    return hooks_.stop != nullptr && hooks_.stop->load(std::memory_order_relaxed);
  }

  // Turns the gradient of this process's share of a batch into that of the whole batch, and returns the loss of the whole
  // batch. The numbers of a step travel in one buffer: the gradient, the loss, and whether a process wants to stop.
  double add_up(double loss) {
    const at::Tensor& gradients = task_.parameters().gradients();
    const int64_t count = gradients.numel();
    if (!sums_.defined()) sums_ = at::empty({count + 2}, gradients.options());
    sums_.narrow(0, 0, count).copy_(gradients);
    sums_[count].fill_(loss);
    sums_[count + 1].fill_(is_asked_to_stop() ? 1 : 0);
    const auto numbers = static_cast<size_t>(sums_.numel());
    if (sums_.scalar_type() == at::kFloat) {
      hooks_.team->sum(std::span(sums_.data_ptr<float>(), numbers));
    } else {
      hooks_.team->sum(std::span(sums_.data_ptr<double>(), numbers));
    }
    gradients.copy_(sums_.narrow(0, 0, count));
    team_stops_ = sums_[count + 1].item<double>() > 0;
    return sums_[count].item<double>();
  }

  double judge(double loss) {
    ++state_.epoch;
    const double metric = task_.validation_metric();
    state_.history.push_back({.loss = loss, .validation = metric});
    if (std::isfinite(metric) && (state_.best_epoch == 0 || metric > state_.best_metric)) {
      state_.best_metric = metric;
      state_.best_epoch = state_.epoch;
      state_.best_parameters = task_.parameters().values().clone();
    }
    return metric;
  }

  // A full disk may have room later, and a folder may come back: a training of hours does not end because of them.
  void save(TrainingResult& result) const {
    if (options_.checkpoint.empty()) return;
    try {
      save_checkpoint(state_, options_.checkpoint);
    } catch (const WriteError& error) {
      result.write_error = error.what();
    } catch (const DataError& error) {
      result.write_error = error.what();
    }
  }

  // A checkpoint holds the state between two epochs: an interrupted epoch is discarded.
  void snapshot() {
    state_.parameters = task_.parameters().values().clone();
    state_.optimizer = adam_.state();
    const std::lock_guard<std::mutex> lock(generator_.mutex());
    state_.generator_state = generator_.get_state();
  }

  Task& task_;
  const TrainingOptions& options_;
  const TrainingHooks& hooks_;
  Adam adam_;
  at::Generator generator_;
  Checkpoint state_;
  at::Tensor sums_;  // buffer for the sums of a team
  bool team_stops_ = false;
};

}  // namespace

TrainingResult train(Task& task, const TrainingOptions& options, const TrainingHooks& hooks, const Checkpoint* resume) {
  if (options.epochs < 0) {
    throw std::invalid_argument("the number of epochs must not be negative, but is " + std::to_string(options.epochs));
  }
  Run run(task, options, hooks);
  if (resume != nullptr) {
    run.resume(*resume);
  } else {
    run.start();
  }
  return run.loop();
}

}  // namespace softradial::study
