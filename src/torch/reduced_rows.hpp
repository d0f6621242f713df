#pragma once

#include <ATen/ATen.h>

#include <limits>

#include "at_tensor.hpp"

namespace softradial::ops {

// The problem without equalities: x = origin + y Z', G = A Z, h = b - A origin. Batched over one leading dimension B; G is (m,
// k) if all samples share it, else (B, m, k). walk_to_center works on these rows.
struct Reduced {
  using Vector = Tensor;
  using Number = Tensor;
  using Truth = Tensor;

  at::Tensor G;
  at::Tensor h;       // (B, m)
  at::Tensor origin;  // (B, n)
  at::Tensor Z;       // (n, k), orthonormal columns; undefined: the identity

  [[nodiscard]] at::Tensor times_rows(const at::Tensor& y) const {
    return G.dim() == 2 ? y.matmul(G.t()) : G.matmul(y.unsqueeze(-1)).squeeze(-1);
  }
  [[nodiscard]] at::Tensor times_columns(const at::Tensor& weights) const {
    return G.dim() == 2 ? weights.matmul(G) : weights.unsqueeze(-2).matmul(G).squeeze(-2);
  }
  // G' diag(weights) G: (B, k, k)
  [[nodiscard]] at::Tensor gram(const at::Tensor& weights) const {
    const at::Tensor left = (G.dim() == 2 ? G.unsqueeze(0) : G).transpose(-1, -2) * weights.unsqueeze(-2);
    return left.matmul(G);
  }
  [[nodiscard]] at::Tensor point(const at::Tensor& y) const {
    return Z.defined() ? origin + y.matmul(Z.t()) : origin + y;
  }
  [[nodiscard]] Reduced select(const at::Tensor& those) const {
    return {G.dim() == 2 ? G : G.index_select(0, those), h.index_select(0, those), origin.index_select(0, those), Z};
  }
  [[nodiscard]] Reduced samples(int64_t first, int64_t count) const {
    return {G.dim() == 2 ? G : G.narrow(0, first, count), h.narrow(0, first, count), origin.narrow(0, first, count), Z};
  }

  [[nodiscard]] Tensor slacks(const Tensor& y) const { return wrap(h - times_rows(unwrap(y))); }
  [[nodiscard]] Tensor times(const Tensor& y) const { return wrap(times_rows(unwrap(y))); }
  [[nodiscard]] Tensor norms() const { return wrap((G * G).sum(-1).sqrt()); }
  [[nodiscard]] bool everywhere(const Tensor& truth) const { return unwrap(truth).all().item<bool>(); }
  [[nodiscard]] Tensor step(const Tensor& w, const Tensor& r) const {
    const Tensor squares = w * w;
    const auto [L, info] = at::linalg_cholesky_ex(gram(unwrap(squares)));
    const at::Tensor g = times_columns(unwrap(w + squares * r));
    const at::Tensor dy = -at::cholesky_solve(g.unsqueeze(-1), L).squeeze(-1);
    return wrap(at::where((info == 0).unsqueeze(-1), dy, at::full_like(dy, std::numeric_limits<double>::quiet_NaN())));
  }
};

}  // namespace softradial::ops
