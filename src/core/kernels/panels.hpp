#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace softradial::kernels {

// Rows of W that a panel holds side by side: 128 bytes, a multiple of every vector length up to 1024 bits.
template <class T>
inline constexpr std::size_t kPanelRows = 128 / sizeof(T);

// Most rows of d that go through a panel together.
inline constexpr std::size_t kMaxTileRows = 14;

// A number of rows, rounded up to whole panels.
template <class T>
[[nodiscard]] constexpr std::size_t padded_rows(std::size_t num_rows) noexcept {
  return (num_rows + kPanelRows<T> - 1) / kPanelRows<T> * kPanelRows<T>;
}

// A matrix W for products with blocks of vectors: element (i, k) stands at [i / kPanelRows][k][i % kPanelRows]; rows beyond
// the last are zero. Packed once; a BLAS packs at every call.
template <class T>
class Panels {
 public:
  Panels(std::size_t num_rows, std::size_t num_columns)
      : num_rows_(num_rows),
        num_columns_(num_columns),
        storage_((num_panels() * num_columns + 1) * kPanelRows<T>, T{0}) {}
  // Not copied: the copy's memory would begin elsewhere in a cache line.
  Panels(const Panels&) = delete;
  Panels& operator=(const Panels&) = delete;
  Panels(Panels&&) noexcept = default;
  Panels& operator=(Panels&&) noexcept = default;
  ~Panels() = default;

  [[nodiscard]] std::size_t num_rows() const noexcept { return num_rows_; }
  [[nodiscard]] std::size_t num_columns() const noexcept { return num_columns_; }
  [[nodiscard]] std::size_t num_panels() const noexcept { return padded_rows<T>(num_rows_) / kPanelRows<T>; }
  [[nodiscard]] const T* panel(std::size_t p) const noexcept { return data() + p * num_columns_ * kPanelRows<T>; }

  void set(std::size_t i, std::size_t k, T value) noexcept { const_cast<T*>(data())[offset(i, k)] = value; }

 private:
  [[nodiscard]] std::size_t offset(std::size_t i, std::size_t k) const noexcept {
    return ((i / kPanelRows<T>)*num_columns_ + k) * kPanelRows<T> + i % kPanelRows<T>;
  }
  // Aligned to a cache line inside the vector's storage.
  [[nodiscard]] const T* data() const noexcept {
    constexpr std::uintptr_t kLine = 64;
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    return storage_.data() + (kLine - address % kLine) % kLine / sizeof(T);
  }

  std::size_t num_rows_;
  std::size_t num_columns_;
  std::vector<T> storage_;
};

}  // namespace softradial::kernels
