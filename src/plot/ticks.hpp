#pragma once

#include <string>
#include <vector>

#include "plot/panel.hpp"

namespace softradial::plot {

// Ticks at round numbers inside the range: 1, 2 or 5 times a power of ten apart, `about` of them; powers of ten on a log
// axis that spans more than one.
[[nodiscard]] std::vector<Tick> round_ticks(Range range, Scale scale = Scale::linear, int about = 5);

// The same ticks as per cent: 0.05 is "5 %".
[[nodiscard]] std::vector<Tick> percent_ticks(Range range, int about = 5);

// The smallest range that holds all finite numbers, a little widened; [0, 1] if there are none.
[[nodiscard]] Range range_of(const std::vector<double>& numbers, double margin = 0.04);

// Where a value lies on an axis: 0 at its low end, 1 at its high end.
[[nodiscard]] double place_on(const Axis& axis, double value);

}  // namespace softradial::plot
