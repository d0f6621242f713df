#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "learning/learning_task.hpp"
#include "softradial/layer.hpp"

namespace softradial::study {

struct LearnOptions {
  int epochs = 0;  // 0: those of the task
  uint64_t seed = 0;
  std::function<void(int epoch, int epochs, double loss)> progress = {};
  const std::atomic<bool>* stop = nullptr;  // when it becomes true, the training ends after its epoch
};

// How well a network decides through a layer.
struct Learned {
  double gap = 0;        // on the test, as the task measures it
  double violation = 0;  // the largest one of an inequality, in double precision on the numbers returned; 0: none
  int64_t rows_violating = 0;
  int64_t rows = 0;
  double equality = 0;  // the largest residual of an equality
  double seconds_per_epoch = 0;
  double milliseconds = 0;  // to decide all rows of the test
};

// Trains a network of two hidden layers through the layer (Adam, its rate falling to zero along a cosine) and judges it on the
// test. Throws InvalidSet where the method does not take the task's set.
[[nodiscard]] Learned learn(const LearningTask& task, const LayerMethod& method, const LearnOptions& options);

}  // namespace softradial::study
