#pragma once

#include <optional>

#include "ray_block.hpp"
#include "sets/coordinates/coordinate_kernels.hpp"

namespace softradial {

// The fused passes for boxes, simplices and capped simplices; empty if the set's gauge or hull is not of this kind.
// The result refers to the set's numbers: it stays valid while the set is moved, and no longer than the set lives.
template <class T>
[[nodiscard]] std::optional<kernels::CoordinateMap<T>> fuse_coordinates(const AnchoredSet<T>& set,
                                                                        const Method& method);

}  // namespace softradial
