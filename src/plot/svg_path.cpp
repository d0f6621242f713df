#include "plot/svg_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "plot/ticks.hpp"

namespace softradial::plot {
namespace {

// A length in units of the last decimal. Lengths far outside the drawing are cut: there all places are the same.
std::int64_t in_units(double length, const Frame& frame) {
  constexpr double kFarAway = 1e6;
  return std::llround(std::clamp(length, -kFarAway, kFarAway) * (frame.decimals > 0 ? 10 : 1));
}

// Numbers follow each other without a blank where a sign separates them.
void append(std::string& text, std::int64_t units, const Frame& frame, bool first) {
  if (!first && units >= 0) text += ' ';
  if (frame.decimals == 0 || units % 10 == 0) {
    fmt::format_to(std::back_inserter(text), "{}", frame.decimals == 0 ? units : units / 10);
  } else {
    fmt::format_to(std::back_inserter(text), "{}{}.{}", units < 0 ? "-" : "", std::abs(units) / 10,
                   std::abs(units) % 10);
  }
}

}  // namespace

Point Frame::place(Point p) const { return {place_on(x, p.x) * width, (1 - place_on(y, p.y)) * height}; }

std::string path_through(std::span<const Point> points, const Frame& frame, bool closed) {
  std::string text;
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool begun = false;
  bool stepped = false;
  for (const Point& point : points) {
    const Point place = frame.place(point);
    if (!std::isfinite(place.x) || !std::isfinite(place.y)) {
      begun = false;
      continue;
    }
    const std::int64_t next_x = in_units(place.x, frame);
    const std::int64_t next_y = in_units(place.y, frame);
    if (!begun) {
      text += 'M';
      append(text, next_x, frame, true);
      append(text, next_y, frame, false);
      stepped = false;
    } else {
      if (!stepped) text += 'l';
      append(text, next_x - x, frame, !stepped);
      append(text, next_y - y, frame, false);
      stepped = true;
    }
    begun = true;
    x = next_x;
    y = next_y;
  }
  if (closed && !text.empty()) text += 'Z';
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace softradial::plot
