#include "support/set_zoo.hpp"

#include <algorithm>
#include <stdexcept>

namespace softradial::support {
namespace {

std::vector<Specimen> all_specimens() {
  std::vector<Specimen> all;
  for (const auto family : {coordinate_specimens, row_specimens, quadratic_specimens, cone_specimens, lmi_specimens,
                            level_specimens, combinator_specimens}) {
    for (Specimen& specimen : family()) all.push_back(std::move(specimen));
  }
  return all;
}

}  // namespace

const std::vector<Specimen>& specimens() {
  static const std::vector<Specimen> all = all_specimens();
  return all;
}

std::vector<NamedSet> set_zoo() { return gather(&Specimen::zoo); }

std::vector<NamedSet> json_sets() {
  std::vector<NamedSet> all;
  for (const Specimen& specimen : specimens()) {
    if (!specimen.has_json) continue;
    all.insert(all.end(), specimen.written.begin(), specimen.written.end());
    all.insert(all.end(), specimen.zoo.begin(), specimen.zoo.end());
  }
  return all;
}

std::vector<NamedSet> from_zoo(const std::vector<std::string>& names) {
  const std::vector<NamedSet> zoo = set_zoo();
  std::vector<NamedSet> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(zoo.begin(), zoo.end(), [&](const NamedSet& s) { return s.name == name; });
    if (found == zoo.end()) throw std::invalid_argument("the zoo has no set called " + name);
    chosen.push_back(*found);
  }
  return chosen;
}

Set zoo_member(const std::string& name) { return from_zoo({name}).front().set; }

std::vector<NamedSet> exemplars() { return from_zoo(gather(&Specimen::exemplars)); }

}  // namespace softradial::support
