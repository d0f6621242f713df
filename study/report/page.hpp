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
  std::string head;    // more for the head of the page
  std::string script;  // more for its script
};

// One file that needs no other: styles, script and pictures are inside, and a policy forbids it to ask for anything.
[[nodiscard]] std::string html_of(const Page& page);

// A table; the first row is its head. Cells are text, not HTML. The first column names the row.
[[nodiscard]] std::string html_table(const std::vector<std::vector<std::string>>& rows,
                                     const std::string& caption = {});

}  // namespace softradial::study
