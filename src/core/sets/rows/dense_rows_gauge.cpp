#include <algorithm>
#include <cmath>
#include <vector>

#include "algebra/as_doubles.hpp"
#include "kernels/row_kernels.hpp"
#include "sets/rows/matrix_max_kernels.hpp"
#include "sets/rows/rows_gauge.hpp"

namespace softradial {
namespace {

template <class T>
class DenseRowsGauge final : public GuardedGauge<T> {
 public:
  DenseRowsGauge(const ScaledRows& scaled, std::size_t dim)
      : GuardedGauge<T>(scaled.margin), panels_(scaled.rows.size(), dim), rows_(scaled.rows.size() * dim) {
    for (std::size_t i = 0; i < scaled.rows.size(); ++i) {
      for (const auto& e : scaled.rows[i].entries) {
        panels_.set(i, e.column, static_cast<T>(e.value));
        rows_[i * dim + e.column] = static_cast<T>(e.value);
      }
    }
  }

  struct Scratch final : GaugeScratch {
    explicit Scratch(std::size_t max_rows) : kernel(max_rows), gamma(max_rows), active(max_rows) {}
    kernels::MatrixMaxScratch<T> kernel;
    std::vector<T> gamma;
    std::vector<std::int32_t> active;
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t max_rows) const override {
    return std::make_unique<Scratch>(max_rows);
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    auto& s = static_cast<Scratch&>(scratch);
    kernels::matrix_max(panels_, d, s.gamma.data(), s.active.data(), s.kernel);
    for (std::size_t i = 0; i < d.count(); ++i) at[i] = {s.gamma[i], s.active[i] < 0 ? 0 : s.active[i]};
  }

  // Adds one row instead of a second product. Read from the panels, it would cost a cache line for each number.
  void add_gradient(T scale, std::span<const T>, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch&) const noexcept override {
    if (!(at.gamma > 0)) return;
    kernels::add_scaled(scale, gradient_row(at), out.data(), out.size());
  }

  [[nodiscard]] const T* gradient_row(const GaugeAt<T>& at) const noexcept override {
    return at.gamma > 0 ? rows_.data() + static_cast<std::size_t>(at.active) * panels_.num_columns() : nullptr;
  }

  [[nodiscard]] std::int32_t num_pieces() const noexcept override {
    return static_cast<std::int32_t>(panels_.num_rows());
  }

  [[nodiscard]] std::vector<double> steepness(std::size_t dim) const override {
    std::vector<double> steepest(dim, 0);
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      steepest[k % dim] = std::max(steepest[k % dim], std::abs(static_cast<double>(rows_[k])));
    }
    return steepest;
  }

  [[nodiscard]] TensorGauge in_tensors(const TensorSpace& space) const override {
    return rows_in_tensors(as_doubles<T>(rows_, panels_.num_columns()), space);
  }

 private:
  kernels::Panels<T> panels_;
  std::vector<T> rows_;  // the same, row by row
};

}  // namespace

template <class T>
GaugePtr<T> make_dense_rows_gauge(const ScaledRows& rows, std::size_t dim) {
  return std::make_unique<DenseRowsGauge<T>>(rows, dim);
}

template GaugePtr<float> make_dense_rows_gauge<float>(const ScaledRows&, std::size_t);
template GaugePtr<double> make_dense_rows_gauge<double>(const ScaledRows&, std::size_t);

}  // namespace softradial
