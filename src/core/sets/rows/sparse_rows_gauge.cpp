#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sets/rows/rows_gauge.hpp"

namespace softradial {
namespace {

// Rows of d that are taken together, one per lane.
constexpr std::size_t kLanes = 16;

// Compressed rows. d is transposed in groups of kLanes rows, so that every non-zero is loaded once per group and the
// inner loop runs over lanes: the time is that of the non-zeros, plus one pass over d.
template <class T>
class SparseRowsGauge final : public GuardedGauge<T> {
 public:
  SparseRowsGauge(const ScaledRows& scaled, std::size_t dim) : GuardedGauge<T>(scaled.margin), dim_(dim) {
    starts_.push_back(0);
    for (const auto& row : scaled.rows) {
      for (const auto& e : row.entries) {
        columns_.push_back(static_cast<std::int32_t>(e.column));
        values_.push_back(static_cast<T>(e.value));
      }
      starts_.push_back(columns_.size());
    }
  }

  struct Scratch final : GaugeScratch {
    explicit Scratch(std::size_t dim) : transposed(dim * kLanes) {}
    std::vector<T> transposed;
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t) const override {
    return std::make_unique<Scratch>(dim_);
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    T* const transposed = static_cast<Scratch&>(scratch).transposed.data();
    for (std::size_t first = 0; first < d.count(); first += kLanes) {
      const std::size_t count = std::min(kLanes, d.count() - first);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const T* const row = d.row(first + std::min(lane, count - 1));
        for (std::size_t j = 0; j < dim_; ++j) transposed[j * kLanes + lane] = row[j];
      }
      evaluate_group(transposed, at.subspan(first, count));
    }
  }

  void add_gradient(T scale, std::span<const T>, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch&) const noexcept override {
    if (!(at.gamma > 0)) return;
    const auto i = static_cast<std::size_t>(at.active);
    for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k) {
      out[static_cast<std::size_t>(columns_[k])] += scale * values_[k];
    }
  }

  [[nodiscard]] std::int32_t num_pieces() const noexcept override {
    return static_cast<std::int32_t>(starts_.size() - 1);
  }

  [[nodiscard]] std::vector<double> steepness(std::size_t dim) const override {
    std::vector<double> steepest(dim, 0);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      double& at = steepest[static_cast<std::size_t>(columns_[k])];
      at = std::max(at, std::abs(static_cast<double>(values_[k])));
    }
    return steepest;
  }

  [[nodiscard]] TensorGauge in_tensors(const TensorSpace& space) const override {
    Eigen::MatrixXd W = Eigen::MatrixXd::Zero(num_pieces(), static_cast<Eigen::Index>(dim_));
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
      for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k)
        W(static_cast<Eigen::Index>(i), columns_[k]) += values_[k];
    }
    return rows_in_tensors(W, space);
  }

 private:
  void evaluate_group(const T* transposed, std::span<GaugeAt<T>> at) const noexcept {
    std::array<T, kLanes> best{};
    std::array<std::int32_t, kLanes> active{};
    for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
      std::array<T, kLanes> sum{};
      for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k) {
        const T* const d = transposed + static_cast<std::size_t>(columns_[k]) * kLanes;
        for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += values_[k] * d[lane];
      }
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const bool larger = sum[lane] > best[lane];
        best[lane] = larger ? sum[lane] : best[lane];
        active[lane] = larger ? static_cast<std::int32_t>(i) : active[lane];
      }
    }
    for (std::size_t r = 0; r < at.size(); ++r) at[r] = {best[r], active[r]};
  }

  std::size_t dim_;
  std::vector<std::size_t> starts_;
  std::vector<std::int32_t> columns_;
  std::vector<T> values_;
};

}  // namespace

template <class T>
GaugePtr<T> make_sparse_rows_gauge(const ScaledRows& rows, std::size_t dim) {
  return std::make_unique<SparseRowsGauge<T>>(rows, dim);
}

template GaugePtr<float> make_sparse_rows_gauge<float>(const ScaledRows&, std::size_t);
template GaugePtr<double> make_sparse_rows_gauge<double>(const ScaledRows&, std::size_t);

}  // namespace softradial
