// What constructors refuse, and how they say it: one line that names the field, its place and its value.
#include <gtest/gtest.h>

#include "softradial/errors.hpp"
#include "support/specimen.hpp"

namespace softradial::testing {
namespace {

using support::BadBuild;

TEST(Validation, NamesTheFieldAndTheValue) {
  for (const BadBuild& bad : support::gather(&support::Specimen::bad_builds)) {
    try {
      bad.build();
      ADD_FAILURE() << "accepted: " << bad.message;
    } catch (const InvalidSet& error) {
      EXPECT_EQ(error.what(), bad.message);
    }
  }
}

}  // namespace
}  // namespace softradial::testing
