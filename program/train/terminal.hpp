#pragma once

#include <chrono>
#include <cstddef>

namespace softradial::program {

// How often progress is shown: drawn anew on a terminal, as a plain line in a pipe.
inline constexpr std::chrono::milliseconds kOnTerminal{100};
inline constexpr std::chrono::seconds kInPipe{30};

// The columns of the terminal that stderr is on.
[[nodiscard]] std::size_t terminal_width();

}  // namespace softradial::program
