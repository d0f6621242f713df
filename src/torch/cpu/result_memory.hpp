#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>

#include <memory>

namespace softradial::ops {

// Keeps the memory of an op's results for the next call. A training loop frees results of one size and asks for the same
// size again. malloc returns blocks of 128 KiB and more to the system, which clears each page before it gives it out
// again, or answers with another block that is not in the cache: on a batch of 1024 x 1000 floats, that takes three times
// as long as the projection itself. So the blocks that were freed last are kept here. They are torch's own blocks, and
// they outlive this object as long as tensors use them.
class ResultMemory {
 public:
  // The limits on what is kept for the next call.
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
