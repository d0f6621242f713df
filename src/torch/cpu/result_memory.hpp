#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>

#include <memory>

namespace softradial::ops {

// Memory for the results of an op, from call to call. A training loop frees results of one size and asks for the same
// again: malloc gives blocks of 128 KiB and more back to the system, which then clears every page of them anew, or answers
// with another, cold block. On a batch of 1024 x 1000 floats that takes three times as long as the projection itself.
// A few of the blocks that were freed last wait here instead; they are torch's own, and outlive this object with the
// tensors that use them.
class ResultMemory {
 public:
  // What waits here for the next call, at the most.
  static constexpr std::size_t kMostBlocks = 4;
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;

  ResultMemory();

  // A contiguous CPU tensor, not initialised.
  [[nodiscard]] at::Tensor tensor(at::IntArrayRef shape, at::ScalarType type) const;

 private:
  class Shelf;
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace softradial::ops
