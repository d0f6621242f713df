#pragma once

#include <stdexcept>
#include <string>

namespace softradial {

// Base class of everything the library throws. Messages are one line and name the index and the value at fault.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The data of a set are wrong: a NaN, an indefinite P, a cap sum below the sum, ...
class InvalidSet : public Error {
 public:
  using Error::Error;
};

// A parameter of a map or of a search is out of its domain: lambda <= 0, epsilon outside (0, 1), ...
class InvalidOption : public Error {
 public:
  using Error::Error;
};

// The set contains no point, or none with room around it inside its affine hull.
class NoInterior : public Error {
 public:
  using Error::Error;
};

// The anchor is outside the set, on its boundary, or so close to it that the precision cannot tell.
class AnchorNotInterior : public Error {
 public:
  using Error::Error;
};

// A batch does not have the shape that the set asks for.
class ShapeError : public Error {
 public:
  using Error::Error;
};

// A NaN or an infinity in the input, reported where the caller asked for the check.
class NonFiniteInput : public Error {
 public:
  using Error::Error;
};

}  // namespace softradial
