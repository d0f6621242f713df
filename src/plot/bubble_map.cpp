#include "plot/bubble_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "plot/colors.hpp"
#include "plot/svg_path.hpp"

namespace softradial::plot {
namespace {

// The longer side of the drawing, and the radius of the largest bubble in the same units.
constexpr double kSide = 1000;
constexpr double kLargest = 34;
constexpr double kSmallest = 5;

// A bubble. Below it lies a circle in the page's colour, so that bubbles do not shine through each other.
std::string circle(Point at, double radius, double strength, const std::string& more) {
  const int color = strength < 0 ? 1 : 0;
  return fmt::format(
      "<g {6}><circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"{2:.1f}\" fill=\"#ffffff\" style=\"fill:var(--page)\"/>"
      "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"{2:.1f}\" fill=\"{3}\" stroke=\"{4}\" "
      "style=\"fill:{5};stroke:var(--ink)\" fill-opacity=\"{7:.2f}\" vector-effect=\"non-scaling-stroke\"/></g>",
      at.x, at.y, radius, plain_color(color), plain_color(kInk), variable(color), more,
      std::min(1.0, std::abs(strength)));
}

}  // namespace

std::string bubble_map(const BubbleMap& map, double height) {
  std::vector<Bubble> bubbles = map.bubbles;
  std::ranges::sort(bubbles, std::ranges::greater{}, &Bubble::size);
  double largest = 0;
  Range lon{HUGE_VAL, -HUGE_VAL};
  Range lat = lon;
  for (const Bubble& bubble : bubbles) {
    largest = std::max(largest, bubble.size);
    lon = {std::min(lon.low, bubble.at.x), std::max(lon.high, bubble.at.x)};
    lat = {std::min(lat.low, bubble.at.y), std::max(lat.high, bubble.at.y)};
  }
  const double shrink = std::cos((lat.low + lat.high) / 2 * std::numbers::pi / 180);
  const double wide = (lon.high - lon.low) * shrink;
  const double tall = lat.high - lat.low;
  const double longest = std::max(wide, tall);
  // A single place stands in the middle.
  const double scale = longest > 0 ? (kSide - 2 * kLargest) / longest : 0;
  const double edge = kLargest + 2;
  std::string shapes;
  for (const Bubble& bubble : bubbles) {
    const Point at{edge + (bubble.at.x - lon.low) * shrink * scale, edge + (lat.high - bubble.at.y) * scale};
    const double radius = largest > 0 ? std::max(kSmallest, kLargest * std::sqrt(bubble.size / largest)) : kSmallest;
    shapes += circle(at, radius, bubble.strength,
                     fmt::format("class=\"bubble\" role=\"img\" aria-label=\"{}\"", escaped(bubble.label)));
  }
  const std::string description = map.description.empty() ? map.title : map.title + ". " + map.description;
  return fmt::format(
      "<div class=\"map\"><svg viewBox=\"0 0 {:.0f} {:.0f}\" width=\"100%\" height=\"{:g}\" role=\"group\" "
      "aria-label=\"{}\">{}</svg></div>\n",
      wide * scale + 2 * edge, tall * scale + 2 * edge, height, escaped(description), shapes);
}

std::string bubble_scale() {
  std::string shapes;
  for (int k = 0; k < 5; ++k) shapes += circle({9 + 18.0 * k, 9}, 7, k / 2.0 - 1, "");
  return fmt::format(
      "<svg class=\"scale\" viewBox=\"0 0 90 18\" width=\"90\" height=\"18\" aria-hidden=\"true\">{}</svg>", shapes);
}

}  // namespace softradial::plot
