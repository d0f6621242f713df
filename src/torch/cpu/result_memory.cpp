#include "cpu/result_memory.hpp"

#include <ATen/EmptyTensor.h>
#include <ATen/core/TensorBase.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/Storage.h>
#include <c10/util/accumulate.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace softradial::ops {
namespace {

// malloc returns blocks of this size and larger to the system (M_MMAP_THRESHOLD). For smaller ones malloc is faster.
constexpr std::size_t kLeastBytes = std::size_t{128} << 10;

struct Block {
  c10::DataPtr data;
  std::size_t bytes;
};

}  // namespace

class ResultMemory::Shelf {
 public:
  // Takes the most recently put block that fits without waste, or makes a new one.
  Block take(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      const auto fits = [bytes](const Block& block) {
        return bytes <= block.bytes && block.bytes <= bytes + bytes / 4;
      };
      const auto found = std::find_if(blocks_.rbegin(), blocks_.rend(), fits);
      if (found != blocks_.rend()) {
        Block block = std::move(*found);
        blocks_.erase(std::prev(found.base()));
        bytes_ -= block.bytes;
        return block;
      }
    }
    return {c10::GetCPUAllocator()->allocate(bytes), bytes};
  }

  // Keeps the block and drops the oldest ones to make room for it.
  void put(Block block) {
    std::vector<Block> leaving;  // freed outside the lock
    const std::lock_guard lock(mutex_);
    bytes_ += block.bytes;
    blocks_.push_back(std::move(block));
    while (blocks_.size() > kMostBlocks || bytes_ > kMostBytes) {
      bytes_ -= blocks_.front().bytes;
      leaving.push_back(std::move(blocks_.front()));
      blocks_.erase(blocks_.begin());
    }
  }

 private:
  std::mutex mutex_;
  std::vector<Block> blocks_;  // in the order in which they were put
  std::size_t bytes_ = 0;
};

ResultMemory::ResultMemory() : shelf_(std::make_shared<Shelf>()) {}

at::Tensor ResultMemory::tensor(at::IntArrayRef shape, at::ScalarType type) const {
  const std::size_t bytes = static_cast<std::size_t>(c10::multiply_integers(shape)) * c10::elementSize(type);
  if (bytes < kLeastBytes || bytes > kMostBytes) return at::Tensor(at::detail::empty_cpu(shape, type));
  struct Lent {
    Block block;
    std::shared_ptr<Shelf> home;
  };
  auto lent = std::make_unique<Lent>(Lent{shelf_->take(bytes), shelf_});
  void* const memory = lent->block.data.get();
  const auto give_back = [](void* context) {
    const std::unique_ptr<Lent> back(static_cast<Lent*>(context));
    back->home->put(std::move(back->block));
  };
  c10::Storage storage(c10::Storage::use_byte_size_t(), bytes,
                       c10::DataPtr(memory, lent.release(), give_back, at::kCPU), c10::GetCPUAllocator(), true);
  at::Tensor out = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKey::CPU,
                                                            c10::scalarTypeToTypeMeta(type));
  out.unsafeGetTensorImpl()->set_sizes_contiguous(shape);
  return out;
}

}  // namespace softradial::ops
