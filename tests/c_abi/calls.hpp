#pragma once

#include "softradial/softradial.h"

namespace softradial::test {

// The functions of one precision by one name.
template <class T>
struct Calls;

template <>
struct Calls<float> {
  using In = sr_const_rows_f32;
  using Out = sr_rows_f32;
  static constexpr auto kProject = sr_project_f32;
  static constexpr auto kEvaluate = sr_evaluate_f32;
  static constexpr auto kVjp = sr_project_vjp_f32;
  static constexpr auto kJvp = sr_project_jvp_f32;
  static constexpr auto kInverse = sr_inverse_f32;
  static constexpr auto kLogAbsDet = sr_log_abs_det_f32;
  static constexpr auto kSlack = sr_slack_f32;
  static constexpr auto kViolation = sr_set_violation_f32;
};
template <>
struct Calls<double> {
  using In = sr_const_rows_f64;
  using Out = sr_rows_f64;
  static constexpr auto kProject = sr_project_f64;
  static constexpr auto kEvaluate = sr_evaluate_f64;
  static constexpr auto kVjp = sr_project_vjp_f64;
  static constexpr auto kJvp = sr_project_jvp_f64;
  static constexpr auto kInverse = sr_inverse_f64;
  static constexpr auto kLogAbsDet = sr_log_abs_det_f64;
  static constexpr auto kSlack = sr_slack_f64;
  static constexpr auto kViolation = sr_set_violation_f64;
};

}  // namespace softradial::test
