#pragma once

#include <ATen/ATen.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>

#include <initializer_list>

// Rules for torch.func.vmap over ops whose rows are independent: the mapped dimension joins the batch. Without a rule, torch
// calls an op sample by sample.
namespace softradial::ops {

// The tensors of one call, as the current level of vmap sees them.
class VmapRows {
 public:
  explicit VmapRows(std::initializer_list<at::Tensor> tensors)
      : level_(at::functorch::maybeCurrentDynamicLayer()->layerId()) {
    for (const at::Tensor& tensor : tensors) {
      if (const auto* batched = at_level(tensor)) size_ = batched->value().size(batched->bdim());
    }
  }

  // The number of samples; 0 if none of the tensors is batched on this level.
  [[nodiscard]] int64_t size() const noexcept { return size_; }

  // The tensor with the mapped dimension in front.
  [[nodiscard]] at::Tensor in_front(const at::Tensor& tensor) const {
    if (size_ == 0) return tensor;
    if (const auto* batched = at_level(tensor)) return batched->value().movedim(batched->bdim(), 0);
    at::DimVector shape(tensor.sizes().begin(), tensor.sizes().end());
    shape.insert(shape.begin(), size_);
    return tensor.expand(shape);
  }
  // Turns a result with the mapped dimension in front back into a batched tensor.
  [[nodiscard]] at::Tensor batched(const at::Tensor& result) const {
    return size_ == 0 ? result : at::functorch::makeBatched(result, 0, level_);
  }

 private:
  [[nodiscard]] const at::functorch::BatchedTensorImpl* at_level(const at::Tensor& tensor) const {
    const auto* batched = at::functorch::maybeGetBatchedImpl(tensor);
    return batched != nullptr && batched->level() == level_ ? batched : nullptr;
  }

  c10::impl::ExcludeDispatchKeyGuard below_{c10::DispatchKey::FuncTorchBatched};
  int64_t level_;
  int64_t size_ = 0;
};

// The rule for an op that maps rows (..., n) to (..., m) or to one number per row.
template <auto kOp>
struct Vmapped;
template <class... Rest, at::Tensor (*kOp)(const at::Tensor&, Rest...)>
struct Vmapped<kOp> {
  static at::Tensor call(const at::Tensor& x, Rest... rest) {
    const VmapRows rows({x});
    return rows.batched(kOp(rows.in_front(x), rest...));
  }
};

}  // namespace softradial::ops
