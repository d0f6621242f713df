#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace softradial::bench {

// One line of the table: a benchmark against a baseline of the same run, and the bar it has to stay below.
struct Comparison {
  std::string what;
  std::string name;
  std::string baseline;  // empty: the time itself is compared, in nanoseconds
  double bar;            // 0: no bar, the line is for information
  double parts = 1;      // the time covers this many equal parts: the line shows one
};

// Prints the usual console lines and, at the end, the table of ratios. Every time is the smallest of the repetitions:
// the machines are shared, and what others do only ever adds time.
class RatioReporter final : public benchmark::ConsoleReporter {
 public:
  explicit RatioReporter(std::vector<Comparison> comparisons) : comparisons_(std::move(comparisons)) {}

  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  std::vector<Comparison> comparisons_;
  std::map<std::string, double> best_;
};

}  // namespace softradial::bench
