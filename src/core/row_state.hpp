#pragma once

#include <bit>

#include "softradial/projection.hpp"

// Each pass has a state of its own, whose fields say what they hold: RayState, CoordinateState, ShareState. Their first field
// is rho. RowState carries any of them from the forward pass to the backward pass of the same map, which knows the type.
namespace softradial {

template <template <class> class State, class T>
[[nodiscard, gnu::always_inline]] inline RowState<T> pack(const State<T>& state) noexcept {
  return std::bit_cast<RowState<T>>(state);
}

template <template <class> class State, class T>
[[nodiscard, gnu::always_inline]] inline State<T> unpack(const RowState<T>& state) noexcept {
  return std::bit_cast<State<T>>(state);
}

}  // namespace softradial
