#pragma once

#include <stdexcept>
#include <string>

#include "softradial/errors.hpp"

namespace softradial::study {

// Thrown for unusable data or a place that cannot be written to. The message is one line and names file, line and value.
class DataError : public Error {
 public:
  using Error::Error;
};

// Thrown if a file could not be written though its place is right: a full disk, a limit, a failing device. The message is one
// line and names the file.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws for a file or folder that could not be made or opened for writing, with `error` the system's errno: WriteError if the
// disk is full or fails, DataError if the place is wrong. The message is "place: what: the system's word for the error".
[[noreturn]] void throw_unwritable(const std::string& place, int error, const char* what = "cannot be written");

}  // namespace softradial::study
