// Touches what the library links privately: the kernels, the linear programme of an anchor, JSON.
#include <cmath>
#include <cstdio>
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
  return inside ? 0 : 1;
}
