#include "ratio_table.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace softradial::bench {

void RatioReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
    const double time = run.real_accumulated_time / static_cast<double>(run.iterations) * 1e9;
    const std::string name = run.run_name.function_name;
    const auto [entry, added] = best_.try_emplace(name, time);
    if (!added) entry->second = std::min(entry->second, time);
  }
}

void RatioReporter::Finalize() {
  std::ostream& out = GetOutputStream();
  const auto number = [](double value) {
    std::ostringstream text;
    text << std::setprecision(3) << value;
    return text.str();
  };
  out << '\n'
      << std::left << std::setw(64) << "what" << std::right << std::setw(12) << "time" << std::setw(12) << "baseline"
      << std::setw(10) << "ratio" << std::setw(8) << "bar" << '\n';
  for (const Comparison& c : comparisons_) {
    const auto ours = best_.find(c.name);
    const auto theirs = best_.find(c.baseline);
    if (ours == best_.end() || (!c.baseline.empty() && theirs == best_.end())) continue;
    const bool ratio = !c.baseline.empty();
    const double time = ours->second / c.parts;
    const double value = ratio ? time / theirs->second : time;
    out << std::left << std::setw(64) << c.what << std::right << std::setw(9) << number(time / 1e3) << " us";
    out << std::setw(12) << (ratio ? number(theirs->second / 1e3) + " us" : "-");
    out << std::setw(10) << (ratio ? number(value) : number(value) + " ns");
    out << std::setw(8) << (c.bar > 0 ? number(c.bar) : "-")
        << (c.bar > 0 ? (value <= c.bar ? "  ok" : "  MISSED") : "") << '\n';
  }
}

}  // namespace softradial::bench
