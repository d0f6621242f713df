#include "plot/contour_lines.hpp"

#include <array>
#include <cmath>
#include <map>

namespace softradial::plot {
namespace {

// An edge of the grid: it starts at a node and goes right (0) or up (1). Every crossing of the level lies on one.
using Edge = std::size_t;

struct Tracer {
  const Grid& grid;
  double level;
  std::map<Edge, std::vector<Edge>> neighbours;

  [[nodiscard]] double value(std::size_t column, std::size_t row) const {
    return grid.values[row * grid.columns + column];
  }
  [[nodiscard]] Edge edge(std::size_t column, std::size_t row, std::size_t up) const {
    return 2 * (row * grid.columns + column) + up;
  }

  [[nodiscard]] Point place(Edge e) const {
    const std::size_t up = e % 2;
    const std::size_t row = e / 2 / grid.columns;
    const std::size_t column = e / 2 % grid.columns;
    const double a = value(column, row);
    const double b = up ? value(column, row + 1) : value(column + 1, row);
    const double share = (level - a) / (b - a);
    const double x = static_cast<double>(column) + (up ? 0 : share);
    const double y = static_cast<double>(row) + (up ? share : 0);
    return {grid.x.low + (grid.x.high - grid.x.low) * x / static_cast<double>(grid.columns - 1),
            grid.y.low + (grid.y.high - grid.y.low) * y / static_cast<double>(grid.rows - 1)};
  }

  void join(Edge a, Edge b) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }

  // Marching squares. In a saddle the value in the middle of the cell says which corners belong together.
  void cell(std::size_t column, std::size_t row) {
    const std::array<double, 4> corners = {value(column, row), value(column + 1, row), value(column + 1, row + 1),
                                           value(column, row + 1)};
    for (const double corner : corners) {
      if (!std::isfinite(corner)) return;
    }
    const std::array<Edge, 4> edges = {edge(column, row, 0), edge(column + 1, row, 1), edge(column, row + 1, 0),
                                       edge(column, row, 1)};
    std::vector<std::size_t> crossed;
    for (std::size_t k = 0; k < 4; ++k) {
      if ((corners[k] >= level) != (corners[(k + 1) % 4] >= level)) crossed.push_back(k);
    }
    if (crossed.size() == 2) join(edges[crossed[0]], edges[crossed[1]]);
    if (crossed.size() == 4) {
      const bool middle = (corners[0] + corners[1] + corners[2] + corners[3]) / 4 >= level;
      const std::size_t shift = middle == (corners[0] >= level) ? 0 : 3;
      join(edges[shift], edges[(shift + 1) % 4]);
      join(edges[(shift + 2) % 4], edges[(shift + 3) % 4]);
    }
  }

  // Follows the chain from an edge and removes each piece that it passes.
  std::vector<Point> chain(Edge from) {
    std::vector<Point> points = {place(from)};
    for (Edge at = from; !neighbours[at].empty();) {
      const Edge next = neighbours[at].back();
      neighbours[at].pop_back();
      std::erase(neighbours[next], at);
      points.push_back(place(next));
      at = next;
    }
    return points;
  }
};

}  // namespace

std::vector<std::vector<Point>> contour_lines(const Grid& grid, double level) {
  Tracer tracer{grid, level, {}};
  for (std::size_t row = 0; row + 1 < grid.rows; ++row) {
    for (std::size_t column = 0; column + 1 < grid.columns; ++column) tracer.cell(column, row);
  }
  std::vector<std::vector<Point>> lines;
  // Open chains come first, from one of their ends; the rest are loops.
  for (const std::size_t ends : {1, 2}) {
    for (auto& [edge, next] : tracer.neighbours) {
      if (next.size() == ends) lines.push_back(tracer.chain(edge));
    }
  }
  return lines;
}

}  // namespace softradial::plot
