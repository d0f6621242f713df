#pragma once

// The library for rows in memory: sets, anchors, maps and their inverses, SET.json. Link softradial::core.
//
// These headers are not included, because they need more libraries:
//   softradial/layer.hpp, qp_layer.hpp, violation.hpp   other constraint layers, a meter of violations; softradial::baselines
//   softradial/nn.hpp                                   the layers as LibTorch modules; softradial::torch
#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"
#include "softradial/method.hpp"
#include "softradial/projection.hpp"
#include "softradial/reach.hpp"
#include "softradial/row_status.hpp"
#include "softradial/rows.hpp"
#include "softradial/sample_bounds.hpp"
#include "softradial/sample_polyhedra.hpp"
#include "softradial/set.hpp"
#include "softradial/set_json.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets.hpp"
#include "softradial/tensor.hpp"
