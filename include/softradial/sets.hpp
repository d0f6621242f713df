#pragma once

// Every set of the library.
#include "softradial/sets/ball.hpp"
#include "softradial/sets/combinators.hpp"
#include "softradial/sets/coordinate_set.hpp"
#include "softradial/sets/entropy_sets.hpp"
#include "softradial/sets/level_set.hpp"
#include "softradial/sets/lmi.hpp"
#include "softradial/sets/lp_ball.hpp"
#include "softradial/sets/polyhedron.hpp"
#include "softradial/sets/quadratic.hpp"
#include "softradial/sets/second_order_cone.hpp"
