#pragma once

#include <string>
#include <vector>

#include "plot/panel.hpp"

namespace softradial::plot {

// A circle of a map.
struct Bubble {
  Point at;             // degrees: longitude and latitude
  double size = 0;      // its area counts, relative to the others'
  double strength = 0;  // -1 is the colour of what is low, 1 of what is high, 0 that of the page
  std::string label;    // what a pointer and a screen reader read; lines are separated by "; "
};

struct BubbleMap {
  std::string title;
  std::string description;
  std::vector<Bubble> bubbles;
};

// A drawing as wide as the page allows and at most so high, both directions to the same scale: a degree of longitude is
// cos(latitude) of one of latitude. Bubbles that are large are behind those that are small.
[[nodiscard]] std::string bubble_map(const BubbleMap& map, double height);

// What the colours mean: circles for the strengths -1, -1/2, 0, 1/2, 1.
[[nodiscard]] std::string bubble_scale();

}  // namespace softradial::plot
