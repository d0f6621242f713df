#include "support/cotangent_checker.hpp"

#include <algorithm>
#include <cmath>

namespace softradial::support {
namespace {

// For maps that vary on lengths from 0.1 on: truncation O((h / 0.1)^4) = 1e-16, rounding 1e-16 / h = 1e-11.
constexpr double kStep = 1e-5;
// Central differences with steps h and 2h agree to O((h / 0.1)^2) = 1e-8 on smooth pieces.
constexpr double kSmooth = 1e-6;

}  // namespace

CotangentReport check_cotangent(const std::function<Eigen::VectorXd(const Eigen::VectorXd&)>& map,
                                const Eigen::VectorXd& arguments, const Eigen::VectorXd& grad_x,
                                const Eigen::VectorXd& cotangent) {
  const double size = grad_x.norm() + cotangent.norm();
  const auto difference = [&](Eigen::Index j, double h) {
    const Eigen::VectorXd step = h * Eigen::VectorXd::Unit(arguments.size(), j);
    return grad_x.dot(map(arguments + step) - map(arguments - step)) / (2 * h);
  };
  CotangentReport report;
  for (Eigen::Index j = 0; j < arguments.size(); ++j) {
    if (std::isinf(arguments[j])) continue;
    const double h = kStep * std::max(1.0, std::abs(arguments[j]));
    const double narrow = difference(j, h);
    const double wide = difference(j, 2 * h);
    if (std::abs(narrow - wide) > kSmooth * size) {
      ++report.near_kinks;
      continue;
    }
    ++report.checked;
    report.error = std::max(report.error, std::abs(cotangent[j] - (4 * narrow - wide) / 3) / size);
  }
  return report;
}

}  // namespace softradial::support
