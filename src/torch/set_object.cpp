#include "set_object.hpp"

#include <ATen/ATen.h>

#include <limits>

#include "penalty.hpp"
#include "shapes.hpp"
#include "softradial/violation.hpp"

namespace softradial::ops {
namespace {

// The distance from 1 to the next number. Points that are no floating-point numbers are exact.
double ulp_of(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return std::numeric_limits<float>::epsilon();
    case at::kHalf:
      return std::numeric_limits<at::Half>::epsilon();
    case at::kBFloat16:
      return std::numeric_limits<at::BFloat16>::epsilon();
    default:
      return std::numeric_limits<double>::epsilon();
  }
}

}  // namespace

void check_points(const at::Tensor& x, const Set& set) { check_width(x, static_cast<int64_t>(set.dim()), "x"); }

at::Tensor SetObject::violation(const at::Tensor& x) const {
  check_points(x, set_);
  const at::Tensor points = x.detach().to(at::kCPU, at::kDouble).contiguous();
  at::Tensor out = at::empty(x.sizes().slice(0, x.dim() - 1), at::kDouble);
  ViolationMeter meter(set_);
  const double ulp = ulp_of(x.scalar_type());
  for (int64_t i = 0; i < out.numel(); ++i) {
    out.data_ptr<double>()[i] = meter.beyond_rounding({points.data_ptr<double>() + i * x.size(-1), set_.dim()}, ulp);
  }
  return out.to(x.device());
}

}  // namespace softradial::ops
