#pragma once

#include <ATen/core/Tensor.h>

namespace softradial::ops {

template <class T>
struct Precision {
  using type = T;
};

// Calls body(Precision<T>) for the tensor's precision, one of the core's two.
template <class Body>
void with_precision(const at::Tensor& tensor, const Body& body) {
  if (tensor.scalar_type() == at::kFloat) {
    body(Precision<float>());
  } else {
    body(Precision<double>());
  }
}

}  // namespace softradial::ops
