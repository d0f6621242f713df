#pragma once

#include <vector>

#include "support/specimen.hpp"

namespace softradial::test {

// Every set that JSON must carry: the zoo, and what the specimens add to it for the sake of the text.
inline std::vector<support::NamedSet> json_sets() {
  std::vector<support::NamedSet> all;
  for (const support::Specimen& specimen : support::specimens()) {
    if (!specimen.has_json) continue;
    all.insert(all.end(), specimen.written.begin(), specimen.written.end());
    all.insert(all.end(), specimen.zoo.begin(), specimen.zoo.end());
  }
  return all;
}

}  // namespace softradial::test
