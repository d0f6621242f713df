// Touches what the libraries link privately: the kernels, the linear programme of an anchor, JSON, another layer.
#include <cmath>
#include <cstdio>
#include <softradial/layer.hpp>
#include <softradial/softradial.hpp>

int main() {
  const softradial::Set set = softradial::parse_set(R"({"type": "polyhedron", "A": [[1, 1], [-1, 0], [0, -1]],
                                                        "b": [1, 0, 0]})");
  const softradial::Projection<double> layer(set);
  auto workspace = layer.make_workspace();
  const double u[2] = {30, 40};
  double x[2] = {0, 0};
  layer.project({u, 1, 2}, {x, 1, 2}, workspace);
  const bool inside = x[0] > 0 && x[1] > 0 && x[0] + x[1] < 1;
  std::printf("%g %g\n", x[0], x[1]);
  softradial::make_layer<double>(set, softradial::Orthogonal{})->project({u, 1, 2}, {x, 1, 2}, {});
  const bool nearest = std::abs(x[0]) < 1e-12 && std::abs(x[1] - 1) < 1e-12;
  return inside && nearest ? 0 : 1;
}
