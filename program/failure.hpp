#pragma once

#include <stdexcept>

namespace softradial::program {

// Input that cannot be used; the message names file, line and value.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Not the user's doing: a full disk, a search that gave up.
class InternalFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whoever reads our output has gone: not an error, but the end of the work.
class OutputClosed : public std::exception {};

}  // namespace softradial::program
