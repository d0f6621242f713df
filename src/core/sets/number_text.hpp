#pragma once

#include <string>

namespace softradial {

// The shortest decimal that reads back as the same double: "0.05", "1e+300", "inf", "nan".
[[nodiscard]] std::string number_text(double value);

}  // namespace softradial
