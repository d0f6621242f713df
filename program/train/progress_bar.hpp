#pragma once

#include <string>

#include "training/train.hpp"

namespace softradial::program {

// "dc3 2/5 [######....] 30/50  loss -0.121  validation 1.02  4 s left", on one line of a terminal; nothing in a pipe.
class ProgressBar {
 public:
  explicit ProgressBar(bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(const std::string& name, int trial, int trials, const study::Progress& progress);

 private:
  bool shown_;
  bool dirty_ = false;
};

}  // namespace softradial::program
