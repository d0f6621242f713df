#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <mutex>

namespace softradial::ops {

// The RowStatus of every row of a layer's last result. If the kernel marked no row, only the batch's shape is stored: a
// status that nobody reads costs nothing and does not keep the result alive.
class LastStatus {
 public:
  // The fused kernel calls it with its result x (..., dim). `marked` rows of x are NaN because their u is not finite.
  void note(const at::Tensor& x, std::size_t marked);
  void note(const at::Tensor& status);

  // Runs `project` and returns its x. If no kernel has called note() meanwhile (the composite ran), the status follows
  // from the NaN rows of x when it is asked for.
  template <class Project>
  at::Tensor watch(const Project& project) {
    forget();
    at::Tensor x = project();
    keep_unless_noted(x);
    return x;
  }

  // (...) int8; no numbers before the first result. Throws if it has to be read off an x that was changed in place, or after a
  // call inside a transform of torch.func, whose tensors do not outlive it.
  [[nodiscard]] at::Tensor read();

 private:
  using Shape = c10::SmallVector<int64_t, 5>;

  void forget();
  void keep_unless_noted(const at::Tensor& x);

  std::mutex mutex_;
  bool noted_ = true;
  bool transformed_ = false;
  Shape all_ok_{0};
  at::Tensor status_;
  at::Tensor output_;
  int64_t version_ = 0;
};

}  // namespace softradial::ops
