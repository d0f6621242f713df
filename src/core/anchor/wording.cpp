#include "anchor/wording.hpp"

#include <cstddef>

#include "sets/number_text.hpp"

namespace softradial {
namespace {

constexpr std::size_t kMaxNames = 4;

}  // namespace

std::string name_list(const std::vector<std::string>& names) {
  std::vector<std::string> words = names;
  if (words.size() > kMaxNames + 1) {
    words.resize(kMaxNames);
    words.push_back(std::to_string(names.size() - kMaxNames) + " more");
  }
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string amount_text(double amount) { return number_text(amount == 0 ? 0 : amount, 6); }

}  // namespace softradial
