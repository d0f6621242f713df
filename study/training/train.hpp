#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "training/adam.hpp"
#include "training/checkpoint.hpp"
#include "training/task.hpp"
#include "training/team.hpp"

namespace softradial::study {

struct TrainingOptions {
  int64_t epochs = 50;
  AdamOptions adam = {};
  int64_t patience = 0;  // stop after this many epochs without a better validation metric; 0: never
  uint64_t seed = 0;
  std::filesystem::path checkpoint = {};  // written at the end and on a stop; empty: nowhere
  int64_t checkpoint_every = 5;           // epochs; 0: only at the end
  std::string config = {};                // kept in the checkpoint, for the caller to read back
  bool operator==(const TrainingOptions&) const = default;
};

struct Progress {
  int64_t epoch = 0;  // epochs done
  int64_t epochs = 0;
  double loss = 0;  // mean over the epoch's batches
  double validation = 0;
  double best_validation = 0;
  double seconds = 0;
  double seconds_left = 0;  // estimated from the pace so far
};

struct TrainingHooks {
  std::function<void(const Progress&)> progress = {};
  // Checked between batches. Lock-free, so that a signal handler may set it.
  const std::atomic<bool>* stop = nullptr;
  // Other processes that train the same model, each with its share of every batch. All have the same parameters after each
  // step, and all stop if one is asked to.
  Team* team = nullptr;
};

enum class TrainingEnd {
  finished,     // all epochs done
  no_gain,      // patience ran out
  interrupted,  // the stop flag was set
  diverged      // a loss was not finite; the best epoch so far is kept
};

struct TrainingResult {
  TrainingEnd end = TrainingEnd::finished;
  int64_t epochs = 0;  // epochs done, including those before a resume
  int64_t best_epoch = 0;
  double best_metric = 0;
  double loss = 0;     // loss of the last epoch
  double seconds = 0;  // duration of this call
  // Why a checkpoint could not be written (a full disk); the training went on without it. Empty: all were written.
  std::string write_error;
  Checkpoint checkpoint;
};

// Trains from the seed, or continues from a checkpoint. With the same options, a continued run gives the same bits as an
// uninterrupted one; an interrupted epoch is repeated. At the end the task has the parameters of the best epoch.
TrainingResult train(Task& task, const TrainingOptions& options, const TrainingHooks& hooks = {},
                     const Checkpoint* resume = nullptr);

}  // namespace softradial::study
