#include "set_object.hpp"

#include <ATen/ATen.h>

#include <string>

#include "penalty.hpp"
#include "softradial/errors.hpp"
#include "softradial/violation.hpp"

namespace softradial::ops {

void check_points(const at::Tensor& x, const Set& set) {
  if (x.dim() < 1 || x.size(-1) != static_cast<int64_t>(set.dim())) {
    throw ShapeError("x: the last dimension must be " + std::to_string(set.dim()));
  }
}

at::Tensor SetObject::violation(const at::Tensor& x) const {
  check_points(x, set_);
  const at::Tensor points = x.detach().to(at::kCPU, at::kDouble).contiguous();
  at::Tensor out = at::empty(x.sizes().slice(0, x.dim() - 1), at::kDouble);
  ViolationMeter meter(set_);
  for (int64_t i = 0; i < out.numel(); ++i) {
    out.data_ptr<double>()[i] = meter({points.data_ptr<double>() + i * x.size(-1), set_.dim()}).worst();
  }
  return out.to(x.device());
}

}  // namespace softradial::ops
