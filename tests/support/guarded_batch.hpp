#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <new>

#include "softradial/rows.hpp"

namespace softradial::support {

// Rows that lie directly before or behind pages which nobody may touch: a read or a write beyond them ends the program.
enum class Edge { front, back };

template <class T>
class GuardedBatch {
 public:
  GuardedBatch(std::size_t count, std::size_t dim, Edge edge) : count_(count), dim_(dim) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = count * dim * sizeof(T);
    const std::size_t inner = (bytes + page - 1) / page * page;
    size_ = inner + 2 * page;
    base_ = static_cast<std::byte*>(mmap(nullptr, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + page, inner, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    std::byte* const first = edge == Edge::front ? base_ + page : base_ + page + inner - bytes;
    data_ = reinterpret_cast<T*>(first);
  }
  GuardedBatch(const GuardedBatch&) = delete;
  GuardedBatch& operator=(const GuardedBatch&) = delete;
  ~GuardedBatch() { munmap(base_, size_); }

  [[nodiscard]] Rows<T> rows() noexcept { return {data_, count_, dim_}; }
  [[nodiscard]] Rows<const T> view() const noexcept { return {data_, count_, dim_}; }
  [[nodiscard]] T* data() noexcept { return data_; }

 private:
  std::size_t count_;
  std::size_t dim_;
  std::size_t size_;
  std::byte* base_;
  T* data_;
};

}  // namespace softradial::support
