#include "plot/colors.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace softradial::plot {
namespace {

struct Pair {
  std::string_view light, dark;
};

// The first eight differ for people who confuse red and green (Okabe and Ito); the others are for stacked areas.
constexpr std::array<Pair, kColors> kPalette = {{{"#0072b2", "#5cb3f0"},
                                                 {"#c04e00", "#ff9a5c"},
                                                 {"#007d5b", "#43d9ad"},
                                                 {"#a8447f", "#eb9dcb"},
                                                 {"#9a6700", "#f0c050"},
                                                 {"#6a51a3", "#b9a6ee"},
                                                 {"#2c7f96", "#7fd3e6"},
                                                 {"#666666", "#b8b8b8"},
                                                 {"#4b6a9b", "#9db8e2"},
                                                 {"#8c3b2a", "#e8917f"},
                                                 {"#5b7a1e", "#b5d670"},
                                                 {"#7b5ea7", "#cbb2f2"},
                                                 {"#888888", "#9a9a9a"},
                                                 {"#3a7d7d", "#86cfcf"},
                                                 {"#8a6d8a", "#cfb2cf"},
                                                 {"#a0522d", "#e0a07c"}}};
constexpr Pair kInkPair = {"#1c2733", "#e7ecf1"};
constexpr Pair kFaintPair = {"#d5dbe1", "#3b4651"};
constexpr Pair kPage = {"#ffffff", "#12181f"};

std::string rules(bool dark) {
  const auto pick = [dark](const Pair& pair) { return dark ? pair.dark : pair.light; };
  std::string text = fmt::format("--page:{};--ink:{};--faint:{}", pick(kPage), pick(kInkPair), pick(kFaintPair));
  for (int k = 0; k < kColors; ++k) text += fmt::format(";--c{}:{}", k, pick(kPalette[static_cast<std::size_t>(k)]));
  return text;
}

}  // namespace

int palette_index(int color) { return ((color % kColors) + kColors) % kColors; }

std::string plain_color(int color) {
  if (color == kInk) return std::string(kInkPair.light);
  if (color == kFaint) return std::string(kFaintPair.light);
  return std::string(kPalette[static_cast<std::size_t>(palette_index(color))].light);
}

std::string variable(int color) {
  if (color == kInk) return "var(--ink)";
  if (color == kFaint) return "var(--faint)";
  return fmt::format("var(--c{})", palette_index(color));
}

std::string color_rules(const std::string& root) {
  return fmt::format("{0}{{{1}}}@media screen and (prefers-color-scheme:dark){{{0}{{{2}}}}}", root, rules(false),
                     rules(true));
}

}  // namespace softradial::plot
