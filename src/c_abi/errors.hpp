#pragma once

#include <string>

#include "softradial/errors.hpp"
#include "softradial/softradial.h"

// The one place where exceptions become status codes.
namespace softradial::c_abi {

// Thrown for what only this interface refuses: null pointers, buffers, quantities that a method does not have.
class Refusal : public Error {
 public:
  Refusal(sr_status status, const std::string& message) : Error(message), status_(status) {}
  [[nodiscard]] sr_status status() const noexcept { return status_; }

 private:
  sr_status status_;
};

[[noreturn]] inline void refuse_null(const std::string& name) { throw Refusal(SR_INVALID_ARGUMENT, name + " is null"); }

// The character that stands for a byte in a message, which is one line.
[[nodiscard]] inline char printable(char c) noexcept { return c >= 0 && c < ' ' ? '?' : c; }

// For use in a catch block: keeps the exception's text for sr_error_text and returns its status.
[[nodiscard]] sr_status note_current_exception() noexcept;

// The text of the last failure on this thread, with a zero byte behind it.
struct ErrorText {
  const char* text;
  std::size_t length;
};
[[nodiscard]] ErrorText last_error() noexcept;

// Runs the body of a C function.
template <class Body>
[[nodiscard]] sr_status guarded(const Body& body) noexcept {
  try {
    body();
    return SR_OK;
  } catch (...) {
    return note_current_exception();
  }
}

}  // namespace softradial::c_abi
