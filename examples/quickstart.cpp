// Portfolio weights from raw scores: non-negative, at most 40 % each, summing to one, whatever the scores are.
#include <cstdio>
#include <softradial/softradial.hpp>
#include <vector>

int main() {
  const std::size_t batch = 3, dim = 4;
  const std::vector<float> u = {0.1f, 0.2f, 0.0f, -0.1f, 3.0f, -1.0f, 0.5f, 0.5f, 1e6f, -1e6f, 2e6f, 0.0f};

  const softradial::Projection<float> layer(softradial::CappedSimplex(dim, 0.4));
  const std::vector<float> x = layer({u.data(), batch, dim});

  for (std::size_t i = 0; i < x.size(); ++i) std::printf("%.4f%s", x[i], i % dim == dim - 1 ? "\n" : "  ");
}
