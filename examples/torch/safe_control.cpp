// A controller whose action stays in an ellipsoid, whatever the network says: trained to follow a target outside of it.
#include <torch/torch.h>

#include <iostream>

#include "softradial/nn.hpp"
#include "softradial/sets.hpp"

int main() {
  torch::manual_seed(0);
  const Eigen::Matrix2d energy{{4.0, 1.0}, {1.0, 2.0}};  // 1/2 x'Sx <= 1/2: what the actuator can take
  softradial::nn::SoftRadial safe(softradial::Quadratic(energy, Eigen::Vector2d::Zero(), -0.5));
  torch::nn::Sequential policy(torch::nn::Linear(2, 16), torch::nn::Tanh(), torch::nn::Linear(16, 2), safe);
  torch::optim::Adam optimizer(policy->parameters(), 1e-2);

  for (int step = 0; step < 300; ++step) {
    const torch::Tensor state = torch::randn({64, 2});
    const torch::Tensor action = policy->forward(state);
    const torch::Tensor loss = (action + state).square().sum(-1).mean();  // push back against the state
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
  const torch::Tensor action = policy->forward(1000 * torch::randn({1000, 2})).to(torch::kDouble);
  const torch::Tensor S = torch::tensor({{4.0, 1.0}, {1.0, 2.0}}, torch::kDouble);
  std::cout << "largest x'Sx: " << (action.matmul(S) * action).sum(-1).max().item<double>() << "\n";
}
