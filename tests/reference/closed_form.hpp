#pragma once

#include <Eigen/Core>

#include "softradial/gauge_form.hpp"

namespace softradial::reference {

// gamma(d) of a closed form, by the formula that stands at its declaration, in double; the exit of a level set's ray by
// bisection. Without kappa |d|.
[[nodiscard]] double evaluate(const GaugeForm& form, const Eigen::VectorXd& d);

}  // namespace softradial::reference
