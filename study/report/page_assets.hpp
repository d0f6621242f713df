#pragma once

#include <string_view>

namespace softradial::study {

// The contents of page.css and page.js.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace softradial::study
