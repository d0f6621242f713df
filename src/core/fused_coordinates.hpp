#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/coordinate_kernels.hpp"
#include "ray_block.hpp"

namespace softradial {

// The fused passes of boxes, simplices and capped simplices over blocks of rows. A row of extreme size is left to
// RayBlock: the two agree to rounding.
template <class T>
class FusedCoordinates {
 public:
  // Nothing where the set's gauge or hull is not of this kind. The result refers to the set's numbers: it stays valid
  // while the set is moved, and no longer than the set lives.
  [[nodiscard]] static std::optional<FusedCoordinates> of(const AnchoredSet<T>& set);

  struct Buffers {
    explicit Buffers(std::size_t max_rows) : state(max_rows), phi(max_rows), sums(max_rows), terms(max_rows) {}
    std::vector<RowState<T>> state;
    std::vector<T> phi;
    std::vector<kernels::CotangentSums<T>> sums;
    std::vector<kernels::CotangentTerms<T>> terms;
  };

  // Rows that stay in the first-level cache between two passes.
  [[nodiscard]] std::size_t block_rows() const noexcept;

  [[nodiscard]] static bool ordinary(const RowState<T>& state) noexcept { return state.rho < kLargestRho<T>; }

  void reduce(Rows<const T> u, std::span<RowState<T>> state, bool find_active) const noexcept {
    kernels::reduce(data_, u, state.data(), find_active);
  }

  // x = u0 + phi d. False if some row was not ordinary: its x means nothing.
  template <class M>
  bool project(const M& method, Rows<const T> u, std::span<const RowState<T>> state, Rows<T> x,
               Buffers& buffers) const noexcept {
    bool all_ordinary = true;
    for (std::size_t i = 0; i < u.count(); ++i) {
      buffers.phi[i] = profile(method, state[i].rho, state[i].gamma).phi;
      all_ordinary &= ordinary(state[i]);
    }
    kernels::apply(data_, u, state.data(), buffers.phi.data(), x);
    return all_ordinary;
  }

  // grad_u = phi (g - mean g) + along d + (n at the active coordinate, minus its mean):
  //   along = phi (d.g) e_rho / rho,   n = phi (d.g) e_gamma / gamma * (+-reciprocal slack).
  template <class M>
  bool project_vjp(const M& method, Rows<const T> u, Rows<const T> grad_x, std::span<const RowState<T>> state,
                   Rows<T> grad_u, Buffers& buffers) const noexcept {
    const std::size_t n = data_.dim;
    bool all_ordinary = true;
    kernels::reduce_vjp(data_, u, grad_x, state.data(), buffers.sums.data());
    for (std::size_t i = 0; i < u.count(); ++i) {
      const auto at = profile(method, state[i].rho, state[i].gamma);
      const auto sums = buffers.sums[i];
      const auto active = static_cast<std::size_t>(state[i].active);
      const T slope = active < n ? data_.up[active] : -data_.down[active - n];
      const T along = state[i].rho > 0 ? at.phi * (sums.along_d / state[i].rho) * at.e_rho : T{0};
      const T normal = state[i].gamma > 0 ? at.phi * (sums.along_d / state[i].gamma) * at.e_gamma * slope : T{0};
      buffers.terms[i] = {at.phi, along, data_.sum ? -(at.phi * sums.mean + normal / static_cast<T>(n)) : T{0}, normal};
      all_ordinary &= ordinary(state[i]);
    }
    kernels::apply_vjp(data_, u, grad_x, state.data(), buffers.terms.data(), grad_u);
    return all_ordinary;
  }

 private:
  explicit FusedCoordinates(kernels::CoordinateData<T> data) : data_(data) {}

  // Points into the anchor and the gauge of the set, which live as long as this does.
  kernels::CoordinateData<T> data_;
};

extern template class FusedCoordinates<float>;
extern template class FusedCoordinates<double>;

}  // namespace softradial
