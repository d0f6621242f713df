#pragma once

#include <chrono>
#include <cstddef>

namespace softradial::program {

// How often progress is shown: redrawn on a terminal, as a plain line in a pipe.
inline constexpr std::chrono::milliseconds kOnTerminal{100};
inline constexpr std::chrono::seconds kInPipe{30};

// The number of columns of the terminal to which stderr goes.
[[nodiscard]] std::size_t terminal_width();

}  // namespace softradial::program
