#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plot/svg.hpp"

namespace softradial::study {

// A figure, drawn when it is asked for.
struct Figure {
  std::string name;  // file name without an ending
  std::string what;  // description in one line
  std::function<plot::Picture()> draw;
};

// The figures of the paper: projection, intuition, landscape_rational, landscape_exponential, landscape_hyperbolic,
// landscape_epsilon; saturation, for docs/boundaries.md; then map_NAME for every other layer of the library that can be
// drawn in the plane.
[[nodiscard]] std::vector<Figure> all_figures();

}  // namespace softradial::study
