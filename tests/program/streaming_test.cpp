#include <gtest/gtest.h>

#include <algorithm>

#include "program/child_process.hpp"
#include "program/temp_dir.hpp"

namespace softradial::test {
namespace {

constexpr std::size_t kRows = 1'000'000;
constexpr long kMaxMemoryKib = 200 * 1024;

// kRows rows in pieces that end anywhere but at a line end.
Source many_rows(const std::string& row) {
  std::string piece;
  while (piece.size() < 1 << 18) piece += row;
  const std::size_t total = kRows * row.size();
  std::size_t sent = 0;
  return [=]() mutable {
    const std::size_t start = sent % row.size();
    const std::size_t size = std::min(total - sent, piece.size() - row.size() - 7);
    sent += size;
    return piece.substr(start, size);
  };
}

TEST(Streaming, AMillionRowsInConstantMemory) {
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "capped_simplex", "dim": 10, "cap": 0.2})");
  std::size_t lines = 0;
  std::string first;
  const auto count_lines = [&](std::string_view text) {
    if (lines == 0) first += text.substr(0, text.find('\n'));
    lines += static_cast<std::size_t>(std::ranges::count(text, '\n'));
    return true;
  };
  const ChildResult result = run_softradial(
      {"project", "--set", set}, many_rows("1.5,-0.25,0.125,3,-2,0.5,0.75,1e-3,-1,2.718281828459045\n"), count_lines);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(lines, kRows);
  EXPECT_EQ(std::ranges::count(first, ','), 9);
  EXPECT_LT(result.peak_memory_kib, kMaxMemoryKib);
}

TEST(Streaming, ChecksAMillionRowsInConstantMemory) {
  const TempDir dir;
  const std::string set = dir.write("set.json", R"({"type": "box", "lower": [0, 0], "upper": [1, 1]})");
  std::string out;
  const ChildResult result =
      run_softradial({"check", "--set", set}, many_rows("0.25,0.5\n"), [&](std::string_view text) {
        out += text;
        return true;
      });
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(out.ends_with("infeasible: 0 of 1000000\n")) << out;
  EXPECT_LT(result.peak_memory_kib, kMaxMemoryKib);
}

}  // namespace
}  // namespace softradial::test
