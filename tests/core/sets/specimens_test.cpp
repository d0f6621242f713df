// The specimens themselves: what every type of set must bring along, so that no law passes it by.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reference/ray_exit.hpp"
#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial::testing {
namespace {

using support::NamedSet;
using support::Specimen;

// The types that SET.json knows, from the message that lists them.
std::set<std::string> types_in_json() {
  std::string message;
  try {
    (void)parse_set(R"({"type": "no such type"})");
  } catch (const InvalidSet& error) {
    message = error.what();
  }
  const std::string before = "known are ";
  std::string list = message.substr(message.find(before) + before.size()) + ", ";
  std::set<std::string> types;
  for (std::size_t end = list.find(", "); end != std::string::npos; end = list.find(", ")) {
    types.insert(list.substr(0, end));
    list.erase(0, end + 2);
  }
  return types;
}

TEST(Specimens, AreThereForEveryTypeOfJson) {
  std::set<std::string> with_json;
  for (const Specimen& specimen : support::specimens()) {
    if (specimen.has_json) with_json.insert(specimen.type);
  }
  EXPECT_EQ(with_json, types_in_json());
}

TEST(Specimens, HaveAllParts) {
  for (const Specimen& specimen : support::specimens()) {
    SCOPED_TRACE(specimen.type);
    EXPECT_FALSE(specimen.zoo.empty());
    EXPECT_FALSE(specimen.exemplars.empty());
    EXPECT_FALSE(specimen.lines.empty());
    EXPECT_FALSE(specimen.bad_builds.empty());
    EXPECT_FALSE(specimen.slacks.empty());
    EXPECT_FALSE(specimen.gauges.empty());
    EXPECT_FALSE(specimen.barriers.empty());
    EXPECT_NE(specimen.exact, nullptr);
    EXPECT_FALSE(specimen.boundary_points.empty() && specimen.judged.empty());
    EXPECT_NE(specimen.forms.empty(), specimen.has_json);
    EXPECT_NE(specimen.written.empty(), specimen.has_json);
    EXPECT_NE(specimen.bad_json.empty(), specimen.has_json);
  }
}

template <class Entries>
void expect_type(const Entries& entries, const std::string& type) {
  for (const auto& entry : entries) EXPECT_EQ(entry.set->describe().type, type);
}

TEST(Specimens, AreOfTheirType) {
  for (const Specimen& specimen : support::specimens()) {
    expect_type(specimen.zoo, specimen.type);
    expect_type(specimen.far_away, specimen.type);
    expect_type(specimen.forms, specimen.type);
    expect_type(specimen.written, specimen.type);
    expect_type(specimen.lines, specimen.type);
    expect_type(specimen.slacks, specimen.type);
    expect_type(specimen.anchors, specimen.type);
    expect_type(specimen.constraints, specimen.type);
    expect_type(specimen.gauges, specimen.type);
    expect_type(specimen.barriers, specimen.type);
    expect_type(specimen.boundary_points, specimen.type);
  }
}

TEST(Specimens, OfTheZooHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const NamedSet& named : support::set_zoo()) EXPECT_TRUE(names.insert(named.name).second) << named.name;
  EXPECT_NO_THROW((void)support::exemplars());
}

// A member without a recession direction is bounded: every ray leaves it.
TEST(Specimens, WithoutARecessionAreBounded) {
  const auto recessions = support::gather(&Specimen::recessions);
  for (const NamedSet& named : support::set_zoo()) {
    if (std::ranges::any_of(recessions, [&](const auto& r) { return r.member == named.name; })) continue;
    SCOPED_TRACE(named.name);
    const Anchor anchor = named.set.anchor() ? check_anchor(named.set, *named.set.anchor()) : require_anchor(named.set);
    support::RandomPoints random(3);
    for (int k = 0; k < 200; ++k) {
      const Eigen::VectorXd v = random.unit_on(anchor.hull);
      EXPECT_LT(reference::ray_exit(*named.set, anchor.point, v), 1e6L) << "v = " << v.transpose();
    }
  }
}

}  // namespace
}  // namespace softradial::testing
