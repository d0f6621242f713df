#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "errors.hpp"
#include "softradial/rows.hpp"

// Checks of what callers hand in, before anything of it is read. Messages call the argument `name`.
namespace softradial::c_abi {

template <class T>
[[nodiscard]] T& required(T* pointer, const std::string& name) {
  if (pointer == nullptr) refuse_null(name);
  return *pointer;
}

[[nodiscard]] inline std::string_view text(const char* data, std::size_t length, const std::string& name) {
  if (data == nullptr && length > 0) refuse_null(name);
  return {data, length};
}

// A text that may stand in a message as one word: a zero byte would end the message, a line end would make two lines of it.
[[nodiscard]] inline std::string word(const char* data, std::size_t length, const std::string& name) {
  std::string out(text(data, length, name));
  std::transform(out.begin(), out.end(), out.begin(), printable);
  return out;
}

// `length` numbers or places at `data`.
template <class T>
[[nodiscard]] std::span<T> numbers(T* data, std::size_t length, const std::string& name) {
  if (length == 0) return {};
  if (data == nullptr) refuse_null(name);
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(T) != 0) {
    throw Refusal(SR_INVALID_ARGUMENT, name + " is not aligned for its numbers");
  }
  return {data, length};
}

// The same, but the length must be `expected`.
template <class T>
[[nodiscard]] std::span<T> numbers(T* data, std::size_t length, std::size_t expected, const std::string& name) {
  if (length != expected) {
    throw ShapeError(name + " has " + std::to_string(length) + " places, expected " + std::to_string(expected));
  }
  return numbers(data, length, name);
}

namespace detail {

// Whether `count` rows, `stride` numbers of `size` bytes apart, fit into an address space.
[[nodiscard]] inline bool addressable(std::size_t count, std::size_t dim, std::size_t stride, std::size_t size) {
  const std::size_t most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / size;
  if (dim > most || stride > most) return false;
  return stride == 0 || count - 1 <= (most - dim) / stride;
}

[[nodiscard]] inline std::size_t magnitude(std::ptrdiff_t value) noexcept {
  return value < 0 ? std::size_t{0} - static_cast<std::size_t>(value) : static_cast<std::size_t>(value);
}

template <class T, class Given>
[[nodiscard]] Rows<T> rows(const Given& given, std::size_t dim, const std::string& name) {
  if (given.dim != dim) {
    throw ShapeError(name + " has rows of " + std::to_string(given.dim) + " numbers, expected " + std::to_string(dim));
  }
  if (given.count == 0) return {nullptr, 0, dim};
  const std::size_t stride = magnitude(given.stride);
  if (!addressable(given.count, dim, stride, sizeof(T))) {
    throw ShapeError(name + " has " + std::to_string(given.count) + " rows " + std::to_string(given.stride) +
                     " numbers apart: more than memory has");
  }
  return {numbers(given.data, dim, name + ".data").data(), given.count, dim, given.stride};
}

}  // namespace detail

// Rows of an argument, with `dim` numbers each.
template <class Given>
[[nodiscard]] auto input_rows(const Given& given, std::size_t dim, const std::string& name) {
  return detail::rows<std::remove_pointer_t<decltype(given.data)>>(given, dim, name);
}

// The same, but with as many rows as the call has.
template <class Given>
[[nodiscard]] auto input_rows(const Given& given, std::size_t count, std::size_t dim, const std::string& name) {
  if (given.count != count) {
    throw ShapeError(name + " has " + std::to_string(given.count) + " rows, expected " + std::to_string(count));
  }
  return input_rows(given, dim, name);
}

// Rows to write to: they must not overlap.
template <class Given>
[[nodiscard]] auto output_rows(const Given& given, std::size_t count, std::size_t dim, const std::string& name) {
  const auto rows = input_rows(given, count, dim, name);
  if (count > 1 && detail::magnitude(given.stride) < dim) {
    throw ShapeError(name + " has rows of " + std::to_string(dim) + " numbers that are " +
                     std::to_string(given.stride) + " numbers apart: they overlap");
  }
  return rows;
}

}  // namespace softradial::c_abi
