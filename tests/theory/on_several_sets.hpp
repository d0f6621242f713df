#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "reference/paper_projection.hpp"
#include "reference/ray_exit.hpp"
#include "support/gauge_probe.hpp"
#include "support/point_layer.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"
#include "support/vectors.hpp"

namespace softradial {

inline const char* name_of(Contraction contraction) {
  constexpr const char* kNames[] = {"rational", "exponential", "hyperbolic"};
  return kNames[static_cast<int>(contraction)];
}

inline void PrintTo(const SoftRadial& method, std::ostream* out) { *out << name_of(method.contraction); }

}  // namespace softradial

namespace softradial::theory {

using Eigen::MatrixXd;
using Eigen::VectorXd;

using support::vec;

// The three contractions of the paper, with parameters that matter at |u - u0| of about 1.
inline const std::vector<SoftRadial>& contractions() {
  static const std::vector<SoftRadial> all = {
      {.contraction = Contraction::rational, .lambda = 1, .epsilon = 0.01},
      {.contraction = Contraction::exponential, .lambda = 4, .epsilon = 0.05},
      {.contraction = Contraction::hyperbolic, .lambda = 4, .epsilon = 0.1},
  };
  return all;
}

// The sets on which the theorems are tried: bounded and unbounded, smooth and polyhedral, flat, off centre.
inline std::vector<support::NamedSet> several_sets() { return support::exemplars(); }

// A set with its anchor, its hull and its gauge.
class OnSeveralSets : public ::testing::TestWithParam<support::NamedSet> {
 protected:
  Set set_ = GetParam().set;
  Anchor anchor_ = set_.anchor() ? check_anchor(set_, *set_.anchor()) : require_anchor(set_);
  support::GaugeProbe gauge_{set_, anchor_};
  support::RandomPoints random_{42};
  // A ball of this radius around the anchor, in the hull, lies in C.
  double delta_ = 1 / gauge_.gauge().lipschitz();

  [[nodiscard]] VectorXd point(double distance) { return anchor_.point + distance * random_.unit_on(anchor_.hull); }

  [[nodiscard]] bool contains(const VectorXd& x, double tolerance) const {
    std::vector<double> slacks(set_->num_inequalities());
    set_->slacks({x.data(), set_.dim()}, slacks);
    for (double slack : slacks) {
      if (!(slack >= -tolerance)) return false;
    }
    return true;
  }

  [[nodiscard]] support::PointLayer layer(const Method& method) const {
    return support::PointLayer(set_, method, {.anchor_point = anchor_.point});
  }

  // The part of a vector that lies along the hull.
  [[nodiscard]] VectorXd along_hull(const VectorXd& v) const {
    return v - anchor_.hull.normals.transpose() * (anchor_.hull.normals * v);
  }
};

}  // namespace softradial::theory
