#include <gtest/gtest.h>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"

namespace softradial::test {
namespace {

TEST(Program, HelpNamesEveryCommandAndShowsExamples) {
  const ChildResult help = run_softradial({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.err, "");
  for (const std::string word : {"project", "anchor", "check", "export", "Example", "Exit codes", "--version"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
}

TEST(Program, EveryCommandHasHelpWithExamples) {
  for (const std::string command : {"project", "anchor", "check"}) {
    const ChildResult help = run_softradial({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_EQ(help.err, "") << command;
    EXPECT_NE(help.out.find("Examples:\n  softradial " + command + " --set"), std::string::npos) << help.out;
  }
}

TEST(Program, Version) {
  const ChildResult version = run_softradial({"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_EQ(version.err, "");
  EXPECT_TRUE(version.out.starts_with("softradial ")) << version.out;
}

TEST(Program, AReaderThatLeavesEarlyEndsItQuietly) {
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "simplex", "dim": 2})");
  std::string rows;
  for (int i = 0; i < 50'000; ++i) rows += "0.25,0.123456789\n";
  int blocks = 0;
  const ChildResult result = run_softradial(
      {"project", "--set", set}, [&] { return blocks++ < 100 ? rows : std::string(); },
      [](std::string_view) { return false; });
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
}

TEST(Program, AFullDiskIsAFailureOfItsOwn) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "simplex", "dim": 2})");
  const ChildResult result = run_softradial_into("/dev/full", {"project", "--set", set}, "1,2\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_TRUE(result.err.starts_with("softradial: error: stdout: cannot be written: ")) << result.err;
}

}  // namespace
}  // namespace softradial::test
