#pragma once

#include "runs/run_config.hpp"
#include "tasks/constraint_layer.hpp"

namespace softradial::study {

// A method on a set, as the tasks take it: the fused ops for the radial maps, the other layers of the library, equal weight.
// Softmax knows simplices only: on a capped simplex it is trained on the simplex, and what it breaks is reported.
[[nodiscard]] ConstraintLayer decision_layer(const LayerConfig& config, const Set& set);

// The largest violation of an inequality in any row, judged in double precision on the numbers that were returned; of an
// equality what exceeds the rounding of its terms.
[[nodiscard]] ViolationFunction violation_of(const Set& set);

}  // namespace softradial::study
