#pragma once

#include <string>

#include "plot/panel.hpp"

namespace softradial::plot {

inline constexpr int kColors = 16;

// The place of the colour in the palette, which repeats.
[[nodiscard]] int palette_index(int color);

// "#0072b2": the colour on a white page, for readers of SVG without style sheets.
[[nodiscard]] std::string plain_color(int color);
// The style variable of the colour: "var(--c0)", "var(--ink)", "var(--faint)".
[[nodiscard]] std::string variable(int color);

// The rules that give every colour its variable, for light and for dark pages. `root` is the element that they style: ":root"
// in a page, "svg" in a picture of its own. On paper it is always light.
[[nodiscard]] std::string color_rules(const std::string& root);

}  // namespace softradial::plot
