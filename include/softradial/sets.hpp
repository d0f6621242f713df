#pragma once

// Every set of the library.
#include "softradial/sets/combinators.hpp"
#include "softradial/sets/cones.hpp"
#include "softradial/sets/coordinates.hpp"
#include "softradial/sets/levels.hpp"
#include "softradial/sets/lmis.hpp"
#include "softradial/sets/polyhedra.hpp"
#include "softradial/sets/quadratics.hpp"
