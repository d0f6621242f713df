#pragma once

#include <string>

namespace softradial {

// The shortest decimal that reads back as the same double: "0.05", "1e+300", "inf", "nan".
[[nodiscard]] std::string number_text(double value);

// A number with `digits` significant digits, without zeros at its end: "-0.02" rather than "-0.020000000000000018".
[[nodiscard]] std::string number_text(double value, int digits);

// The same texts for standard libraries without std::to_chars for doubles, such as Emscripten's.
namespace by_printf {
[[nodiscard]] std::string number_text(double value);
[[nodiscard]] std::string number_text(double value, int digits);
}  // namespace by_printf

}  // namespace softradial
