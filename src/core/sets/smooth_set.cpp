#include "softradial/sets/smooth_set.hpp"

namespace softradial {

bool SmoothSet::append_linear(LinearSystem& /*out*/) const { return false; }

std::string SmoothSet::inequality_name(std::size_t /*index*/) const { return describe().type; }

}  // namespace softradial
