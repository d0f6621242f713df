// A controller whose actions never leave the safe set: an ellipsoid (the energy 1/2 x'Rx that the drive can take) cut by a box
// (the limits of each motor). Everything is allocated before the loop; inside it there are only noexcept calls.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <softradial/softradial.hpp>

using namespace softradial;

int main() {
  const Eigen::Vector2d limit(1.0, 0.6);
  const Eigen::Matrix2d R{{1.0, 0.4}, {0.4, 2.0}};
  const Set safe_actions = Intersection({Quadratic(R, Eigen::Vector2d::Zero(), -0.5), Box(-limit, limit)});

  const Evaluator<float> evaluator(safe_actions, require_anchor(safe_actions), SoftRadial{}, 1);
  Workspace<float> workspace(evaluator);

  // A mass on a plane, pushed towards the origin by a controller that always asks for far too much.
  const float time_step = 0.01f;
  std::array<float, 2> position = {3.0f, -2.0f}, velocity = {0.0f, 0.0f}, wish{}, action{};
  std::array<float, 1> slack{};
  float smallest_slack = std::numeric_limits<float>::infinity();
  for (int step = 0; step < 3000; ++step) {
    for (std::size_t i = 0; i < 2; ++i) wish[i] = -40.0f * position[i] - 60.0f * velocity[i];
    const Rows<const float> u(wish.data(), 1, wish.size());
    evaluator.project(u, Rows<float>(action), workspace);
    evaluator.slack(u, slack, workspace);
    smallest_slack = std::min(smallest_slack, slack[0]);
    for (std::size_t i = 0; i < 2; ++i) {
      velocity[i] += time_step * action[i];
      position[i] += time_step * velocity[i];
    }
  }
  std::printf("distance to the origin after 30 s: %.3f\n", std::hypot(position[0], position[1]));
  std::printf("every action strictly safe: %s\n", smallest_slack > 0 ? "yes" : "no");
  return smallest_slack > 0 ? 0 : 1;
}
