#include "number_option.hpp"

namespace softradial::program {

namespace {

// Writes a bound in full, 1e6 too; without decimals that a whole number does not have.
std::string bound_text(double bound) {
  if (bound == std::floor(bound) && std::abs(bound) < 1e17) return number_text(static_cast<long long>(bound));
  return number_text(bound);
}

}  // namespace

std::string expected_number(const FieldRange& range, bool whole) {
  if (!range.expected.empty()) return std::string(range.expected);
  std::string text = whole ? "a whole number" : "a number";
  const bool has_least = std::isfinite(range.least);
  const bool has_most = std::isfinite(range.most);
  if (has_least && has_most && !range.above) {
    return text + " from " + bound_text(range.least) + " to " + bound_text(range.most);
  }
  if (has_least) text += (range.above ? " above " : " of at least ") + bound_text(range.least);
  if (has_most) text += (has_least ? " and at most " : " of at most ") + bound_text(range.most);
  return text;
}

}  // namespace softradial::program
