#pragma once

#include <span>
#include <string_view>

#include "softradial/set.hpp"
#include "softradial/softradial.h"

namespace softradial::c_abi {

// Makes a set of a type from its fields, given as arrays. Messages begin with the type and the field.
[[nodiscard]] Set make_set(std::string_view type, std::span<const sr_field> fields);

}  // namespace softradial::c_abi
