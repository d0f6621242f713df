// Allocations with a budget and caps of their own for every sample: sum(x) = budget(z), 0 <= x <= caps(z).
#include <torch/torch.h>

#include <iostream>

#include "softradial/nn.hpp"
#include "softradial/sets.hpp"

int main() {
  torch::manual_seed(0);
  softradial::nn::SoftRadial layer(softradial::CappedSimplex(8, 0.5));
  const torch::Tensor budget = torch::tensor({100.0F, 250.0F, 40.0F});
  const torch::Tensor caps = (budget.unsqueeze(-1) * (0.2F + 0.2F * torch::rand({3, 8}))).requires_grad_();
  const torch::Tensor u = torch::randn({3, 8}) * 1e3;

  const torch::Tensor x = layer(u, softradial::nn::SampleTensors{.cap = caps, .sum = budget});
  x.square().sum().backward();
  std::cout << "budgets spent: " << x.sum(-1).detach().view({1, 3}) << "\n"
            << "all below their caps: " << (x < caps).all().item<bool>() << "\n"
            << "gradient to the caps: " << caps.grad().abs().sum().item<float>() << "\n";
}
