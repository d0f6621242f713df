#include "plot/fluid.hpp"

#include <fmt/format.h>

#include "plot/colors.hpp"
#include "plot/marks.hpp"
#include "plot/ticks.hpp"

namespace softradial::plot {
namespace {

std::string tick_text(const std::string& place, std::string_view anchor, const std::string& text) {
  return fmt::format("<text {} text-anchor=\"{}\">{}</text>", place, anchor, escaped(text));
}

std::string y_texts(const Panel& panel, double height) {
  std::string text;
  for (const Tick& tick : panel.y.ticks) {
    const double share = 1 - place_on(panel.y, tick.at);
    text += tick_text(fmt::format("x=\"50\" y=\"{:.1f}\"", share * height + 4), "end", tick.text);
  }
  return fmt::format("<svg class=\"y\" width=\"54\" height=\"{:g}\" aria-hidden=\"true\">{}</svg>", height, text);
}

std::string x_texts(const Panel& panel) {
  std::string text;
  for (const Tick& tick : panel.x.ticks) {
    const double share = place_on(panel.x, tick.at);
    // The first and the last label stay inside.
    const std::string_view anchor = share < 0.03 ? "start" : share > 0.97 ? "end" : "middle";
    text += tick_text(fmt::format("x=\"{:.2f}%\" y=\"14\"", 100 * share), anchor, tick.text);
  }
  return fmt::format("<svg class=\"x\" width=\"100%\" height=\"18\" aria-hidden=\"true\">{}</svg>", text);
}

}  // namespace

std::string fluid(const Panel& panel, double height) {
  const Frame frame{panel.x, panel.y, kFluidWidth, kFluidHeight, 0, true};
  std::string shapes = grid_lines(frame);
  std::string texts;
  for (const Mark& mark : panel.marks) {
    shapes += shapes_of(mark, frame);
    texts += texts_of(mark, frame);
  }
  const std::string description = panel.description.empty() ? panel.title : panel.title + ". " + panel.description;
  std::string out =
      fmt::format("<div class=\"plot\" data-x0=\"{:.9g}\" data-x1=\"{:.9g}\" data-y0=\"{:.9g}\" data-y1=\"{:.9g}\"{}>",
                  panel.x.range.low, panel.x.range.high, panel.y.range.low, panel.y.range.high,
                  panel.y.scale == Scale::log ? " data-y-log" : "");
  out += y_texts(panel, height);
  out += fmt::format(
      "<div class=\"area\"><svg class=\"data\" viewBox=\"0 0 {:g} {:g}\" preserveAspectRatio=\"none\" width=\"100%\" "
      "height=\"{:g}\" role=\"img\" aria-label=\"{}\">{}</svg>",
      kFluidWidth, kFluidHeight, height, escaped(description), shapes);
  if (!texts.empty()) {
    out +=
        fmt::format("<svg class=\"over\" width=\"100%\" height=\"{:g}\" aria-hidden=\"true\">{}</svg>", height, texts);
  }
  return out + x_texts(panel) + "</div></div>\n";
}

std::string fluid_rules() {
  return ".plot{display:grid;grid-template-columns:54px minmax(0,1fr);position:relative;break-inside:avoid}"
         ".plot .area{position:relative}.plot svg{display:block;overflow:hidden}"
         ".plot .x,.plot .y{font-size:12px;fill:var(--ink)}.plot "
         ".over{position:absolute;left:0;top:0;pointer-events:none}"
         ".plot .x,.plot .y{overflow:visible}";
}

}  // namespace softradial::plot
