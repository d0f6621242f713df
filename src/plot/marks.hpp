#pragma once

#include <string>

#include "plot/svg_path.hpp"

namespace softradial::plot {

// The lines, areas and points of a mark as SVG elements inside the frame; empty for labels.
[[nodiscard]] std::string shapes_of(const Mark& mark, const Frame& frame);

// The text of a mark. Its coordinates are lengths, or percentages of the frame if that is stretched.
[[nodiscard]] std::string texts_of(const Mark& mark, const Frame& frame);

// Lines across the frame at the ticks of both axes.
[[nodiscard]] std::string grid_lines(const Frame& frame);

}  // namespace softradial::plot
