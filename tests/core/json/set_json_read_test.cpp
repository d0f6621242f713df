#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"
#include "softradial/sets.hpp"
#include "support/specimen.hpp"

namespace softradial::test {
namespace {

using Eigen::VectorXd;

// The forms of docs/set_json.md, one by one.
TEST(SetJsonRead, EveryForm) {
  for (const auto& [json, set] : support::gather(&support::Specimen::forms)) EXPECT_EQ(parse_set(json), set) << json;
}

TEST(SetJsonRead, NumbersAreReadAsTheNearestDouble) {
  const Set set = parse_set(R"({"type": "box", "lower": [0.1, -0.0, 18446744073709551617], "upper": [1, 1, null]})");
  const VectorXd& lower = dynamic_cast<const Box&>(*set).lower();
  EXPECT_EQ(lower[0], 0.1);
  EXPECT_TRUE(std::signbit(lower[1]));
  EXPECT_EQ(lower[2], 18446744073709551616.0);
}

class SetFile : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }
  void write(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }

  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("softradial_set_json_" + std::to_string(::getpid()) + ".json");
};

TEST_F(SetFile, IsLoaded) {
  write(R"({"type": "simplex", "dim": 3})");
  EXPECT_EQ(load_set(path_), Set(Simplex(3)));
}

TEST_F(SetFile, IsNamedInErrors) {
  write(R"({"type": "simplex", "dim": -3})");
  try {
    (void)load_set(path_);
    FAIL() << "no error";
  } catch (const InvalidSet& error) {
    EXPECT_EQ(error.what(), path_.string() + ": dim: expected a whole number of at least 1, got -3");
  }
}

TEST_F(SetFile, ThatIsMissingOrADirectoryIsAnError) {
  for (const std::string& path : {path_.string(), path_.parent_path().string()}) {
    try {
      (void)load_set(path);
      FAIL() << "no error";
    } catch (const InvalidSet& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path + ": cannot be ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace softradial::test
