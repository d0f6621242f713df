#pragma once

#include <string>

#include "data/data_error.hpp"

namespace softradial::test {

// What the DataError says that `act` throws.
template <class Act>
[[nodiscard]] std::string failure_text(const Act& act) {
  try {
    act();
  } catch (const study::DataError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace softradial::test
