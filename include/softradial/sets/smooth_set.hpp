#pragma once

#include "softradial/set.hpp"

namespace softradial {

// What the sets with one nonlinear inequality share.
class SmoothSet : public ConvexSet {
 public:
  bool append_linear(LinearSystem& out) const override;
  [[nodiscard]] std::size_t num_inequalities() const override { return 1; }
  [[nodiscard]] std::string inequality_name(std::size_t index) const override;
};

}  // namespace softradial
