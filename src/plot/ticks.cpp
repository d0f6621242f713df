#include "plot/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace softradial::plot {
namespace {

// The smallest of 1, 2, 5 times a power of ten that is at least `step`.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::vector<double> round_places(Range range, int about) {
  const double width = range.high - range.low;
  if (!(width > 0) || !std::isfinite(width)) return {};
  const double step = round_step(width / std::max(1, about));
  std::vector<double> places;
  // A thousandth of a step allows for the rounding of the range. Ticks count from the first one: far from 0, where a step is
  // less than the rounding of a place, all places are the same.
  const double first = std::ceil(range.low / step - 1e-3);
  const auto count = static_cast<int>(std::floor((range.high - first * step) / step + 1e-3)) + 1;
  for (int i = 0; i < count; ++i) {
    const double k = first + i;
    places.push_back(k == 0 ? 0.0 : k * step);
  }
  return places;
}

}  // namespace

std::vector<Tick> round_ticks(Range range, Scale scale, int about) {
  std::vector<Tick> ticks;
  if (scale == Scale::log && range.high / range.low >= 10) {
    const double first = std::ceil(std::log10(range.low) - 1e-9);
    const double last = std::floor(std::log10(range.high) + 1e-9);
    const double step = std::max(1.0, std::ceil((last - first) / std::max(1, about)));
    for (double k = first; k <= last; k += step) {
      ticks.push_back(
          {std::pow(10.0, k), k < -3 || k > 3 ? fmt::format("1e{:.0f}", k) : fmt::format("{:g}", std::pow(10.0, k))});
    }
    return ticks;
  }
  for (const double at : round_places(range, about)) ticks.push_back({at, fmt::format("{:.6g}", at)});
  return ticks;
}

std::vector<Tick> percent_ticks(Range range, int about) {
  std::vector<Tick> ticks;
  for (const double at : round_places(range, about)) ticks.push_back({at, fmt::format("{:.4g} %", 100 * at)});
  return ticks;
}

Range range_of(const std::vector<double>& numbers, double margin) {
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const double number : numbers) {
    if (!std::isfinite(number)) continue;
    range = {std::min(range.low, number), std::max(range.high, number)};
  }
  if (range.low > range.high) return {0, 1};
  // A constant is shown in the middle of a range of its own size, and so are numbers that differ only by rounding.
  constexpr double kRoundings = 1e-12;
  const double size = std::max({std::abs(range.low), std::abs(range.high), 1e-12});
  const double width = range.high - range.low;
  if (!(width > kRoundings * size)) return {range.low - size / 2, range.high + size / 2};
  return {range.low - margin * width, range.high + margin * width};
}

double place_on(const Axis& axis, double value) {
  const Range& r = axis.range;
  if (axis.scale == Scale::linear) return (value - r.low) / (r.high - r.low);
  return value > 0 ? std::log(value / r.low) / std::log(r.high / r.low) : -std::numeric_limits<double>::infinity();
}

}  // namespace softradial::plot
