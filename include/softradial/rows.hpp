#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace softradial {

// A batch of points, one per row: `count` rows of `dim` contiguous numbers, consecutive rows `stride` numbers apart.
// A view: it owns nothing. No row depends on another row anywhere in the library.
template <class T>
class Rows {
 public:
  Rows() = default;
  Rows(T* data, std::size_t count, std::size_t dim) noexcept
      : Rows(data, count, dim, static_cast<std::ptrdiff_t>(dim)) {}
  Rows(T* data, std::size_t count, std::size_t dim, std::ptrdiff_t stride) noexcept
      : data_(data), count_(count), dim_(dim), stride_(stride) {}

  // A batch of one.
  explicit Rows(std::span<T> row) noexcept : Rows(row.data(), 1, row.size()) {}

  // Rows<T> converts to Rows<const T>.
  operator Rows<const T>() const noexcept requires(!std::is_const_v<T>) { return {data_, count_, dim_, stride_}; }

  [[nodiscard]] T* data() const noexcept { return data_; }
  // Whether optional rows were passed at all.
  [[nodiscard]] bool given() const noexcept { return data_ != nullptr; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] std::ptrdiff_t stride() const noexcept { return stride_; }

  [[nodiscard]] T* row(std::size_t i) const noexcept { return data_ + static_cast<std::ptrdiff_t>(i) * stride_; }
  [[nodiscard]] std::span<T> operator[](std::size_t i) const noexcept { return {row(i), dim_}; }

  // Rows first ... first + count - 1.
  [[nodiscard]] Rows slice(std::size_t first, std::size_t count) const noexcept {
    return {row(first), count, dim_, stride_};
  }
  // Columns first ... first + dim - 1 of every row.
  [[nodiscard]] Rows columns(std::size_t first, std::size_t dim) const noexcept {
    return {data_ + first, count_, dim, stride_};
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
  std::size_t dim_ = 0;
  std::ptrdiff_t stride_ = 0;
};

}  // namespace softradial
