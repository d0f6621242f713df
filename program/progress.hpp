#pragma once

#include <chrono>
#include <cstddef>

namespace softradial::program {

// Shows "softradial: 1200000 rows" on stderr, rewritten in place, once a command has run for a second. Silent if stderr is not
// a terminal, or if the rows themselves go to the terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::size_t rows);

 private:
  using Clock = std::chrono::steady_clock;

  bool enabled_;
  bool shown_ = false;
  Clock::time_point next_;
};

}  // namespace softradial::program
