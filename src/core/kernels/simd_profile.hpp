// Included once for every vector target, inside foreach_target: no include guard of the usual kind.
#if defined(SOFTRADIAL_KERNELS_SIMD_PROFILE_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SOFTRADIAL_KERNELS_SIMD_PROFILE_HPP
#undef SOFTRADIAL_KERNELS_SIMD_PROFILE_HPP
#else
#define SOFTRADIAL_KERNELS_SIMD_PROFILE_HPP
#endif

#include <hwy/highway.h>

#include <variant>

#include "profile.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

// Runs pass(profile_at) with a map's profile as a function of rho and gamma: soft radial's is compiled into the loop over
// the rows, any other is called, which costs 7 % of both passes at dim 50.
template <class T, class Map, class Pass>
HWY_INLINE void with_profile(const Map& map, const Pass& pass) {
  if (const auto* soft = std::get_if<SoftRadial>(&map.method)) {
    pass([soft](T rho, T gamma) HWY_ATTR { return profile(*soft, rho, gamma); });
  } else {
    pass([&map](T rho, T gamma) HWY_ATTR { return map.profile(map.method, rho, gamma); });
  }
}

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
