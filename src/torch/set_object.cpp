#include "set_object.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "softradial/errors.hpp"
#include "softradial/linear_system.hpp"

namespace softradial::ops {

at::Tensor SetObject::violation(const at::Tensor& x) const {
  const auto dim = static_cast<int64_t>(set_.dim());
  if (x.dim() < 1 || x.size(-1) != dim) {
    throw ShapeError("x: the last dimension must be " + std::to_string(dim));
  }
  const at::Tensor points = x.detach().to(at::kCPU, at::kDouble).contiguous();
  at::Tensor out = at::empty(x.sizes().slice(0, x.dim() - 1), at::kDouble);
  LinearSystem linear(set_.dim());
  set_->append_linear(linear);
  std::vector<double> slacks(set_->num_inequalities());
  for (int64_t i = 0; i < out.numel(); ++i) {
    const double* const point = points.data_ptr<double>() + i * dim;
    set_->slacks({point, set_.dim()}, slacks);
    double worst = 0;
    for (const double slack : slacks) worst = std::max(worst, -slack);
    for (const auto& equality : linear.equalities()) worst = std::max(worst, std::abs(residual(equality, point)));
    const bool known = std::all_of(point, point + dim, [](double v) { return !std::isnan(v); });
    out.data_ptr<double>()[i] = known ? worst : std::numeric_limits<double>::quiet_NaN();
  }
  return out.to(x.device());
}

}  // namespace softradial::ops
