#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "softradial/layer.hpp"

// The paper's comparison of constraint layers, measured: `softradial compare`.
namespace softradial::layers {

struct ComparedSet {
  std::string name;
  Set set;
};

// One small set of every family: the sets that are compared if the user names none.
[[nodiscard]] std::vector<ComparedSet> default_sets();

// Violations are measured at these scales of the input; gradients at these multiples of the distance from the anchor to
// the boundary.
inline constexpr std::array<double, 3> kScales = {1, 1e3, 1e6};
inline constexpr std::array<double, 3> kDistances = {2, 10, 100};

struct Comparison {
  std::string method;
  std::string set;
  std::string unsupported;            // why the method does not support the set; if so, the rest is empty
  std::array<double, 3> violation{};  // worst violation of an inequality, random rows, float, as in training
  double evaluated_violation = 0;     // the same at the largest scale, as in evaluation
  double equality_residual = 0;       // the worst over all scales, as in training
  std::size_t rank = 0;               // smallest rank of the Jacobian at random points outside the set
  std::size_t hull_dim = 0;           // the largest rank that is possible
  std::array<double, 3> gradient{};   // mean |J'g| over random unit g
  double time = 0;                    // forward and backward, divided by the time of a softmax of this shape
  double iterations = 0;              // inner iterations per row; 0: closed form
};

// The sets that a method supports, in words.
[[nodiscard]] std::string method_scope(const LayerMethod& method);

[[nodiscard]] Comparison compare(const ComparedSet& set, const LayerMethod& method);

// Gradient descent on u for |x(u) - target|^2 / 2, on the simplex in three variables (paper, figure 1), from a start far
// outside.
struct Descent {
  std::string method;
  std::string target;  // "inside", "near the boundary", "on the boundary"
  bool reached = false;
  int steps = 0;        // until the distance fell below kReached, or until the end
  double distance = 0;  // at the end
  double gradient = 0;  // its size at the end; 0 short of the target: descent is stuck
};
inline constexpr double kReached = 0.01;
inline constexpr int kDescentSteps = 5000;

[[nodiscard]] std::vector<Descent> descend(const LayerMethod& method);

}  // namespace softradial::layers
