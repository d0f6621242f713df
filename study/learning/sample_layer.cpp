#include "learning/sample_layer.hpp"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <utility>

#include "softradial/errors.hpp"
#include "softradial/nn.hpp"

namespace softradial::study {
namespace {

using at::Tensor;

template <class Module>
SampleLayer radial_layer(Module module, int64_t dim) {
  const auto apply = [module](const Tensor& u, const Samples& s, bool) mutable {
    return s.f.defined() ? module(u, nn::SampleTensors{.f = s.f, .anchor = s.anchors}) : module(u);
  };
  return {apply, dim};
}

nn::SoftRadial module_of(const Set& set, const SoftRadial& m) {
  return nn::SoftRadial(set, nn::SoftRadialOptions{m.contraction, m.lambda, m.epsilon});
}
nn::GaugeMap module_of(const Set& set, const GaugeMap& m) {
  return nn::GaugeMap(set, nn::GaugeMapOptions{m.contraction, m.lambda});
}
nn::HardRadial module_of(const Set& set, const HardRadial&) { return nn::HardRadial(set); }

// The nearest point to u with G y <= h, E y = f of each row, by the op of the quadratic programme.
Tensor nearest(const SampledRows& rows, const Tensor& u, const Tensor& h, const Tensor& f) {
  using Op = Tensor(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&);
  static const auto op = c10::Dispatcher::singleton().findSchemaOrThrow("softradial::qp", "").typed<Op>();
  const auto like = [&](const Tensor& data) { return data.to(u.scalar_type()); };
  return op.call(-u, like(h), like(f), at::eye(u.size(1), u.options()), like(rows.G), like(rows.E));
}

// h of the set drawn towards each sample's anchor a:  G y <= h - delta (h - G a).
Tensor shrunk(const SampledRows& rows, const Tensor& anchors, double delta) {
  return rows.h - delta * (rows.h - at::matmul(anchors.to(at::kDouble), rows.G.t()));
}

SampleLayer with_right_hand_sides(const LearningTask& task, const LayerMethod& method) {
  const auto dim = static_cast<int64_t>(task.set.dim());
  const SampledRows& rows = task.sampled.value();
  if (std::holds_alternative<Orthogonal>(method)) {
    return {
        [rows](const Tensor& u, const Samples& s, bool) { return nearest(rows, u, shrunk(rows, s.anchors, 0), s.f); },
        dim};
  }
  if (const auto* m = std::get_if<SoftOrthogonal>(&method)) {
    nn::GaugeMap rest(task.set, nn::GaugeMapOptions{Contraction::rational, 1 / m->kappa});
    const auto apply = [rows, rest, delta = m->delta](const Tensor& u, const Samples& s, bool) mutable {
      return rest(u, nn::SampleTensors{.f = s.f, .anchor = nearest(rows, u, shrunk(rows, s.anchors, delta), s.f)});
    };
    return {apply, dim};
  }
  if (std::holds_alternative<Rayen>(method)) {
    nn::HardRadial module(task.set);
    const auto apply = [module](const Tensor& u, const Samples& s, bool) mutable {
      return module(u + s.anchors, nn::SampleTensors{.f = s.f, .anchor = s.anchors});
    };
    return {apply, dim};
  }
  throw InvalidSet(std::string(method_name(method)) + " takes no right-hand sides of samples");
}

}  // namespace

SampleLayer sample_layer(const LearningTask& task, const LayerMethod& method) {
  const auto dim = static_cast<int64_t>(task.set.dim());
  if (const auto* m = std::get_if<SoftRadial>(&method)) return radial_layer(module_of(task.set, *m), dim);
  if (const auto* m = std::get_if<GaugeMap>(&method)) return radial_layer(module_of(task.set, *m), dim);
  if (const auto* m = std::get_if<HardRadial>(&method)) return radial_layer(module_of(task.set, *m), dim);
  if (task.sampled) return with_right_hand_sides(task, method);
  nn::ConstraintLayer module(task.set, method);
  const int64_t inputs = module->input_dim();
  const auto apply = [module](const Tensor& u, const Samples&, bool training) mutable {
    module->train(training);
    return module(u);
  };
  return {apply, inputs};
}

}  // namespace softradial::study
