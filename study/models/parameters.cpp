#include "models/parameters.hpp"

#include <ATen/ops/zeros.h>

#include <functional>
#include <numeric>
#include <stdexcept>

namespace softradial::study {
namespace {

int64_t count_of(const ParameterShape& parameter) {
  for (const int64_t size : parameter.shape) {
    if (size < 1) {
      throw std::invalid_argument("parameter " + parameter.name + " has a dimension of " + std::to_string(size));
    }
  }
  return std::accumulate(parameter.shape.begin(), parameter.shape.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace

Parameters::Parameters(std::vector<ParameterShape> shapes, at::ScalarType dtype) : shapes_(std::move(shapes)) {
  if (dtype != at::kFloat && dtype != at::kDouble) {
    throw std::invalid_argument(std::string("parameters are float or double, not ") + c10::toString(dtype));
  }
  int64_t count = 0;
  for (const ParameterShape& parameter : shapes_) {
    offsets_.push_back(count);
    count += count_of(parameter);
  }
  values_ = at::zeros({count}, dtype);
  gradients_ = at::zeros({count}, dtype);
}

void Parameters::assign(const at::Tensor& values) const {
  if (values.dim() != 1 || values.numel() != values_.numel() || values.scalar_type() != values_.scalar_type()) {
    throw std::invalid_argument("the model has " + std::to_string(values_.numel()) + " parameters of type " +
                                c10::toString(values_.scalar_type()) + ", given are " + std::to_string(values.numel()) +
                                " of type " + c10::toString(values.scalar_type()));
  }
  values_.copy_(values);
}

at::Tensor Parameters::view(const at::Tensor& flat, size_t index) const {
  return flat.narrow(0, offsets_.at(index), count_of(shapes_[index])).view(shapes_[index].shape);
}

}  // namespace softradial::study
