#include "shapes.hpp"

#include <ATen/ATen.h>

namespace softradial::ops {

std::string shape_text(const at::Tensor& tensor) {
  std::string shape;
  for (const int64_t size : tensor.sizes()) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
  return "(" + shape + ")";
}

void check_floating(const at::Tensor& tensor, const char* name) {
  if (tensor.is_floating_point()) return;
  throw ShapeError(std::string(name) + ": expected floating-point numbers, got " + c10::toString(tensor.scalar_type()));
}

void check_width(const at::Tensor& tensor, int64_t width, const char* name) {
  // The size of a batch may be a symbol: only the last dimension is looked at.
  if (tensor.dim() >= 1 && tensor.sym_sizes().back() == c10::SymInt(width)) return;
  throw ShapeError(std::string(name) + ": the last dimension must be " + std::to_string(width) + ", got shape " +
                   shape_text(tensor));
}

ShapeError does_not_broadcast(const at::Tensor& data, const char* name, const at::Tensor& rows,
                              const char* name_of_rows) {
  return ShapeError(std::string(name) + ": shape " + shape_text(data) + " does not broadcast over " + name_of_rows +
                    " of shape " + shape_text(rows));
}

}  // namespace softradial::ops
