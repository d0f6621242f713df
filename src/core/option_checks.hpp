#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "sets/margin.hpp"
#include "sets/number_text.hpp"
#include "softradial/errors.hpp"

// Checks of a method's numbers. Each throws InvalidOption, naming the option and its value.
namespace softradial {

[[noreturn]] inline void reject_option(const char* name, double value, const std::string& fault) {
  throw InvalidOption(std::string(name) + " is " + number_text(value) + ", " + fault);
}

inline void require_positive(const char* name, double value) {
  if (!(value > 0 && std::isfinite(value))) reject_option(name, value, "not a positive number");
}

// 0 < value < 1
inline void require_fraction(const char* name, double value) {
  if (!(value > 0 && value < 1)) reject_option(name, value, "not between 0 and 1");
}

inline void require_at_least(const char* name, int value, int least) {
  if (value < least) reject_option(name, value, "below " + std::to_string(least));
}

// For a value that is right in double: T can work with lowest <= value <= highest.
template <class T>
void require_between(const char* name, double value, double lowest, double highest) {
  if (value >= lowest && value <= highest) return;
  reject_option(name, value, std::string(value < lowest ? "too small" : "too large") + " for " + precision_name<T>());
}

// Value and 1 / value are ordinary numbers of T.
template <class T>
void require_invertible(const char* name, double value) {
  require_positive(name, value);
  require_between<T>(name, value, std::numeric_limits<T>::min(), 1 / static_cast<double>(std::numeric_limits<T>::min()));
}

}  // namespace softradial
