#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "sets/number_text.hpp"
#include "softradial/errors.hpp"
#include "softradial/rows.hpp"

namespace softradial {

// NonFiniteInput at the first NaN or infinity, naming its place; `name` is how the message calls the rows.
template <class T>
void require_finite(Rows<const T> rows, const char* name) {
  for (std::size_t i = 0; i < rows.count(); ++i) {
    for (std::size_t j = 0; j < rows.dim(); ++j) {
      const T v = rows[i][j];
      if (std::isfinite(v)) continue;
      throw NonFiniteInput(std::string(name) + " has " + number_text(static_cast<double>(v)) + " in row " +
                           std::to_string(i) + ", column " + std::to_string(j));
    }
  }
}

}  // namespace softradial
