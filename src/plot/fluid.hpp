#pragma once

#include <string>

#include "plot/panel.hpp"

namespace softradial::plot {

// The panel as a part of a page: as wide as the page lets it be and `height` pixels high. Scaling a whole picture would
// flatten the plot and shrink its texts on phones; here the drawing alone is stretched, and the texts stand beside it at
// shares of its width.
//
//   <div class="plot" data-...>  texts of the y axis | drawing, its texts, texts of the x axis  </div>
//
// The coordinates of points are whole numbers in 0 ... kFluidWidth and 0 ... kFluidHeight. A page can read values back from
// them, with the ends of the axes in data-x0, data-x1, data-y0, data-y1 (and data-y-log).
inline constexpr double kFluidWidth = 5000;
inline constexpr double kFluidHeight = 10000;
[[nodiscard]] std::string fluid(const Panel& panel, double height);

// The rules that a page needs in its style sheet for fluid panels, besides color_rules.
[[nodiscard]] std::string fluid_rules();

}  // namespace softradial::plot
