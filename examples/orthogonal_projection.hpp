#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

// The orthogonal (nearest-point) projection onto the capped simplex {0 <= x <= cap : sum(x) = sum}, for comparison:
//   x_j = clip(u_j - tau, 0, cap),   tau the root of  sum_j clip(u_j - tau, 0, cap) = sum.
// With F the free coordinates, 0 < x_j < cap, and S those at the cap:
//   x_F = u_F - mean(u_F) + (sum - cap |S|) / |F|          (without tau, which no number resolves where u is large)
//   J'g = g_F - mean(g_F) on F, 0 elsewhere;   rank J = |F| - 1, 0 if nothing is free.
class OrthogonalProjection {
 public:
  OrthogonalProjection(const std::vector<double>& u, double cap, double sum) : x_(u.size()), free_(u.size()) {
    const auto total = [&](double tau) {
      double value = 0;
      for (const double v : u) value += std::clamp(v - tau, 0.0, cap);
      return value;
    };
    // Invariant: total(low) >= sum > total(high). Ends when no number lies between them.
    const auto [smallest, largest] = std::minmax_element(u.begin(), u.end());
    double low = *smallest - std::max(cap, std::abs(*smallest));
    double high = *largest;
    for (double tau = low + (high - low) / 2; low < tau && tau < high; tau = low + (high - low) / 2) {
      (total(tau) >= sum ? low : high) = tau;
    }

    double left = sum;
    for (std::size_t j = 0; j < u.size(); ++j) {
      const bool at_cap = u[j] - high >= cap;
      free_[j] = !at_cap && u[j] > low;
      x_[j] = at_cap ? cap : 0;
      left -= x_[j];
    }
    const double mean = mean_of_free(u);
    const double share = left / std::max(1, num_free());
    for (std::size_t j = 0; j < u.size(); ++j) {
      if (free_[j]) x_[j] = std::clamp(u[j] - mean + share, 0.0, cap);
    }
  }

  [[nodiscard]] const std::vector<double>& x() const { return x_; }
  [[nodiscard]] int rank() const { return std::max(0, num_free() - 1); }

  // J'g at u.
  [[nodiscard]] std::vector<double> vjp(const std::vector<double>& g) const {
    const double mean = mean_of_free(g);
    std::vector<double> grad_u(g.size());
    for (std::size_t j = 0; j < g.size(); ++j) grad_u[j] = free_[j] ? g[j] - mean : 0;
    return grad_u;
  }

 private:
  [[nodiscard]] int num_free() const { return static_cast<int>(std::count(free_.begin(), free_.end(), true)); }
  [[nodiscard]] double mean_of_free(const std::vector<double>& values) const {
    double mean = 0;
    for (std::size_t j = 0; j < values.size(); ++j) mean += free_[j] ? values[j] / num_free() : 0;
    return mean;
  }

  std::vector<double> x_;
  std::vector<bool> free_;
};
