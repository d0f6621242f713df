#include "last_status.hpp"

#include <ATen/ATen.h>

#include "plain_tensors.hpp"
#include "softradial/errors.hpp"
#include "softradial/row_status.hpp"

namespace softradial::ops {
namespace {

at::Tensor status_of(const at::Tensor& x) {
  static_assert(static_cast<int>(RowStatus::not_finite) == 1 && static_cast<int>(RowStatus::ok) == 0);
  return x.isnan().any(-1).to(at::kChar);
}

}  // namespace

void LastStatus::note(const at::Tensor& x, std::size_t marked) {
  at::Tensor status = marked > 0 ? status_of(x) : at::Tensor();
  const at::IntArrayRef rows = x.sizes().slice(0, static_cast<std::size_t>(x.dim()) - 1);
  const std::lock_guard lock(mutex_);
  noted_ = true;
  all_ok_.assign(rows.begin(), rows.end());
  status_ = std::move(status);
}

void LastStatus::note(const at::Tensor& status) {
  const std::lock_guard lock(mutex_);
  transformed_ = in_transform();
  noted_ = true;
  status_ = transformed_ ? at::Tensor() : status;
  output_.reset();
}

void LastStatus::forget() {
  const std::lock_guard lock(mutex_);
  transformed_ = in_transform();
  noted_ = transformed_;
  all_ok_.assign(1, 0);
  status_.reset();
  output_.reset();
}

void LastStatus::keep_unless_noted(const at::Tensor& x) {
  const std::lock_guard lock(mutex_);
  if (noted_) return;
  output_ = x.detach();
  version_ = output_.is_inference() ? 0 : static_cast<int64_t>(output_._version());
}

at::Tensor LastStatus::read() {
  const std::lock_guard lock(mutex_);
  if (transformed_) throw InvalidOption("status: not kept of a call inside a transform of torch.func");
  if (status_.defined()) return status_;
  if (output_.defined()) {
    if (!output_.is_inference() && static_cast<int64_t>(output_._version()) != version_) {
      throw InvalidOption("status: x was changed in place before its status was read");
    }
    status_ = status_of(output_);
    output_.reset();
  } else {
    status_ = at::zeros(all_ok_, at::kChar);
  }
  return status_;
}

}  // namespace softradial::ops
