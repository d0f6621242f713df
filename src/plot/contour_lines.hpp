#pragma once

#include <vector>

#include "plot/panel.hpp"

namespace softradial::plot {

// The lines on which the grid, linear along its edges, has the value `level`. Each is a chain of points from one end to the
// other, or back to its first point. Cells with a value that is not finite have no lines.
[[nodiscard]] std::vector<std::vector<Point>> contour_lines(const Grid& grid, double level);

}  // namespace softradial::plot
