#pragma once

#include <string>

#include "softradial/method.hpp"

// Radial methods by their names in Python and on the command line. Unknown names throw InvalidOption with a list of them.
namespace softradial::ops {

struct MethodNames {
  std::string method;
  std::string contraction;
  double lambda = 1;
  double epsilon = 0.01;
};

[[nodiscard]] Method make_method(const std::string& method, const std::string& contraction, double lambda,
                                 double epsilon);
[[nodiscard]] MethodNames method_names(const Method& method);

}  // namespace softradial::ops
