// Production plans: A x <= b are the capacities, E x = f is the demand that must be met exactly. No interior point is
// known: the library finds one. The gradient of a cost then flows back through the layer.
#include <cstdio>
#include <softradial/softradial.hpp>

using namespace softradial;

namespace {

void print(const char* name, const Eigen::VectorXd& values) {
  std::printf("%-7s", name);
  for (const double value : values) std::printf(" %8.4f", value);
  std::printf("\n");
}

}  // namespace

int main() {
  // Three plants; none produces less than nothing, the first two share a line of capacity 5, the third makes at most 4.
  const Eigen::MatrixXd A{{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {1, 1, 0}, {0, 0, 1}};
  const Eigen::VectorXd b{{0, 0, 0, 5, 4}};
  const Eigen::MatrixXd E{{1, 1, 1}};
  const Eigen::VectorXd f{{7}};
  const Set plans = Polyhedron(A, b, E, f);

  const Anchor anchor = find_anchor(plans);
  if (anchor.status != AnchorStatus::found) {
    std::printf("no plan: %s\n", anchor.reason.c_str());
    return 1;
  }
  print("anchor", anchor.point);
  std::printf("slack   %.4f, found by %s\n", anchor.slack, to_string(anchor.source).data());

  const Projection<double> layer(plans, SoftRadial{.lambda = 4.0});
  const Eigen::VectorXd u{{9, 1, 2}}, cost{{3, 1, 2}};
  const Eigen::VectorXd x = layer(u);
  auto workspace = layer.make_workspace();
  Eigen::VectorXd grad_u(3);
  layer.project_vjp({u.data(), 1, 3}, {cost.data(), 1, 3}, {grad_u.data(), 1, 3}, workspace);
  print("x", x);
  print("J'cost", grad_u);
}
