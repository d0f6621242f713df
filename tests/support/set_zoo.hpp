#pragma once

#include <string>
#include <vector>

#include "support/specimen.hpp"

namespace softradial::support {

// Every type of the library in its ordinary and in its awkward forms: unbounded, flat, thin, far from the origin, singular,
// seen from an anchor off its centre. Small dimensions, fixed data.
[[nodiscard]] std::vector<NamedSet> set_zoo();

// The members with the names given.
[[nodiscard]] std::vector<NamedSet> from_zoo(const std::vector<std::string>& names);
[[nodiscard]] Set zoo_member(const std::string& name);

// Every set that JSON must carry: the zoo, and what the specimens add to it for the sake of the text.
[[nodiscard]] std::vector<NamedSet> json_sets();

// A few members of every type, for laws that take their time.
[[nodiscard]] std::vector<NamedSet> exemplars();

}  // namespace softradial::support
