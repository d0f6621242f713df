#pragma once

#include <string>
#include <vector>

#include "plot/panel.hpp"

namespace softradial::plot {

// A circle of a map.
struct Bubble {
  Point at;             // degrees: longitude and latitude
  double size = 0;      // the circle's area, relative to the others'
  double strength = 0;  // -1 is the colour for low values, 1 that for high ones, 0 that of the page
  std::string label;    // text for the pointer and for screen readers; lines are separated by "; "
};

struct BubbleMap {
  std::string title;
  std::string description;
  std::vector<Bubble> bubbles;
};

// A drawing as wide as the page allows and at most `height` high. Both directions have the same scale: a degree of longitude is
// cos(latitude) times one of latitude. Large bubbles are behind small ones.
[[nodiscard]] std::string bubble_map(const BubbleMap& map, double height);

// A legend of the colours: circles for the strengths -1, -1/2, 0, 1/2, 1.
[[nodiscard]] std::string bubble_scale();

}  // namespace softradial::plot
