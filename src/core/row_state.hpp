#pragma once

#include <cstring>

#include "softradial/projection.hpp"

// Each pass has a state of its own, whose fields say what they hold: RayState, CoordinateState, ShareState. Their first field
// is rho. RowState carries any of them from the forward pass to the backward pass of the same map, which knows the type.
namespace softradial {

namespace detail {
// std::bit_cast, which Emscripten's standard library does not have.
template <class To, class From>
[[nodiscard, gnu::always_inline]] inline To same_bytes(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof(To));
  return to;
}
}  // namespace detail

template <template <class> class State, class T>
[[nodiscard, gnu::always_inline]] inline RowState<T> pack(const State<T>& state) noexcept {
  return detail::same_bytes<RowState<T>>(state);
}

template <template <class> class State, class T>
[[nodiscard, gnu::always_inline]] inline State<T> unpack(const RowState<T>& state) noexcept {
  return detail::same_bytes<State<T>>(state);
}

}  // namespace softradial
