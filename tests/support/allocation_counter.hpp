#pragma once

#include <cstddef>

namespace softradial::support {

// Counts the allocations of the whole process between construction and the question. Works only in a program that
// contains allocation_counter.cpp, which takes the place of the allocator's entry points.
class AllocationGuard {
 public:
  AllocationGuard() noexcept;
  [[nodiscard]] std::size_t count() const noexcept;

 private:
  std::size_t before_;
};

}  // namespace softradial::support
