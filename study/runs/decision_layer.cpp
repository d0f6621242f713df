#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "runs/run_config.hpp"
#include "softradial/nn.hpp"
#include "softradial/sets.hpp"
#include "softradial/violation.hpp"

namespace softradial::study {
namespace {

DecisionLayer equal_weight(const Set& set) {
  const auto dim = static_cast<int64_t>(set.dim());
  const double weight = total_of(set) / static_cast<double>(dim);
  // u * 0 keeps the result in the graph: its gradient exists and is zero.
  return {[=](const at::Tensor& u, bool) { return u * 0 + weight; }, dim, dim};
}

// How far an anchor may move from the set's own anchor towards the boundary. The rest of the way is room for the decision.
constexpr double kAnchorReach = 0.9;

template <class Module>
DecisionLayer radial(Module module, int64_t dim) {
  DecisionLayer layer{[module](const at::Tensor& u, bool) mutable { return module(u); }, dim, dim};
  const at::Tensor center = module->anchor();
  const Eigen::VectorXd point = Eigen::Map<const Eigen::VectorXd>(center.data_ptr<double>(), center.size(0));
  nn::HardRadial pulled(module->set(), nn::HardRadialOptions{.anchor = {.point = point}});
  layer.moving_anchor =
      MovingAnchor{.apply = [module](const at::Tensor& u, const at::Tensor& anchors,
                                     bool) mutable { return module(u, nn::SampleTensors{.anchor = anchors}); },
                   .inside =
                       [pulled, center](const at::Tensor& points) mutable {
                         const at::NoGradGuard no_grad;
                         const at::Tensor own = center.to(points.scalar_type());
                         return own + kAnchorReach * (pulled(points) - own);
                       }};
  return layer;
}

}  // namespace

DecisionLayer decision_layer(const LayerConfig& config, const Set& set) {
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
  DecisionLayer layer{[module](const at::Tensor& u, bool training) mutable {
                        module->train(training);
                        return module(u);
                      },
                      input, dim};
  if (std::holds_alternative<SoftPenalty>(config.options)) {
    layer.penalty = [set, weight = config.penalty_weight](const at::Tensor& x) {
      return weight * nn::penalty(x, set).mean();
    };
  }
  return layer;
}

ViolationFunction violation_of(const Set& set) {
  return [set](const at::Tensor& x) {
    const at::Tensor wide = x.to(at::kDouble).contiguous();
    const auto dim = static_cast<std::size_t>(wide.size(-1));
    const double ulp =
        x.scalar_type() == at::kDouble ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
    ViolationMeter meter(set);
    double worst = 0;
    for (int64_t i = 0; i < wide.size(0); ++i) {
      const auto found = meter({wide.data_ptr<double>() + i * wide.size(-1), dim});
      // Each term of an equality was rounded to the layer's precision, and adding the terms rounds a few more times.
      const double here = std::max(found.inequality, found.equality - 8 * ulp * found.rounding);
      worst = std::isnan(found.inequality) ? std::numeric_limits<double>::infinity() : std::max(worst, here);
    }
    return worst;
  };
}

}  // namespace softradial::study
