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

// A map's profile as a function of rho and gamma. Soft radial's is compiled into the loop over the rows; a call would cost 7 %
// of both passes at dim 50. Every row asks which profile it is: the branch always falls the same way, and a separate loop for
// each would double the time that the kernels take to compile.
template <class T, class Map>
struct ProfileAt {
  const Map& map;
  const SoftRadial* soft;

  HWY_INLINE explicit ProfileAt(const Map& of) : map(of), soft(std::get_if<SoftRadial>(&of.method)) {}
  HWY_INLINE Scale<T> operator()(T rho, T gamma) const {
    return soft != nullptr ? profile(*soft, rho, gamma) : map.profile(map.method, rho, gamma);
  }
};

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
