// The layer at work: inputs of growing size along one direction, mapped by the soft radial, the hard radial and the
// orthogonal projection. What to look at: where the point lands, the slack that is left, how much of a loss gradient g
// comes back through the map, and whether the Jacobian keeps its rank.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <optional>
#include <random>
#include <softradial/softradial.hpp>
#include <string>
#include <vector>

#include "orthogonal_projection.hpp"

namespace {

using softradial::Projection;
using softradial::Set;
using Point = std::vector<double>;

constexpr std::array kSizes = {0.1, 1.0, 10.0, 1e3, 1e6, 1e37};
constexpr std::size_t kShown = 4;  // coordinates of x

// One line of the table.
struct Outcome {
  Point x;
  double slack;          // the smallest of the set's inequalities at x
  double gradient_norm;  // |J'g|
  int rank;              // of J
};

double norm(const Point& v) { return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0)); }

Point scaled_to(Point v, double size) {
  const double factor = size / norm(v);
  for (double& value : v) value *= factor;
  return v;
}

// Uniform in [-1, 1), the same on every system.
Point random_point(std::mt19937& generator, std::size_t dim) {
  Point v(dim);
  for (double& value : v) value = static_cast<double>(generator()) / 2147483648.0 - 1;
  return v;
}

double smallest_slack(const Set& set, const Point& x) {
  Point slacks(set->num_inequalities());
  set->slacks(x, slacks);
  return *std::min_element(slacks.begin(), slacks.end());
}

// The rank follows from log|det J|, which stays finite where the singular values themselves are out of reach of an SVD;
// a singular Jacobian of a radial map has lost the direction of the ray and no other.
Outcome radial(const Projection<double>& layer, const Point& u, const Point& g) {
  auto workspace = layer.make_workspace();
  Point x(u.size()), grad_u(u.size()), log_det(1);
  const softradial::Rows<const double> row(u.data(), 1, u.size());
  layer.project(row, {x.data(), 1, x.size()}, workspace);
  layer.project_vjp(row, {g.data(), 1, g.size()}, {grad_u.data(), 1, grad_u.size()}, workspace);
  layer.log_abs_det(row, log_det, workspace);
  const int full_rank = static_cast<int>(layer.hull_dim());
  return {x, smallest_slack(layer.set(), x), norm(grad_u), std::isfinite(log_det[0]) ? full_rank : full_rank - 1};
}

Outcome orthogonal(const Set& set, double cap, const Point& u, const Point& g) {
  const OrthogonalProjection projection(u, cap, 1);
  return {projection.x(), smallest_slack(set, projection.x()), norm(projection.vjp(g)), projection.rank()};
}

void print(const std::string& size, const char* method, const Outcome& outcome, std::size_t full_rank) {
  std::printf("%7s  %-11s ", size.c_str(), method);
  for (std::size_t j = 0; j < kShown; ++j) {
    if (j < outcome.x.size()) {
      std::printf(" %7.4f", outcome.x[j]);
    } else {
      std::printf("%8s", "");
    }
  }
  std::printf("  %9.1e  %9.1e  %3d of %zu\n", outcome.slack, outcome.gradient_norm, outcome.rank, full_rank);
}

// Prints one table, with the orthogonal projection if a cap is given. True if the soft radial points are all
// strictly inside with a Jacobian of full rank.
bool show(const std::string& title, const Set& set, std::optional<double> cap, std::mt19937& generator) {
  const Projection<double> soft(set, softradial::SoftRadial{}), hard(set, softradial::HardRadial{});
  const Point direction = random_point(generator, set.dim());
  const Point g = scaled_to(random_point(generator, set.dim()), 1);
  const std::size_t full_rank = soft.hull_dim();

  std::printf("\n%s\n\n", title.c_str());
  std::printf("    |u|  method       x_1 ... x_%zu %19s %10s %10s  rank J\n", std::min(kShown, set.dim()), "", "slack",
              "|J'g|");
  bool kept = true;
  for (const double size : kSizes) {
    const Point u = scaled_to(direction, size);
    const Outcome outcome = radial(soft, u, g);
    kept = kept && outcome.slack > 0 && outcome.rank == static_cast<int>(full_rank);
    std::array<char, 16> label{};
    std::snprintf(label.data(), label.size(), "%g", size);
    print(label.data(), "soft radial", outcome, full_rank);
    print("", "hard radial", radial(hard, u, g), full_rank);
    if (cap) print("", "orthogonal", orthogonal(set, *cap, u, g), full_rank);
  }
  return kept;
}

Set cut_ellipsoid() {
  const Eigen::MatrixXd shape{{1.0, 0.2, 0.0}, {0.2, 0.5, 0.1}, {0.0, 0.1, 2.0}};
  const Eigen::MatrixXd A{{1, 1, 1}, {-1, 2, 0}};
  const Eigen::VectorXd b{{0.8, 1.0}};
  const Eigen::VectorXd origin = Eigen::VectorXd::Zero(3);
  const Set set = softradial::Intersection({softradial::Ellipsoid(origin, shape), softradial::Polyhedron(A, b)});
  return set.with_anchor(origin);
}

constexpr const char* kOpening =
    R"(Three ways to force a model's output u into a convex set C. g is a loss gradient of length 1 at x, J'g what of it
reaches the model, slack the room that is left to the boundary.
)";

constexpr const char* kClosing = R"(
Soft radial: always strictly inside, the Jacobian always of full rank.
Hard radial: once u is outside, on the boundary to rounding, and blind along the ray.
Orthogonal:  once u is outside, on the boundary, and blind to every coordinate at a bound.

Next: ./dev build, put {"type": "capped_simplex", "dim": 4, "cap": 0.4} into set.json, and try
      echo 3,-1,0.5,0.5 | build/bin/softradial project --set set.json
or start a program of your own from examples/quickstart.cpp.
)";

}  // namespace

int main() {
  using softradial::CappedSimplex;
  std::fputs(kOpening, stdout);
  std::mt19937 generator(7);
  bool kept = true;
  kept &= show("capped simplex, n = 5:  0 <= x <= 0.35, sum(x) = 1", CappedSimplex(5, 0.35), 0.35, generator);
  kept &= show("capped simplex, n = 50:  0 <= x <= 0.05, sum(x) = 1", CappedSimplex(50, 0.05), 0.05, generator);
  kept &= show("ellipsoid cut by two halfspaces, n = 3 (the orthogonal projection would need a solver)",
               cut_ellipsoid(), std::nullopt, generator);
  std::fputs(kClosing, stdout);
  return kept ? 0 : 1;
}
