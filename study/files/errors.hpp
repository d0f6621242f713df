#pragma once

#include <stdexcept>

#include "softradial/errors.hpp"

namespace softradial::study {

// Data that cannot be used, or a place that cannot be written to. The message is one line and names file, line and value.
class DataError : public Error {
 public:
  using Error::Error;
};

// A file could not be written though its place is right: a full disk, a limit, a device that fails. The message is one
// line and names the file.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace softradial::study
