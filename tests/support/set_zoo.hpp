#pragma once

#include <string>
#include <vector>

#include "softradial/set.hpp"

namespace softradial::support {

struct NamedSet {
  std::string name;  // letters, digits and underscores: it becomes part of the test's name
  Set set;
};

// Every type of the library in its ordinary and in its awkward forms: unbounded, flat, thin, far from the origin, singular,
// seen from an anchor off its centre. Small dimensions, fixed data.
[[nodiscard]] std::vector<NamedSet> set_zoo();

// The members with the names given.
[[nodiscard]] std::vector<NamedSet> from_zoo(const std::vector<std::string>& names);

// For GoogleTest: parameters print and are named as the set.
void PrintTo(const NamedSet& named, std::ostream* out);
struct NameOfSet {
  template <class Info>
  std::string operator()(const Info& info) const {
    return info.param.name;
  }
};

}  // namespace softradial::support
