#pragma once

#include <optional>
#include <string>

#include "anchor_choice.hpp"
#include "command.hpp"
#include "softradial/method.hpp"

namespace softradial::program {

// What is printed for each row.
enum class Quantity { value, vjp, jvp, inverse, log_det, slack };

struct ProjectOptions {
  std::string set_file;
  Method method;
  AnchorChoice anchor;
  Precision precision = Precision::f64;
  Quantity quantity = Quantity::value;
  std::string second_file;  // of vjp and jvp: the cotangents or tangents, row by row
  int threads = 1;
  bool check_finite = false;
};

// stdin to stdout, block by block.
void project_stream(const ProjectOptions& options);

}  // namespace softradial::program
