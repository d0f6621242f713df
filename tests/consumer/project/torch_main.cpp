// The layer as a LibTorch program meets it: installed headers, the exported target, the ops by name.
#include <softradial/nn.hpp>
#include <softradial/sets.hpp>

int main() {
  softradial::nn::SoftRadial layer(softradial::Simplex(3));
  const torch::Tensor x = layer(torch::tensor({{5.0, -2.0, 0.5}}));
  return (x > 0).all().item<bool>() && std::abs(x.sum().item<double>() - 1) < 1e-6 ? 0 : 1;
}
