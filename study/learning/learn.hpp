#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "learning/learning_task.hpp"
#include "softradial/layer.hpp"

namespace softradial::study {

struct LearnOptions {
  int epochs = 0;  // 0: the task's own number
  uint64_t seed = 0;
  std::function<void(int epoch, int epochs, double loss)> progress = {};
  const std::atomic<bool>* stop = nullptr;  // training ends after the current epoch once it is true
};

// How well a network decides through a layer.
struct Learned {
  double gap = 0;        // gap on the test samples, as the task measures it
  double violation = 0;  // largest violation of an inequality, in double, on the numbers returned; 0: none
  int64_t rows_violating = 0;
  int64_t rows = 0;
  double equality = 0;  // the largest residual of an equality
  double seconds_per_epoch = 0;
  double milliseconds = 0;  // time to decide all rows of the test
};

// Trains a network with two hidden layers through the layer (Adam, its rate falls to zero along a cosine) and evaluates it on
// the test samples. Throws InvalidSet if the method does not accept the task's set.
[[nodiscard]] Learned learn(const LearningTask& task, const LayerMethod& method, const LearnOptions& options);

}  // namespace softradial::study
