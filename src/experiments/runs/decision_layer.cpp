#include "runs/decision_layer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "softradial/nn.hpp"
#include "softradial/sets.hpp"

namespace softradial::experiments {
namespace {

ConstraintLayer equal_weight(const Set& set) {
  const auto dim = static_cast<int64_t>(set.dim());
  const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set);
  const double total = coordinates != nullptr && coordinates->total() ? *coordinates->total() : 1.0;
  // Times zero, so that a gradient can be asked for: it is zero.
  return {[=](const at::Tensor& u, bool) { return u * 0 + total / static_cast<double>(dim); }, dim, dim};
}

template <class Module>
ConstraintLayer radial(Module module, int64_t dim) {
  return {[module](const at::Tensor& u, bool) mutable { return module(u); }, dim, dim};
}

// sum over the constraints of the squared violation, mean over the batch.
std::function<at::Tensor(const at::Tensor&)> penalty_of(const Set& set, double weight) {
  const TwoSidedRows rows = two_sided_rows(set);
  const auto tensor = [](const auto& matrix) {
    const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> copy = matrix;
    return at::from_blob(const_cast<double*>(copy.data()), {copy.rows(), copy.cols()}, at::kDouble).clone();
  };
  const at::Tensor A = tensor(rows.A);
  const at::Tensor lower = tensor(rows.lower).squeeze(1);
  const at::Tensor upper = tensor(rows.upper).squeeze(1);
  return [=](const at::Tensor& x) {
    const at::Tensor image = x.matmul(A.to(x.scalar_type()).t());
    const at::Tensor below = (lower.to(x.scalar_type()) - image).clamp_min(0);
    const at::Tensor above = (image - upper.to(x.scalar_type())).clamp_min(0);
    return weight * (below.square() + above.square()).sum(-1).mean();
  };
}

}  // namespace

ConstraintLayer decision_layer(const LayerConfig& config, const Set& set) {
  if (config.equal_weight()) return equal_weight(set);
  const auto dim = static_cast<int64_t>(set.dim());
  if (const auto* m = std::get_if<SoftRadial>(&config.options)) {
    return radial(nn::SoftRadial(set, nn::SoftRadialOptions{m->contraction, m->lambda, m->epsilon}), dim);
  }
  if (std::holds_alternative<HardRadial>(config.options)) return radial(nn::HardRadial(set), dim);
  if (const auto* m = std::get_if<GaugeMap>(&config.options)) {
    return radial(nn::GaugeMap(set, nn::GaugeMapOptions{m->contraction, m->lambda}), dim);
  }
  const auto* capped = dynamic_cast<const CappedSimplex*>(&*set);
  const bool uncapped = std::holds_alternative<Softmax>(config.options) && capped != nullptr;
  nn::ConstraintLayer module(uncapped ? Set(Simplex(set.dim(), *capped->total())) : set, config.options);
  const int64_t input = module->input_dim();
  ConstraintLayer layer{[module](const at::Tensor& u, bool training) mutable {
                          module->train(training);
                          return module(u);
                        },
                        input, dim};
  if (std::holds_alternative<SoftPenalty>(config.options)) layer.penalty = penalty_of(set, config.penalty_weight);
  return layer;
}

ViolationFunction violation_of(const Set& set) {
  return [set](const at::Tensor& x) {
    const at::Tensor wide = x.to(at::kDouble).contiguous();
    const auto dim = static_cast<std::size_t>(wide.size(-1));
    const double ulp =
        x.scalar_type() == at::kDouble ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    LinearSystem system(dim);
    set->append_linear(system);
    std::vector<double> slacks(set->num_inequalities());
    double worst = 0;
    for (int64_t i = 0; i < wide.size(0); ++i) {
      const double* row = wide.data_ptr<double>() + i * wide.size(-1);
      set->slacks({row, dim}, slacks);
      for (const double slack : slacks) worst = std::max(worst, -slack);
      for (const auto& equality : system.equalities()) {
        double size = std::abs(equality.bound);
        for (const auto& e : equality.entries) size += std::abs(e.value * row[e.column]);
        // Each term was rounded to the layer's precision, and their sum is a few more roundings.
        worst = std::max(worst, std::abs(residual(equality, row)) - 8 * ulp * size);
      }
      if (std::isnan(row[0])) worst = std::numeric_limits<double>::infinity();
    }
    return worst;
  };
}

}  // namespace softradial::experiments
