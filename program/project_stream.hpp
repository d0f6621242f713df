#pragma once

#include <string>

#include "anchor_choice.hpp"
#include "command.hpp"
#include "softradial/layer.hpp"

namespace softradial::program {

// The number or point that is printed for each row. `evaluation`: the layer as it is evaluated, not as it is trained.
enum class Quantity { value, evaluation, vjp, jvp, inverse, log_det, slack };

struct ProjectOptions {
  std::string set_file;
  LayerMethod method = SoftRadial{};
  bool auto_lambda = true;  // soft_radial's lambda in units of the set, not that of `method`
  AnchorChoice anchor;
  Precision precision = Precision::f64;
  Quantity quantity = Quantity::value;
  std::string second_file;  // the cotangents of vjp or the tangents of jvp, row by row
  int threads = 1;
  bool check_finite = false;
};

// Reads rows from stdin, maps them and prints the results, block by block. Every method goes this way. Throws BadInput
// for a quantity or an anchor that the method does not have.
void project_stream(const ProjectOptions& options);

}  // namespace softradial::program
