#pragma once

// The whole public interface.
#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"
#include "softradial/method.hpp"
#include "softradial/projection.hpp"
#include "softradial/row_status.hpp"
#include "softradial/rows.hpp"
#include "softradial/sample_bounds.hpp"
#include "softradial/sample_polyhedra.hpp"
#include "softradial/set.hpp"
#include "softradial/set_json.hpp"
#include "softradial/sets.hpp"
