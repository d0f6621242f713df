#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace softradial::study {

// Runs the body once for every instruction set that the kernels are compiled for and this machine has.
template <class Body>
void on_every_instruction_set(const Body& body) {
  for (const int64_t target : {int64_t{HWY_AVX3}, int64_t{HWY_AVX2}, int64_t{HWY_SSE4}, int64_t{HWY_SCALAR}}) {
    hwy::SetSupportedTargetsForTest(0);
    if ((hwy::SupportedTargets() & target) == 0) continue;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().DeInit();  // it is chosen again at the next call
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, hwy::TargetName(target));
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace softradial::study
