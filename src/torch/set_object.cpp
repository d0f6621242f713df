#include "set_object.hpp"

#include <ATen/ATen.h>

#include "at_tensor.hpp"
#include "penalty.hpp"
#include "shapes.hpp"
#include "softradial/violation.hpp"

namespace softradial::ops {
void check_points(const at::Tensor& x, const Set& set) { check_width(x, static_cast<int64_t>(set.dim()), "x"); }

at::Tensor SetObject::violation(const at::Tensor& x) const {
  check_points(x, set_);
  const at::Tensor points = x.detach().to(at::kCPU, at::kDouble).contiguous();
  at::Tensor out = at::empty(x.sizes().slice(0, x.dim() - 1), at::kDouble);
  ViolationMeter meter(set_);
  // Points that are no floating-point numbers are exact.
  const double ulp = ops::ulp(at::isFloatingType(x.scalar_type()) ? x.scalar_type() : at::kDouble);
  for (int64_t i = 0; i < out.numel(); ++i) {
    out.data_ptr<double>()[i] = meter.beyond_rounding({points.data_ptr<double>() + i * x.size(-1), set_.dim()}, ulp);
  }
  return out.to(x.device());
}

}  // namespace softradial::ops
