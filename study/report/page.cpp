#include "report/page.hpp"

#include <fmt/format.h>

#include "plot/colors.hpp"
#include "plot/fluid.hpp"
#include "plot/svg_path.hpp"
#include "report/page_assets.hpp"

namespace softradial::study {

using plot::escaped;

std::string html_of(const Page& page) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
      "'unsafe-inline'; img-src data:; connect-src 'self'\">\n<link rel=\"icon\" "
      "href=\"data:,\">\n<title>{}</title>\n<style>{}{}{}</style>\n{}</head>\n<body>\n<header><h1>{}</h1><p>{}</p></"
      "header>\n",
      escaped(page.title), plot::color_rules(":root"), plot::fluid_rules(), kPageStyle, page.head, escaped(page.title),
      escaped(page.lead));
  std::string contents;
  std::string body;
  for (std::size_t k = 0; k < page.sections.size(); ++k) {
    const Section& section = page.sections[k];
    contents += fmt::format("<a href=\"#s{}\">{}</a> ", k, escaped(section.title));
    body += fmt::format("<section id=\"s{0}\" aria-labelledby=\"h{0}\"><h2 id=\"h{0}\">{1}</h2>\n{2}</section>\n", k,
                        escaped(section.title), section.html);
  }
  out += fmt::format("<nav aria-label=\"Sections\">{}</nav>\n<main>\n{}</main>\n", contents, body);
  return out + fmt::format("<script>{}{}</script>\n</body>\n</html>\n", kPageScript, page.script);
}

std::string html_table(const std::vector<std::vector<std::string>>& rows, const std::string& caption) {
  // Wide tables scroll on their own, also by keyboard.
  std::string out = fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"><table>",
                                escaped(caption.empty() ? "Table" : caption));
  if (!caption.empty()) out += fmt::format("<caption>{}</caption>", escaped(caption));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += i == 0 ? "<thead><tr>" : "<tr>";
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      const bool head = i == 0 || k == 0;
      out += head ? fmt::format("<th scope=\"{}\">{}</th>", i == 0 ? "col" : "row", escaped(rows[i][k]))
                  : fmt::format("<td>{}</td>", escaped(rows[i][k]));
    }
    out += i == 0 ? "</tr></thead><tbody>\n" : "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace softradial::study
