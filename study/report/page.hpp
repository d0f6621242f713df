#pragma once

#include <string>
#include <vector>

namespace softradial::study {

struct Section {
  std::string title;
  std::string html;
};

struct Page {
  std::string title;
  std::string lead;  // one line under the title
  std::vector<Section> sections;
  std::string head;    // further HTML for the head of the page
  std::string script;  // further script
};

// A self-contained file: styles, script and pictures are inside, and a policy forbids it to load anything.
[[nodiscard]] std::string html_of(const Page& page);

// A table whose first row is its head. Cells are text, not HTML. The first column names the row.
[[nodiscard]] std::string html_table(const std::vector<std::vector<std::string>>& rows,
                                     const std::string& caption = {});

}  // namespace softradial::study
