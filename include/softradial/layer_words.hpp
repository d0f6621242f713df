#pragma once

#include "softradial/layer.hpp"

namespace softradial {

// Whether the method starts from an interior point. Softmax, orthogonal projections and corrections of violated
// constraints start from u itself.
[[nodiscard]] bool has_anchor(const LayerMethod& method) noexcept;

// The name of its class in C++ and Python: "SoftRadial", "Dc3", "HardNet", ...
[[nodiscard]] std::string_view method_title(const LayerMethod& method) noexcept;

// How an anchor is looked for, by its word: "auto", "chebyshev", "analytic". Another throws InvalidOption, listing them.
[[nodiscard]] AnchorSearch anchor_search(std::string_view word);
[[nodiscard]] std::string anchor_word(AnchorSearch search);

}  // namespace softradial
