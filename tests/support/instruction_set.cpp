// Makes a test program use one instruction set: SOFTRADIAL_INSTRUCTION_SET=SSE4, AVX2 or AVX3 (AVX-512). Linked into programs
// whose tests run on each of them (softradial_test_instruction_sets). A processor that lacks it skips the program.
#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace softradial::test {
namespace {

constexpr int kSkipped = 77;  // what ctest takes for "skipped"

// 0: the program chooses by itself.
std::int64_t forced_target() {
  const char* const given = std::getenv("SOFTRADIAL_INSTRUCTION_SET");
  if (given == nullptr) return 0;
  for (const std::int64_t target : {std::int64_t{HWY_SSE4}, std::int64_t{HWY_AVX2}, std::int64_t{HWY_AVX3}}) {
    if (std::string_view(given) == hwy::TargetName(target)) return target;
  }
  std::fprintf(stderr, "SOFTRADIAL_INSTRUCTION_SET=%s: expected SSE4, AVX2 or AVX3\n", given);
  std::exit(2);
}

// Before main: kernels are chosen at their first call, for good.
const std::int64_t kForced = [] {
  const std::int64_t target = forced_target();
  if (target == 0) return target;
  if ((hwy::SupportedTargets() & target) == 0) {
    std::printf("this processor has no %s: skipped\n", hwy::TargetName(target));
    std::fflush(stdout);
    ::_exit(kSkipped);
  }
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().DeInit();  // it is chosen again at the next call
  return target;
}();

TEST(InstructionSet, IsTheOneThatWasAskedFor) {
  if (kForced == 0) GTEST_SKIP() << "SOFTRADIAL_INSTRUCTION_SET is not given";
  EXPECT_EQ(hwy::SupportedTargets(), kForced);
}

}  // namespace
}  // namespace softradial::test
