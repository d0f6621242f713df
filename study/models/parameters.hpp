#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace softradial::study {

struct ParameterShape {
  std::string name;
  std::vector<int64_t> shape;
};

// The parameters of a model in one flat buffer and their gradients in another, so that an optimiser's step, a copy or a
// checkpoint is one pass. Copies of this object share the memory, as tensors do.
class Parameters {
 public:
  Parameters(std::vector<ParameterShape> shapes, at::ScalarType dtype);

  const at::Tensor& values() const { return values_; }        // (count)
  const at::Tensor& gradients() const { return gradients_; }  // (count)
  const std::vector<ParameterShape>& shapes() const { return shapes_; }

  // Views of one parameter, with its own shape.
  at::Tensor value(size_t index) const { return view(values_, index); }
  at::Tensor gradient(size_t index) const { return view(gradients_, index); }

  // Throws if the count or the type differs.
  void assign(const at::Tensor& values) const;

 private:
  at::Tensor view(const at::Tensor& flat, size_t index) const;

  std::vector<ParameterShape> shapes_;
  std::vector<int64_t> offsets_;
  at::Tensor values_;
  at::Tensor gradients_;
};

}  // namespace softradial::study
