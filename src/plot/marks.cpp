#include "plot/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/colors.hpp"
#include "plot/contour_lines.hpp"

namespace softradial::plot {
namespace {

// Colours are given twice: as plain ones for readers without style sheets, and by variables, which follow the page.
std::string stroked(const Stroke& stroke) {
  std::string text = fmt::format("fill=\"none\" stroke=\"{}\" style=\"stroke:{}\" stroke-width=\"{:g}\"",
                                 plain_color(stroke.color), variable(stroke.color), stroke.width);
  if (stroke.opacity < 1) text += fmt::format(" stroke-opacity=\"{:g}\"", stroke.opacity);
  if (stroke.dashed) text += " stroke-dasharray=\"5 4\"";
  return text;
}

std::string filled(int color, double opacity) {
  std::string text = fmt::format("fill=\"{}\" style=\"fill:{}\"", plain_color(color), variable(color));
  if (opacity < 1) text += fmt::format(" fill-opacity=\"{:g}\"", opacity);
  return text;
}

std::string series(const std::string& name, std::string_view kind) {
  return name.empty() ? "" : fmt::format("data-series=\"{}\" data-kind=\"{}\" ", escaped(name), kind);
}

std::string path(const std::string& data, const std::string& attributes, const Frame& frame) {
  if (data.empty()) return "";
  return fmt::format("<path {}{} d=\"{}\"/>", attributes,
                     frame.stretched ? " vector-effect=\"non-scaling-stroke\"" : "", data);
}

std::vector<Point> zipped(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<Point> points(std::min(x.size(), y.size()));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = {x[i], y[i]};
  return points;
}

std::string shape(const Line& line, const Frame& frame) {
  return path(path_through(line.points, frame), series(line.name, "line") + stroked(line.stroke), frame);
}

std::string shape(const Polygon& polygon, const Frame& frame) {
  std::string look = filled(polygon.stroke.color, 1);
  look += fmt::format(" fill-opacity=\"{:g}\"", polygon.fill_opacity);
  const std::string data = path_through(polygon.points, frame, true);
  return path(data, look, frame) + path(data, stroked(polygon.stroke), frame);
}

std::string shape(const Band& band, const Frame& frame) {
  std::vector<Point> edge = zipped(band.x, band.high);
  const std::vector<Point> low = zipped(band.x, band.low);
  edge.insert(edge.end(), low.rbegin(), low.rend());
  std::erase_if(edge, [](const Point& p) { return !std::isfinite(p.x) || !std::isfinite(p.y); });
  return path(path_through(edge, frame, true), series(band.name, "band") + filled(band.color, band.opacity), frame);
}

// Draws from the highest edge to the lowest, each area down to the baseline and over the one before: every edge is drawn once.
std::string shape(const StackedArea& stack, const Frame& frame) {
  std::vector<std::vector<Point>> edges;
  std::vector<double> sum(stack.x.size(), 0.0);
  for (const auto& heights : stack.heights) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += heights[i];
    edges.push_back(zipped(stack.x, sum));
  }
  std::string text;
  for (std::size_t k = edges.size(); k-- > 0;) {
    std::vector<Point> area = edges[k];
    if (area.empty()) continue;
    area.push_back({area.back().x, frame.y.range.low});
    area.push_back({area.front().x, frame.y.range.low});
    text += path(path_through(area, frame, true),
                 series(stack.names[k], "area") + filled(static_cast<int>(k), 1) + " class=\"area\"", frame);
  }
  return text;
}

// In a stretched drawing only a stroke without length keeps its shape: a dot or a square.
std::string stretched_points(const Scatter& scatter, const Frame& frame) {
  std::string data;
  for (const Point& point : scatter.points) {
    const std::string start = path_through({&point, 1}, frame);
    if (!start.empty()) data += start + "h0";
  }
  return path(
      data,
      series(scatter.name, "points") +
          fmt::format("fill=\"none\" stroke-linecap=\"{}\" stroke=\"{}\" style=\"stroke:{}\" stroke-width=\"{:g}\" "
                      "stroke-opacity=\"{:g}\"",
                      scatter.marker == Marker::diamond ? "square" : "round", plain_color(scatter.color),
                      variable(scatter.color), 2 * scatter.size, scatter.opacity),
      frame);
}

std::string shape(const Scatter& scatter, const Frame& frame) {
  if (frame.stretched) return stretched_points(scatter, frame);
  std::string text;
  const double r = scatter.size;
  const Stroke stroke{.color = scatter.color, .width = 1.5, .opacity = scatter.opacity};
  for (const Point& point : scatter.points) {
    const Point p = frame.place(point);
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
    switch (scatter.marker) {
      case Marker::dot:
        text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" {}/>", p.x, p.y, r,
                            filled(scatter.color, scatter.opacity));
        break;
      case Marker::ring:
        text += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" {}/>", p.x, p.y, r, stroked(stroke));
        break;
      case Marker::plus:
        text += fmt::format("<path {} d=\"M{:.1f} {:.1f}h{:g}M{:.1f} {:.1f}v{:g}\"/>", stroked(stroke), p.x - r, p.y,
                            2 * r, p.x, p.y - r, 2 * r);
        break;
      case Marker::cross:
        text += fmt::format("<path {4} d=\"M{0:.1f} {1:.1f}l{2:g} {2:g}M{0:.1f} {3:.1f}l{2:g}-{2:g}\"/>", p.x - r,
                            p.y - r, 2 * r, p.y + r, stroked({.color = scatter.color, .width = 2.5}));
        break;
      case Marker::diamond:
        text += fmt::format("<path {3} d=\"M{0:.1f} {1:.1f}l{2:g} {2:g} {2:g}-{2:g}-{2:g}-{2:g}Z\"/>", p.x - r, p.y, r,
                            filled(scatter.color, scatter.opacity));
        break;
    }
  }
  return text;
}

