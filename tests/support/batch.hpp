#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "softradial/rows.hpp"

namespace softradial::support {

// A batch that owns its numbers, one point per row, densely packed.
template <class T>
class Batch {
 public:
  Batch(std::size_t count, std::size_t dim) : count_(count), dim_(dim), data_(count * dim) {}

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] std::span<T> operator[](std::size_t i) noexcept { return {data_.data() + i * dim_, dim_}; }
  [[nodiscard]] std::span<const T> operator[](std::size_t i) const noexcept { return {data_.data() + i * dim_, dim_}; }
  [[nodiscard]] Rows<T> rows() noexcept { return {data_.data(), count_, dim_}; }
  [[nodiscard]] Rows<const T> view() const noexcept { return {data_.data(), count_, dim_}; }
  [[nodiscard]] const std::vector<T>& data() const noexcept { return data_; }

  void set(std::size_t i, const Eigen::VectorXd& point) {
    for (std::size_t j = 0; j < dim_; ++j) (*this)[i][j] = static_cast<T>(point[static_cast<Eigen::Index>(j)]);
  }
  [[nodiscard]] Eigen::VectorXd get(std::size_t i) const {
    return Eigen::Map<const Eigen::VectorX<T>>(data_.data() + i * dim_, static_cast<Eigen::Index>(dim_))
        .template cast<double>();
  }

 private:
  std::size_t count_;
  std::size_t dim_;
  std::vector<T> data_;
};

}  // namespace softradial::support
