#include <cmath>
#include <cstring>
#include <vector>

#include "c_abi/calls.hpp"
#include "law.hpp"
#include "targets.hpp"

namespace softradial::fuzz {
namespace {

// What stands before the next line end, which is taken too.
std::string_view take_line(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(std::min(end + 1, bytes.size()));
  return line;
}

// The rows of numbers that the rest of the bytes are: a few, and the last one filled up with zeros.
template <class T>
std::vector<T> numbers_in(std::string_view bytes, std::size_t dim) {
  constexpr std::size_t kMostRows = 4;
  const std::size_t count = std::min(bytes.size() / sizeof(T), kMostRows * dim);
  std::vector<T> out((count + dim - 1) / dim * dim);
  std::memcpy(out.data(), bytes.data(), count * sizeof(T));
  return out;
}

void expect_told(sr_status status) {
  require(status >= SR_OK && status <= SR_INTERNAL, "a status is one of the header's");
  require(status != SR_INTERNAL, "no input is an internal failure");
  std::size_t length = 0;
  const char* const text = sr_error_text(&length);
  require(status == SR_OK || length > 0, "an error has a text");
  require(std::strlen(text) == length, "a text is as long as it says");
}

template <class T>
void call(const sr_set* set, const sr_layer* layer, std::string_view bytes) {
  using Calls = test::Calls<T>;
  std::size_t dim = 0;
  std::size_t inputs = 0;
  expect_told(sr_layer_dim(layer, &dim));
  expect_told(sr_layer_input_dim(layer, &inputs));
  const std::vector<T> u = numbers_in<T>(bytes, inputs);
  const std::size_t count = u.size() / inputs;
  std::vector<T> x(count * dim);
  std::vector<T> back(count * inputs);
  std::vector<T> scalars(count);
  std::vector<double> violations(count);
  const auto in = [&](const std::vector<T>& from, std::size_t width) {
    return typename Calls::In{from.data(), count, width, static_cast<std::ptrdiff_t>(width)};
  };
  const auto out = [&](std::vector<T>& to, std::size_t width) {
    return typename Calls::Out{to.data(), count, width, static_cast<std::ptrdiff_t>(width)};
  };
  expect_told(Calls::kProject(layer, in(u, inputs), out(x, dim)));
  expect_told(Calls::kViolation(set, in(x, dim), violations.data(), count));
  expect_told(Calls::kVjp(layer, in(u, inputs), in(x, dim), out(back, inputs)));
  expect_told(Calls::kJvp(layer, in(u, inputs), in(u, inputs), out(x, dim)));
  expect_told(Calls::kEvaluate(layer, in(u, inputs), out(x, dim)));
  expect_told(Calls::kInverse(layer, in(x, dim), out(back, inputs)));
  expect_told(Calls::kLogAbsDet(layer, in(u, inputs), scalars.data(), count));
  expect_told(Calls::kSlack(layer, in(u, inputs), scalars.data(), count));
}

}  // namespace

// A line with SET.json, a line with the options of a layer, and the bits of rows.
void c_abi(std::string_view bytes) {
  const std::string_view json = take_line(bytes);
  const std::string_view options = take_line(bytes);
  sr_set* set = nullptr;
  expect_told(sr_set_parse(json.data(), json.size(), &set));
  if (set == nullptr) return;
  sr_layer* layer = nullptr;
  expect_told(sr_layer_make(set, options.data(), options.size(), &layer));
  if (layer != nullptr) {
    call<float>(set, layer, bytes);
    call<double>(set, layer, bytes);
  }
  sr_layer_free(layer);
  sr_set_free(set);
}

}  // namespace softradial::fuzz
