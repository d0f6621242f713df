#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "eigen_tensors.hpp"
#include "shapes.hpp"
#include "softradial/errors.hpp"
#include "softradial/qp_layer.hpp"

// The quadratic programme as an op: p, h, b are (..., width) or (width) for all samples; Q, G, A are shared.
namespace softradial::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// A tensor (rows, width) as a matrix of doubles with one column for each row.
Eigen::MatrixXd columns(const at::Tensor& tensor) {
  const at::Tensor wide = tensor.to(at::kCPU, at::kDouble).contiguous();
  return Eigen::Map<const Eigen::MatrixXd>(wide.data_ptr<double>(), wide.size(1), wide.size(0));
}
at::Tensor rows(const Eigen::MatrixXd& matrix, const at::Tensor& like) {
  const at::Tensor out = at::empty({matrix.cols(), matrix.rows()}, at::kDouble);
  Eigen::Map<Eigen::MatrixXd>(out.data_ptr<double>(), matrix.rows(), matrix.cols()) = matrix;
  return out.to(like.options());
}
Eigen::MatrixXd matrix(const at::Tensor& tensor) { return columns(tensor).transpose(); }
at::Tensor from_matrix(const Eigen::MatrixXd& value, const at::Tensor& like) { return rows(value.transpose(), like); }

// Data (..., width), or (width) for all samples, as (batch, width).
at::Tensor batched(const at::Tensor& data, const at::Tensor& p, int64_t width, const char* name) {
  check_width(data, width, name);
  const int64_t batch = p.numel() / p.size(-1);
  if (width == 0) return at::empty({batch, 0}, data.options());
  const at::Tensor list = data.reshape({-1, width});
  if (list.size(0) != 1 && list.size(0) != batch) throw does_not_broadcast(data, name, p, "p");
  return list.expand({batch, width});
}

class QpFunction final : public torch::autograd::Function<QpFunction> {
 public:
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& p, const at::Tensor& h, const at::Tensor& b,
                            const at::Tensor& Q, const at::Tensor& G, const at::Tensor& A) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const QpLayer layer(matrix(Q), matrix(G), Eigen::VectorXd::Zero(G.size(0)), matrix(A),
                        Eigen::VectorXd::Zero(A.size(0)));
    check_width(p, Q.size(0), "p");
    const auto solution = layer.solve(columns(batched(p, p, Q.size(0), "p")), columns(batched(h, p, G.size(0), "h")),
                                      columns(batched(b, p, A.size(0), "b")));
    const at::Tensor wide = at::empty({0}, at::kDouble);
    const at::Tensor x = rows(solution.x, wide);
    ctx->save_for_backward({p, h, b, Q, G, A, x, rows(solution.duals, wide), rows(solution.prices, wide)});
    return x.to(p.options()).reshape(p.sizes());
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    if (at::GradMode::is_enabled()) throw Error("qp has first derivatives only: create_graph is not possible");
    const variable_list s = ctx->get_saved_variables();
    const at::Tensor &p = s[0], &h = s[1], &b = s[2], &Q = s[3], &G = s[4], &A = s[5];
    const QpLayer layer(matrix(Q), matrix(G), Eigen::VectorXd::Zero(G.size(0)), matrix(A),
                        Eigen::VectorXd::Zero(A.size(0)));
    QpLayer::Solution at;
    at.x = columns(s[6]);
    at.duals = columns(s[7]);
    at.prices = columns(s[8]);
    const auto g = layer.vjp(at, columns(grads[0].reshape({-1, p.size(-1)})));
    const auto like = [&](const Eigen::MatrixXd& value, const at::Tensor& data) {
      at::DimVector shape(p.sizes().begin(), p.sizes().end());
      shape.back() = data.size(-1);
      return at::sum_to(rows(value, data).reshape(shape), data.sizes());
    };
    return {like(g.p, p), like(g.h, h), like(g.b, b), from_matrix(g.Q, Q), from_matrix(g.G, G), from_matrix(g.A, A)};
  }
};

at::Tensor qp(const at::Tensor& p, const at::Tensor& h, const at::Tensor& b, const at::Tensor& Q, const at::Tensor& G,
              const at::Tensor& A) {
  check_floating(p, "p");
  return QpFunction::apply(p, h, b, Q, G, A);
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) { m.impl("qp", qp); }

}  // namespace softradial::ops
