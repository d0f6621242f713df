#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "calls.hpp"
#include "softradial/rows.hpp"
#include "softradial/softradial.h"

// The C interface as C++ tests like to write it.
namespace softradial::test {

struct FreeHandle {
  void operator()(sr_set* set) const { sr_set_free(set); }
  void operator()(sr_layer* layer) const { sr_layer_free(layer); }
};
using SetHandle = std::unique_ptr<sr_set, FreeHandle>;
using LayerHandle = std::unique_ptr<sr_layer, FreeHandle>;

inline std::string error_text() {
  std::size_t length = 0;
  const char* const text = sr_error_text(&length);
  return {text, length};
}

// A status that must be SR_OK.
inline void expect_ok(sr_status status) { EXPECT_EQ(status, SR_OK) << sr_status_name(status) << ": " << error_text(); }

inline SetHandle parse(std::string_view json) {
  sr_set* out = nullptr;
  expect_ok(sr_set_parse(json.data(), json.size(), &out));
  return SetHandle(out);
}

inline LayerHandle make(const SetHandle& set, std::string_view options = "") {
  sr_layer* out = nullptr;
  expect_ok(sr_layer_make(set.get(), options.data(), options.size(), &out));
  return LayerHandle(out);
}

// What a function with (buffer, capacity, length) writes.
template <class Write>
std::string written(const Write& write) {
  std::size_t length = 0;
  expect_ok(write(nullptr, 0, &length));
  std::string text(length, '?');
  expect_ok(write(text.data(), text.size(), &length));
  return text;
}

inline std::string json_of(const LayerHandle& layer) {
  return written([&](char* buffer, std::size_t capacity, std::size_t* length) {
    return sr_layer_to_json(layer.get(), buffer, capacity, length);
  });
}

template <class T>
typename Calls<T>::In in(Rows<const T> rows) {
  return {rows.data(), rows.count(), rows.dim(), rows.stride()};
}
template <class T>
typename Calls<T>::Out out(Rows<T> rows) {
  return {rows.data(), rows.count(), rows.dim(), rows.stride()};
}

}  // namespace softradial::test
