#pragma once

#include <string>
#include <vector>

namespace softradial {

// "row 0", "row 0 and row 3", "row 0, row 3 and row 5", "row 0, row 3, row 5, row 6 and 7 more".
[[nodiscard]] std::string name_list(const std::vector<std::string>& names);

// A computed amount with six digits: "-0.02" rather than "-0.020000000000000018".
[[nodiscard]] std::string amount_text(double amount);

}  // namespace softradial
