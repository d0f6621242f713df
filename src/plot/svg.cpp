#include "plot/svg.hpp"

#include <fmt/format.h>

#include "plot/colors.hpp"
#include "plot/marks.hpp"
#include "plot/ticks.hpp"

namespace softradial::plot {
namespace {

std::string text_line(double x, double y, std::string_view anchor, double size, const std::string& text,
                      const std::string& more = {}) {
  return fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{:g}\" fill=\"{}\" style=\"fill:{}\"{}>{}</text>",
      x, y, anchor, size, plain_color(kInk), variable(kInk), more, escaped(text));
}

std::string axis_texts(const PlacedPanel& placed) {
  const Box& box = placed.box;
  const Panel& panel = placed.panel;
  const double size = placed.inset ? 10 : 12;
  std::string text;
  for (const Tick& tick : panel.x.ticks) {
    text += text_line(box.left + place_on(panel.x, tick.at) * box.width, box.top + box.height + size + 4, "middle",
                      size, tick.text);
  }
  for (const Tick& tick : panel.y.ticks) {
    text += text_line(box.left - 5, box.top + (1 - place_on(panel.y, tick.at)) * box.height + size / 3, "end", size,
                      tick.text);
  }
  if (!panel.x.label.empty()) {
    const double below = panel.x.ticks.empty() ? size + 4 : 2 * size + 10;
    text += text_line(box.left + box.width / 2, box.top + box.height + below, "middle", size, panel.x.label);
  }
  if (!panel.y.label.empty()) {
    const double x = box.left - (panel.y.ticks.empty() ? 8 : 38);
    const double y = box.top + box.height / 2;
    text +=
        text_line(x, y, "middle", size, panel.y.label, fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", x, y));
  }
  return text;
}

std::string draw(const PlacedPanel& placed) {
  const Box& box = placed.box;
  const Frame frame{placed.panel.x, placed.panel.y, box.width, box.height, 1, false};
  std::string shapes = grid_lines(frame);
  std::string texts;
  for (const Mark& mark : placed.panel.marks) {
    shapes += shapes_of(mark, frame);
    texts += texts_of(mark, frame);
  }
  std::string out = "<g role=\"group\">";
  if (!placed.panel.title.empty()) out += fmt::format("<title>{}</title>", escaped(placed.panel.title));
  if (!placed.panel.description.empty()) out += fmt::format("<desc>{}</desc>", escaped(placed.panel.description));
  const std::string place =
      fmt::format("x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\"", box.left, box.top, box.width, box.height);
  if (placed.inset) out += fmt::format("<rect {} fill=\"#ffffff\" style=\"fill:var(--page)\"/>", place);
  // A drawing inside the drawing is cut off at its edges.
  out += fmt::format("<svg {}>{}</svg>", place, shapes);
  if (placed.inset || !placed.panel.x.ticks.empty() || !placed.panel.y.ticks.empty()) {
    out += fmt::format("<rect {} fill=\"none\" stroke=\"{}\" style=\"stroke:{}\"/>", place,
                       plain_color(placed.inset ? kInk : kFaint), variable(placed.inset ? kInk : kFaint));
  }
  if (!texts.empty()) out += fmt::format("<g transform=\"translate({:g} {:g})\">{}</g>", box.left, box.top, texts);
  out += axis_texts(placed);
  if (!placed.panel.title.empty()) {
    out += placed.inset ? text_line(box.left + box.width - 4, box.top + 13, "end", 11, placed.panel.title,
                                    " font-weight=\"bold\"")
                        : text_line(box.left, box.top - 9, "start", 14, placed.panel.title);
  }
  return out + "</g>\n";
}

}  // namespace

std::string svg_of(const Picture& picture) {
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
      "role=\"img\" "
      "aria-labelledby=\"t d\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n<title "
      "id=\"t\">{2}</title>\n<desc "
      "id=\"d\">{3}</desc>\n<style>{4}</style>\n<rect width=\"{0:g}\" height=\"{1:g}\" fill=\"#ffffff\" "
      "style=\"fill:var(--page)\"/>\n",
      picture.width, picture.height, escaped(picture.title), escaped(picture.description), color_rules("svg"));
  for (const PlacedPanel& placed : picture.panels) out += draw(placed);
  return out + "</svg>\n";
}

}  // namespace softradial::plot
