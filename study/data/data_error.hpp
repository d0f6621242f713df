#pragma once

#include "softradial/errors.hpp"

namespace softradial::study {

// Data that cannot be used. The message is one line and names file, line and value.
class DataError : public Error {
 public:
  using Error::Error;
};

}  // namespace softradial::study
