#pragma once

#include <ATen/core/Dict.h>
#include <ATen/core/Tensor.h>
#include <torch/custom_class.h>

#include <string>

#include "softradial/pool.hpp"
#include "softradial/set.hpp"
#include "softradial/violation.hpp"

namespace softradial::ops {

// A convex set as Python and TorchScript see it: torch.classes.softradial.Set. Immutable.
// `learned` holds those tensors of its data that require a gradient, under the names that a layer's call takes. The set itself
// holds the values that they had at construction.
class SetObject final : public torch::CustomClassHolder {
 public:
  using Tensors = c10::Dict<std::string, at::Tensor>;

  explicit SetObject(Set set) : set_(std::move(set)) {}
  SetObject(Set set, const Tensors& learned) : set_(std::move(set)), learned_(learned) {}

  [[nodiscard]] const Set& set() const noexcept { return set_; }
  [[nodiscard]] const Tensors& learned() const noexcept { return learned_; }

  // How far each row of x (..., dim) lies outside: ViolationMeter::beyond_rounding in the precision of x, 0 for a feasible
  // row, NaN for a row with a NaN. In double; shape (...).
  [[nodiscard]] at::Tensor violation(const at::Tensor& x) const;

 private:
  Set set_;
  Tensors learned_;
  mutable Pool<ViolationMeter> meters_;  // they remember the anchor that they searched for
};

using SetPtr = c10::intrusive_ptr<SetObject>;

// The violation through the dispatcher, so that it also works inside a transform of torch.func.
[[nodiscard]] at::Tensor violation(const at::Tensor& x, const SetPtr& set);

}  // namespace softradial::ops
