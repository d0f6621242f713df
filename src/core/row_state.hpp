#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "softradial/projection.hpp"

// Each pass has a state of its own, whose fields say what they hold: RayState, CoordinateState, ShareState. Their first field
// is rho. RowState carries any of them from the forward pass to the backward pass of the same map, which knows the type.
namespace softradial {

namespace detail {
// A replacement for std::bit_cast, which Emscripten's standard library does not have.
template <class To, class From>
[[nodiscard, gnu::always_inline]] inline To same_bytes(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof(To));
  return to;
}
}  // namespace detail

// States end with an index of 32 bits. In double precision, padding follows it, which nobody writes. It is set to 0, so that
// equal rows leave equal bytes.
template <template <class> class State, class T>
[[nodiscard, gnu::always_inline]] inline RowState<T> pack(const State<T>& state) noexcept {
  constexpr std::size_t kPadding = sizeof(T) - sizeof(std::int32_t);
  auto out = detail::same_bytes<RowState<T>>(state);
  std::memset(out.of_map.data() + out.of_map.size() - kPadding, 0, kPadding);
  return out;
}

template <template <class> class State, class T>
[[nodiscard, gnu::always_inline]] inline State<T> unpack(const RowState<T>& state) noexcept {
  return detail::same_bytes<State<T>>(state);
}

}  // namespace softradial
