#pragma once

#include <string_view>

namespace softradial::study {

// page.css and page.js.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace softradial::study
