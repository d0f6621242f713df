#include "training/tensor_arrays.hpp"

#include <ATen/ops/empty.h>

#include <cstring>
#include <stdexcept>
#include <utility>

#include "files/errors.hpp"

namespace softradial::study {
namespace {

at::ScalarType scalar_type(Dtype dtype) {
  switch (dtype) {
    case Dtype::f32:
      return at::kFloat;
    case Dtype::f64:
      return at::kDouble;
    case Dtype::u8:
      return at::kByte;
  }
  throw std::logic_error("an array of no known type");
}

}  // namespace

Dtype dtype_of(at::ScalarType type) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64, Dtype::u8}) {
    if (scalar_type(dtype) == type) return dtype;
  }
  throw std::invalid_argument(std::string("a file holds no tensors of type ") + c10::toString(type));
}

NamedArray to_array(std::string name, const at::Tensor& tensor) {
  const at::Tensor plain = tensor.detach().cpu().contiguous();
  const auto* bytes = static_cast<const char*>(plain.data_ptr());
  return {std::move(name), dtype_of(plain.scalar_type()), plain.sizes().vec(),
          std::string(bytes, bytes + plain.nbytes())};
}

NamedArray to_array(std::string name, const Eigen::VectorXd& values) {
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  return {std::move(name), Dtype::f64, {values.size()}, std::string(bytes, bytes + values.size() * sizeof(double))};
}

at::Tensor to_tensor(const NamedArray& array) {
  at::Tensor out = at::empty(array.shape, scalar_type(array.dtype));
  std::memcpy(out.data_ptr(), array.bytes.data(), array.bytes.size());
  return out;
}

Eigen::VectorXd to_vector(const NamedArray& array) {
  if (array.dtype != Dtype::f64 || array.shape.size() != 1) {
    throw DataError("the array '" + array.name + "' is no vector of doubles");
  }
  Eigen::VectorXd out(array.shape[0]);
  std::memcpy(out.data(), array.bytes.data(), array.bytes.size());
  return out;
}

}  // namespace softradial::study
