#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

// What a plot shows, as values: a panel has two axes and marks. svg.hpp and fluid.hpp turn it into SVG text.
namespace softradial::plot {

struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

struct Range {
  double low = 0;
  double high = 1;
  bool operator==(const Range&) const = default;
};

enum class Scale { linear, log };

struct Tick {
  double at = 0;
  std::string text;
  bool operator==(const Tick&) const = default;
};

// An axis without ticks is not drawn. A log axis needs a positive range.
struct Axis {
  Range range;
  Scale scale = Scale::linear;
  std::string label;
  std::vector<Tick> ticks;
};

// `color` is a number in the palette of colors.hpp, which begins again after its last colour. kInk is the colour of text,
// kFaint that of grids.
inline constexpr int kInk = -1;
inline constexpr int kFaint = -2;

struct Stroke {
  int color = 0;
  double width = 1.5;  // pixels
  double opacity = 1;
  bool dashed = false;
};

// A line that breaks where points are not finite. A name makes it a series: the page can switch it off and read its values.
struct Line {
  std::string name;
  std::vector<Point> points;
  Stroke stroke;
};

// The area inside a closed line.
struct Polygon {
  std::vector<Point> points;
  Stroke stroke;
  double fill_opacity = 0.12;
};

// The area between two lines over the same x. It belongs to the series of its name.
struct Band {
  std::string name;
  std::vector<double> x, low, high;
  int color = 0;
  double opacity = 0.18;
};

// Areas on top of each other: heights[k][i] of names[k] at x[i]. Colours count from 0.
struct StackedArea {
  std::vector<std::string> names;
  std::vector<double> x;
  std::vector<std::vector<double>> heights;
};

enum class Marker { dot, ring, plus, cross, diamond };

struct Scatter {
  std::string name;
  std::vector<Point> points;
  Marker marker = Marker::dot;
  double size = 3;  // half of the marker's width, pixels
  int color = 0;
  double opacity = 1;
};

// Values on a grid: values[row * columns + column] stands at (x, y) spaced evenly over the two ranges.
struct Grid {
  std::size_t columns = 0;
  std::size_t rows = 0;
  Range x, y;
  std::vector<double> values;
};

// The lines on which the values of a grid are equal to each level. Values that are not finite have no lines around them.
struct Contour {
  Grid grid;
  std::vector<double> levels;
  Stroke stroke;
};

// Cells whose colours run from one for range.low over the page's own, in the middle, to one for range.high. values[row *
// columns + column], the first row on top; a value that is not finite is an empty cell. The axes are [0, columns] x [0, rows].
struct HeatMap {
  std::size_t columns = 0;
  std::size_t rows = 0;
  std::vector<double> values;
  std::vector<std::string> texts;  // one for each cell, or none at all
  Range range{-1, 1};
};

enum class Align { start, middle, end };

struct Label {
  Point at;
  std::string text;
  Align align = Align::start;
  int color = kInk;
  double size = 13;
  double dx = 0, dy = 0;  // moves the text, pixels
};

using Mark = std::variant<Line, Polygon, Band, StackedArea, Scatter, Contour, HeatMap, Label>;

struct Panel {
  std::string title;
  std::string description;  // what a screen reader says besides the title
  Axis x, y;
  std::vector<Mark> marks;
};

}  // namespace softradial::plot
