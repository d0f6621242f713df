#include "composite/gauge.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>
#include <vector>

#include "composite/level_gauge.hpp"
#include "composite/safe_math.hpp"
#include "eigen_tensors.hpp"

namespace softradial::composite {
namespace {

struct MakeGauge {
  const at::TensorOptions& options;

  template <class Values>
  [[nodiscard]] at::Tensor constant(const Values& values) const {
    return ops::to_tensor(values).to(options);
  }

  Gauge operator()(const SidesForm& form) const {
    return
        [up = constant(form.up), down = constant(form.down)](const at::Tensor& d) { return sides_gauge(d, up, down); };
  }

  Gauge operator()(const RowsForm& form) const {
    if (form.W.rows() == 0) return [](const at::Tensor& d) { return 0 * d.narrow(-1, 0, 1); };
    return [columns = constant(Eigen::MatrixXd(form.W.transpose()))](const at::Tensor& d) {
      return largest(d.matmul(columns)).relu();
    };
  }

  Gauge operator()(const QuadraticForm& form) const {
    return [columns = constant(Eigen::MatrixXd(form.V.transpose())), beta = constant(form.beta),
            inflation = form.inflation, curved = form.V.rows() > 0](const at::Tensor& d) {
      at::Tensor squares = inflation * (d * d).sum(-1, true);
      if (curved) squares = squares + d.matmul(columns).square().sum(-1, true);
      return quadratic_root(squares, (d * beta).sum(-1, true));
    };
  }

  Gauge operator()(const ConeForm& form) const {
    return [columns = constant(Eigen::MatrixXd(form.W.transpose())), tau = constant(form.tau),
            curved = form.W.rows() > 0](const at::Tensor& d) {
      const at::Tensor along = -(d * tau).sum(-1, true);
      return (curved ? safe_norm(d.matmul(columns)) + along : along).relu();
    };
  }

  Gauge operator()(const LmiForm& form) const {
    std::vector<at::Tensor> matrices;
    for (const Eigen::MatrixXd& G : form.G) matrices.push_back(constant(G));
    return [G = at::stack(matrices)](const at::Tensor& d) {
      const at::Tensor sum = at::tensordot(d, G, {-1}, {0});
      return at::linalg_eigvalsh(sum).narrow(-1, G.size(-1) - 1, 1).relu();
    };
  }

  Gauge operator()(const NormForm& form) const {
    return
        [form](const at::Tensor& d) { return (form.scale * lp_norm(d.to(at::kDouble), form.p)).to(d.scalar_type()); };
  }

  Gauge operator()(const LevelForm& form) const { return make_level_gauge(form, options); }

  Gauge operator()(const MaxForm& form) const {
    struct Part {
      Gauge gauge;
      int64_t first;
      int64_t dim;
    };
    std::vector<Part> parts;
    for (const PartForm& part : form.parts) {
      parts.push_back(
          {make_gauge(part.form, options), static_cast<int64_t>(part.first_column), static_cast<int64_t>(part.dim)});
    }
    return [parts = std::move(parts)](const at::Tensor& d) {
      std::vector<at::Tensor> gauges;
      for (const Part& part : parts) gauges.push_back(part.gauge(d.narrow(-1, part.first, part.dim)));
      return largest(at::cat(gauges, -1)).relu();
    };
  }

  Gauge operator()(const AffineForm& form) const {
    return [inner = make_gauge(*form.inner, options), columns = constant(Eigen::MatrixXd(form.A.transpose())),
            grow = form.grow](const at::Tensor& d) { return grow * inner(d.matmul(columns)); };
  }

  Gauge operator()(const ScaledForm& form) const {
    return [inner = make_gauge(*form.inner, options), factor = form.factor, grow = form.grow](const at::Tensor& d) {
      return grow * inner(factor * d);
    };
  }
};

}  // namespace

Gauge make_gauge(const GaugeForm& form, const at::TensorOptions& options) {
  return std::visit(MakeGauge{options}, static_cast<const GaugeForm::variant&>(form));
}

at::Tensor sides_gauge(const at::Tensor& d, const at::Tensor& up, const at::Tensor& down) {
  return largest(at::maximum(d * up, -d * down)).relu();
}

// For b < 0 the root is curved / (length - b).
at::Tensor quadratic_root(const at::Tensor& curved, const at::Tensor& b) {
  const at::Tensor length = safe_sqrt(curved + b * b);
  const at::Tensor ahead = (b >= 0).logical_or(length <= 0);
  const at::Tensor gap = where_else(ahead.bitwise_not(), length - b, 1);
  return at::where(ahead, length + b, curved / gap);
}

}  // namespace softradial::composite
