#pragma once

#include <chrono>
#include <cstddef>

namespace softradial::program {

// "softradial: 1200000 rows" on stderr, rewritten in place, from the second second on. Silent unless stderr is a
// terminal, and where the rows themselves are going to it.
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
