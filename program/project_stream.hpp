#pragma once

#include <string>

#include "anchor_choice.hpp"
#include "command.hpp"
#include "softradial/layer.hpp"

namespace softradial::program {

// The quantity to print for each row. `evaluation`: the layer as in evaluation, not as in training.
enum class Quantity { value, evaluation, vjp, jvp, inverse, log_det, slack };

struct ProjectOptions {
  std::string set_file;
  LayerMethod method = SoftRadial{};
  bool auto_lambda = true;  // use soft_radial's lambda in units of the set, not that of `method`
  AnchorChoice anchor;
  Precision precision = Precision::f64;
  Quantity quantity = Quantity::value;
  std::string second_file;  // the cotangents of vjp or the tangents of jvp, row by row
  int threads = 1;
  bool check_finite = false;
};

// Reads rows from stdin, maps them and prints the results, block by block, for every method. Throws BadInput for a quantity or
// an anchor that the method does not have.
void project_stream(const ProjectOptions& options);

}  // namespace softradial::program
