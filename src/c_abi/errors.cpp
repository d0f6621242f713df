#include "errors.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string_view>

namespace softradial::c_abi {
namespace {

// The last message: one line; the longest list all types or all methods. The buffer is fixed, so that keeping one cannot fail.
struct Note {
  std::array<char, 2048> text{};
  std::size_t length = 0;
};
thread_local Note note;

sr_status keep(sr_status status, std::string_view message) noexcept {
  note.length = std::min(message.size(), note.text.size() - 1);
  std::transform(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(note.length), note.text.begin(),
                 printable);
  note.text[note.length] = '\0';
  return status;
}

}  // namespace

ErrorText last_error() noexcept { return {.text = note.text.data(), .length = note.length}; }

sr_status note_current_exception() noexcept {
  try {
    throw;
  } catch (const Refusal& error) {
    return keep(error.status(), error.what());
  } catch (const InvalidSet& error) {
    return keep(SR_INVALID_SET, error.what());
  } catch (const InvalidOption& error) {
    return keep(SR_INVALID_OPTION, error.what());
  } catch (const NoInterior& error) {
    return keep(SR_NO_INTERIOR, error.what());
  } catch (const AnchorNotInterior& error) {
    return keep(SR_ANCHOR_NOT_INTERIOR, error.what());
  } catch (const ShapeError& error) {
    return keep(SR_SHAPE, error.what());
  } catch (const NonFiniteInput& error) {
    return keep(SR_NOT_FINITE, error.what());
  } catch (const std::bad_alloc&) {
    return keep(SR_OUT_OF_MEMORY, "there is not enough memory");
  } catch (const std::exception& error) {
    return keep(SR_INTERNAL, error.what());
  } catch (...) {
    return keep(SR_INTERNAL, "an exception of an unknown kind");
  }
}

}  // namespace softradial::c_abi
