#include <ATen/ATen.h>
#include <torch/library.h>

#include "autocast.hpp"
#include "autograd/first_order.hpp"
#include "described/kernel.hpp"
#include "eigen_tensors.hpp"
#include "op_handle.hpp"
#include "shapes.hpp"
#include "softradial/errors.hpp"
#include "softradial/qp_layer.hpp"

// The quadratic programme as an op. p, h, b are (..., width), or (width) for all samples; Q, G, A are shared.
namespace softradial::ops {
namespace {

at::Tensor rows(const Eigen::MatrixXd& matrix, const at::Tensor& like) {
  const at::Tensor out = at::empty({matrix.cols(), matrix.rows()}, at::kDouble);
  Eigen::Map<Eigen::MatrixXd>(out.data_ptr<double>(), matrix.rows(), matrix.cols()) = matrix;
  return out.to(like.options());
}
Eigen::MatrixXd matrix(const at::Tensor& tensor) { return to_columns(tensor).transpose(); }
at::Tensor from_matrix(const Eigen::MatrixXd& value, const at::Tensor& like) { return rows(value.transpose(), like); }

// Broadcasts data to (..., width) over the batch of p; (width) is shared by all samples.
at::Tensor batched(const at::Tensor& data, const at::Tensor& p, int64_t width, const char* name) {
  check_width(data, width, name);
  // Sizes may be symbols: a program does not know its batch while it is being compiled.
  SymShape shape(p.sym_sizes().begin(), p.sym_sizes().end());
  shape.back() = width;
  if (!at::is_expandable_to(data.sym_sizes(), shape)) throw does_not_broadcast(data, name, p, "p");
  return data.expand_symint(shape);
}

QpLayer layer_of(const at::Tensor& Q, const at::Tensor& G, const at::Tensor& A) {
  return {matrix(Q), matrix(G), Eigen::VectorXd::Zero(G.size(0)), matrix(A), Eigen::VectorXd::Zero(A.size(0))};
}

// Reshapes (..., width) to (rows, width).
at::Tensor flat(const at::Tensor& data, int64_t rows) { return data.reshape({rows, data.size(-1)}); }

// x, x again in double, and the multipliers of the inequalities and of the equalities, (rows, width) each.
using Solved = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;
Solved solve_kernel(const at::Tensor& p, const at::Tensor& h, const at::Tensor& b, const at::Tensor& Q,
                    const at::Tensor& G, const at::Tensor& A) {
  const int64_t batch = p.numel() / p.size(-1);
  const auto solution =
      layer_of(Q, G, A).solve(to_columns(flat(p, batch)), to_columns(flat(h, batch)), to_columns(flat(b, batch)));
  const at::Tensor wide = at::empty({0}, at::kDouble);
  const at::Tensor x = rows(solution.x, wide);
  // A copy, because the results of an op must not share memory.
  return {result_of(x.to(p.options()).reshape(p.sizes())), x, rows(solution.duals, wide), rows(solution.prices, wide)};
}

// Cotangents of all data; those of p, h, b row by row. The arguments include everything that the solution depends on, even
// what is not needed here, because autograd has to see it.
using Cotangents = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>;
Cotangents solve_backward_kernel(const at::Tensor& grad_x, const at::Tensor& p, const at::Tensor& h,
                                 const at::Tensor& b, const at::Tensor& Q, const at::Tensor& G, const at::Tensor& A,
                                 const at::Tensor& x, const at::Tensor& duals, const at::Tensor& prices) {
  QpLayer::Solution at;
  at.x = to_columns(x);
  at.duals = to_columns(duals);
  at.prices = to_columns(prices);
  const auto g = layer_of(Q, G, A).vjp(at, to_columns(flat(grad_x, x.size(0))));
  return {rows(g.p, p).reshape(p.sizes()),
          rows(g.h, h).reshape(h.sizes()),
          rows(g.b, b).reshape(b.sizes()),
          from_matrix(g.Q, Q),
          from_matrix(g.G, G),
          from_matrix(g.A, A)};
}

Solved solve_meta(const at::Tensor& p, const at::Tensor& h, const at::Tensor& b, const at::Tensor&, const at::Tensor&,
                  const at::Tensor&) {
  const auto wide = [&](const at::Tensor& data) {
    return blank({sym_rows(p), data.sym_size(-1)}, p.options().dtype(at::kDouble));
  };
  return {blank_like(p), wide(p), wide(h), wide(b)};
}

Cotangents solve_backward_meta(const at::Tensor&, const at::Tensor& p, const at::Tensor& h, const at::Tensor& b,
                               const at::Tensor& Q, const at::Tensor& G, const at::Tensor& A, const at::Tensor&,
                               const at::Tensor&, const at::Tensor&) {
  return {blank_like(p), blank_like(h), blank_like(b), blank_like(Q), blank_like(G), blank_like(A)};
}

using SolveSignature = Solved(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                              const at::Tensor&, const at::Tensor&);
using SolveBackwardSignature = Cotangents(const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                          const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&,
                                          const at::Tensor&, const at::Tensor&);

Tensors solve(const Tensors& t) {
  static const auto op = find_op<SolveSignature>("softradial::qp_solve");
  const auto [x, wide, duals, prices] = op.call(t[0], t[1], t[2], t[3], t[4], t[5]);
  return {x, wide, duals, prices};
}

Tensors solve_backward(const Tensors& t) {
  static const auto op = find_op<SolveBackwardSignature>("softradial::qp_solve_backward");
  const auto [p, h, b, Q, G, A] = op.call(t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9]);
  return {p, h, b, Q, G, A};
}

Solved solve_autograd(const at::Tensor& p, const at::Tensor& h, const at::Tensor& b, const at::Tensor& Q,
                      const at::Tensor& G, const at::Tensor& A) {
  const auto vjp = [](const at::Tensor& grad_x, const Tensors& inputs, const Tensors& outputs) {
    Tensors all{grad_x};
    all.insert(all.end(), inputs.begin(), inputs.end());
    all.insert(all.end(), outputs.begin() + 1, outputs.end());
    return solve_backward(all);
  };
  const Tensors inputs{p, h, b, Q, G, A};
  const Tensors out = record_first_order({"qp", vjp, 3}, inputs, [&] { return solve(inputs); });
  return {out[0], out[1], out[2], out[3]};
}

Cotangents solve_backward_autograd(const at::Tensor& grad_x, const at::Tensor& p, const at::Tensor& h,
                                   const at::Tensor& b, const at::Tensor& Q, const at::Tensor& G, const at::Tensor& A,
                                   const at::Tensor& x, const at::Tensor& duals, const at::Tensor& prices) {
  const Tensors inputs{grad_x, p, h, b, Q, G, A, x, duals, prices};
  const Tensors out = derivative_only("qp", inputs, [&] { return solve_backward(inputs); });
  return {out[0], out[1], out[2], out[3], out[4], out[5]};
}

at::Tensor qp(const at::Tensor& p, const at::Tensor& h, const at::Tensor& b, const at::Tensor& Q, const at::Tensor& G,
              const at::Tensor& A) {
  check_floating(p, "p");
  check_width(p, Q.size(0), "p");
  return solve({p, batched(h, p, G.size(0), "h"), batched(b, p, A.size(0), "b"), Q, G, A})[0];
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) { m.impl("qp", Exact<qp>::call); }
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) { m.impl("qp", Exact<qp>::call); }
TORCH_LIBRARY_IMPL(softradial, CompositeExplicitAutograd, m) {
  m.impl("qp_solve", solve_kernel);
  m.impl("qp_solve_backward", solve_backward_kernel);
}
TORCH_LIBRARY_IMPL(softradial, Meta, m) {
  m.impl("qp_solve", solve_meta);
  m.impl("qp_solve_backward", solve_backward_meta);
}
TORCH_LIBRARY_IMPL(softradial, Autograd, m) {
  m.impl("qp_solve", solve_autograd);
  m.impl("qp_solve_backward", solve_backward_autograd);
}

}  // namespace softradial::ops
