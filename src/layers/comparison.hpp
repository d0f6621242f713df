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

// A small member of every family: what is compared where the user names no set.
[[nodiscard]] std::vector<ComparedSet> default_sets();

// Scales of the input at which violations are taken; distances outside, in units of the way to the boundary, at which
// gradients are.
inline constexpr std::array<double, 3> kScales = {1, 1e3, 1e6};
inline constexpr std::array<double, 3> kDistances = {2, 10, 100};

struct Comparison {
  std::string method;
  std::string set;
  std::string unsupported;            // why the method does not take the set; the rest is empty then
  std::array<double, 3> violation{};  // of inequalities, the worst over random rows, in single precision, as trained
  double evaluated_violation = 0;     // the same at the largest scale, as the layer is evaluated
  double equality_residual = 0;       // the worst over all scales, as trained
  std::size_t rank = 0;               // of the Jacobian outside the set, the least over random points
  std::size_t hull_dim = 0;           // what it could be
  std::array<double, 3> gradient{};   // mean |J'g| over random unit g
  double time = 0;                    // forward and backward, in units of the softmax of the same shape
  double iterations = 0;              // inner iterations a row; 0: closed form
};

// What a method takes, in words.
[[nodiscard]] std::string method_scope(const LayerMethod& method);

[[nodiscard]] Comparison compare(const ComparedSet& set, const LayerMethod& method);

// Gradient descent on u for |x(u) - target|^2 / 2 on the simplex in three variables, two dimensions (paper, figure 1), from
// one start far outside.
struct Descent {
  std::string method;
  std::string target;  // "inside", "near the boundary", "on the boundary"
  bool reached = false;
  int steps = 0;        // until the distance fell below kReached, or until the end
  double distance = 0;  // at the end
  double gradient = 0;  // its size at the end: where nothing is reached, 0 says that it never will be
};
inline constexpr double kReached = 0.01;
inline constexpr int kDescentSteps = 5000;

[[nodiscard]] std::vector<Descent> descend(const LayerMethod& method);

}  // namespace softradial::layers
