#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plot/panel.hpp"

namespace softradial::plot {

// A rectangle of the drawing on which the axes are laid out. Its numbers are printed with `decimals` decimals.
struct Frame {
  Axis x, y;
  double width = 0;
  double height = 0;
  int decimals = 0;
  // The page stretches the drawing to its own width: strokes keep their width, and circles are drawn as round dots.
  bool stretched = false;

  [[nodiscard]] Point place(Point p) const;
};

// The SVG path through the points, in steps from point to point, which are short numbers. Points that are not finite break it.
[[nodiscard]] std::string path_through(std::span<const Point> points, const Frame& frame, bool closed = false);

// The text in a form that may stand between tags and in quoted attributes.
[[nodiscard]] std::string escaped(std::string_view text);

}  // namespace softradial::plot
