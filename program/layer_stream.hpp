#pragma once

#include "project_stream.hpp"
#include "softradial/layer.hpp"

namespace softradial::program {

// stdin to stdout through a constraint layer that is no radial map: points, or J'g row by row. `evaluate`: the layer as it is
// evaluated, with the exact projection at its end.
void layer_stream(const ProjectOptions& options, const LayerMethod& method, bool evaluate);

}  // namespace softradial::program
