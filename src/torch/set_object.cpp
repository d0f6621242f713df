#include "set_object.hpp"

#include <ATen/ATen.h>
#include <torch/library.h>

#include "at_tensor.hpp"
#include "op_handle.hpp"
#include "penalty.hpp"
#include "shapes.hpp"
#include "vmap_rows.hpp"

namespace softradial::ops {
void check_points(const at::Tensor& x, const Set& set) { check_width(x, static_cast<int64_t>(set.dim()), "x"); }

at::Tensor SetObject::violation(const at::Tensor& x) const {
  check_points(x, set_);
  const at::Tensor points = x.detach().to(at::kCPU, at::kDouble).contiguous();
  at::Tensor out = at::empty(x.sizes().slice(0, x.dim() - 1), at::kDouble);
  const auto meter = meters_.lend([&] { return ViolationMeter(set_); });
  // Points whose dtype is not floating-point are exact.
  const double ulp = ops::ulp(at::isFloatingType(x.scalar_type()) ? x.scalar_type() : at::kDouble);
  for (int64_t i = 0; i < out.numel(); ++i) {
    out.data_ptr<double>()[i] = (*meter).beyond_rounding({points.data_ptr<double>() + i * x.size(-1), set_.dim()}, ulp);
  }
  return out.to(x.device());
}

at::Tensor violation(const at::Tensor& x, const SetPtr& set) {
  static const auto op = find_op<at::Tensor(const at::Tensor&, const SetPtr&)>("softradial::violation");
  return op.call(x, set);
}

namespace {

at::Tensor violation_kernel(const at::Tensor& x, const SetPtr& set) { return set->violation(x); }

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CompositeExplicitAutograd, m) { m.impl("violation", violation_kernel); }
// The violation is a measurement and has no derivative.
TORCH_LIBRARY_IMPL(softradial, Autograd, m) { m.impl("violation", torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(softradial, FuncTorchBatched, m) { m.impl("violation", Vmapped<violation>::call); }

}  // namespace softradial::ops