std::string shape(const Contour& contour, const Frame& frame) {
  std::string data;
  for (const double level : contour.levels) {
    for (const auto& line : contour_lines(contour.grid, level)) data += path_through(line, frame);
  }
  return path(data, stroked(contour.stroke), frame);
}

// Colours of a heat map: the palette's second colour for low values, its first for high ones; the further out, the stronger.
std::string shape(const HeatMap& map, const Frame& frame) {
  std::string text;
  const double middle = (map.range.low + map.range.high) / 2;
  const double half = (map.range.high - map.range.low) / 2;
  for (std::size_t row = 0; row < map.rows; ++row) {
    for (std::size_t column = 0; column < map.columns; ++column) {
      const double value = map.values[row * map.columns + column];
      if (!std::isfinite(value)) continue;
      const double strength = std::clamp((value - middle) / half, -1.0, 1.0);
      const double x = static_cast<double>(column);
      const double y = static_cast<double>(map.rows - row);
      const Point corners[] = {{x, y}, {x + 1, y}, {x + 1, y - 1}, {x, y - 1}};
      // At most half of the ink, so that a text on the cell can be read.
      text += path(path_through(corners, frame, true), filled(strength < 0 ? 1 : 0, 0.5 * std::abs(strength)), frame);
    }
  }
  return text;
}

std::string shape(const Label&, const Frame&) { return ""; }

std::string_view anchor_word(Align align) {
  return align == Align::start ? "start" : align == Align::middle ? "middle" : "end";
}

std::string text_at(Point place, const std::string& text, Align align, int color, double size, Point shift,
                    const Frame& frame) {
  if (!std::isfinite(place.x) || !std::isfinite(place.y) || text.empty()) return "";
  const std::string where =
      frame.stretched ? fmt::format("x=\"{:.2f}%\" y=\"{:.2f}%\" dx=\"{:g}\" dy=\"{:g}\"", 100 * place.x / frame.width,
                                    100 * place.y / frame.height, shift.x, shift.y)
                      : fmt::format("x=\"{:.1f}\" y=\"{:.1f}\"", place.x + shift.x, place.y + shift.y);
  return fmt::format("<text {} font-size=\"{:g}\" text-anchor=\"{}\" {}>{}</text>", where, size, anchor_word(align),
                     filled(color, 1), escaped(text));
}

}  // namespace

std::string shapes_of(const Mark& mark, const Frame& frame) {
  return std::visit([&](const auto& one) { return shape(one, frame); }, mark);
}

std::string texts_of(const Mark& mark, const Frame& frame) {
  if (const auto* label = std::get_if<Label>(&mark)) {
    return text_at(frame.place(label->at), label->text, label->align, label->color, label->size, {label->dx, label->dy},
                   frame);
  }
  std::string text;
  if (const auto* map = std::get_if<HeatMap>(&mark); map != nullptr && !map->texts.empty()) {
    for (std::size_t k = 0; k < map->rows * map->columns; ++k) {
      const Point middle{static_cast<double>(k % map->columns) + 0.5,
                         static_cast<double>(map->rows - k / map->columns) - 0.5};
      text += text_at(frame.place(middle), map->texts[k], Align::middle, kInk, 11, {0, 4}, frame);
    }
  }
  return text;
}

std::string grid_lines(const Frame& frame) {
  std::string data;
  const auto add = [&](Point from, Point to) {
    const Point ends[] = {from, to};
    data += path_through(ends, frame);
  };
  for (const Tick& tick : frame.x.ticks) add({tick.at, frame.y.range.low}, {tick.at, frame.y.range.high});
  for (const Tick& tick : frame.y.ticks) add({frame.x.range.low, tick.at}, {frame.x.range.high, tick.at});
  return path(data, stroked({.color = kFaint, .width = 1}), frame);
}

}  // namespace softradial::plot
