#pragma once

#include <string>
#include <vector>

#include "plot/panel.hpp"

namespace softradial::plot {

// Where a panel lies in a picture: the rectangle of its axes, in pixels. Ticks and labels stand outside of it.
struct Box {
  double left = 0, top = 0, width = 0, height = 0;
};

struct PlacedPanel {
  Panel panel;
  Box box;
  bool inset = false;  // on top of another panel: with a background and a frame of its own
};

// A picture of its own, of fixed size.
struct Picture {
  std::string title;
  std::string description;
  double width = 0;
  double height = 0;
  std::vector<PlacedPanel> panels;
};

// The whole file. It is dark if the reader's page is; readers without style sheets show it on white.
[[nodiscard]] std::string svg_of(const Picture& picture);

}  // namespace softradial::plot
