#pragma once

#include <cstddef>

namespace softradial::program {

// The columns of the terminal that stderr is on.
[[nodiscard]] std::size_t terminal_width();

}  // namespace softradial::program
