#pragma once

#include <atomic>

// A kernel file compiles its passes once for every instruction set and lists them in a table: a struct of function pointers,
// one table for each set. A table's type has a static choose(), which asks Highway for the best table of this processor.
namespace softradial::kernels {

// The table of the processor that the program runs on: chosen at the first call, one load from then on. Threads that meet at
// the first call choose the same. A reference that is a static variable was the alternative: it checks a lock at every call.
template <class Table>
[[nodiscard]] inline const Table& table() noexcept {
  static constinit std::atomic<const Table*> chosen = nullptr;
  const Table* found = chosen.load(std::memory_order_relaxed);
  if (found == nullptr) [[unlikely]] {
    found = &Table::choose();
    chosen.store(found, std::memory_order_relaxed);
  }
  return *found;
}

}  // namespace softradial::kernels
