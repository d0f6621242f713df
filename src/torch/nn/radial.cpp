#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

#include <ostream>
#include <string>
#include <vector>

#include "eigen_tensors.hpp"
#include "map_object.hpp"
#include "method_names.hpp"
#include "nn/named_tensors.hpp"
#include "project.hpp"
#include "samples.hpp"
#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"

namespace softradial::nn {
namespace {

using ops::maybe;

ops::MapPtr make_map(Set set, const Method& method, const AnchorOptions& anchor) {
  ProjectionOptions options;
  options.anchor = anchor.search;
  options.anchor_point = anchor.point;
  return c10::make_intrusive<ops::MapObject>(c10::make_intrusive<ops::SetObject>(std::move(set)), method, options);
}

}  // namespace

struct RadialImpl::State {
  ops::MapPtr map;
  bool anchor_gradient;
  bool check_finite;
};

RadialImpl::RadialImpl(std::string name, Set set, const Method& method, const AnchorOptions& anchor, bool check_finite)
    : Module(std::move(name)),
      state_(std::make_shared<const State>(
          State{make_map(std::move(set), method, anchor), anchor.gradient, check_finite})) {}

void RadialImpl::use_auto_lambda() {
  state_ = std::make_shared<const State>(
      State{state_->map->with_auto_lambda(), state_->anchor_gradient, state_->check_finite});
}

torch::Tensor RadialImpl::forward(const torch::Tensor& u, const SampleTensors& data) {
  const torch::Tensor input = state_->check_finite ? ops::check_finite(u) : u;
  ops::LastStatus& last = state_->map->last();
  const ops::NamedTensors named = named_tensors(data);
  if (named.empty()) return last.watch([&] { return ops::project(input, state_->map); });
  const ops::SampleData samples = ops::sample_data(named, *state_->map);
  ops::SampleResult result = ops::project_samples(input, samples, state_->anchor_gradient, state_->map);
  last.note(result.status);
  return result.x;
}

torch::Tensor RadialImpl::inverse(const torch::Tensor& x, const SampleTensors& data) const {
  const ops::NamedTensors named = named_tensors(data);
  if (named.empty()) return ops::inverse(x, state_->map);
  return ops::inverse_samples(x, ops::sample_data(named, *state_->map), state_->map);
}

torch::Tensor RadialImpl::log_abs_det(const torch::Tensor& u, const SampleTensors& data) const {
  const ops::NamedTensors named = named_tensors(data);
  if (named.empty()) return ops::log_abs_det(u, state_->map);
  return ops::log_abs_det_samples(u, ops::sample_data(named, *state_->map), state_->map);
}

torch::Tensor RadialImpl::status() const { return state_->map->last().read(); }

torch::Tensor RadialImpl::anchor() const { return ops::to_tensor(state_->map->anchor().point); }

const Set& RadialImpl::set() const { return state_->map->set()->set(); }

void RadialImpl::start_at(const torch::Tensor& x, torch::nn::Linear& last, double gain) const {
  const torch::NoGradGuard no_grad;
  const torch::Tensor bias = inverse(x);
  if (bias.isnan().any().item<bool>()) throw AnchorNotInterior("start_at: x is not inside the set");
  last->bias.copy_(bias);
  last->weight.mul_(gain);
}

void RadialImpl::pretty_print(std::ostream& stream) const {
  const ops::MethodNames names = ops::method_names(state_->map->method());
  stream << name() << "(" << to_string(set()) << ", " << names.contraction << ", lambda=" << names.lambda << ")";
}

void RadialImpl::save(torch::serialize::OutputArchive& archive) const {
  const ops::MethodNames names = ops::method_names(state_->map->method());
  archive.write("set", c10::IValue(to_json(set())));
  archive.write("method", c10::IValue(names.method));
  archive.write("contraction", c10::IValue(names.contraction));
  archive.write("lambda", c10::IValue(names.lambda));
  archive.write("epsilon", c10::IValue(names.epsilon));
  archive.write("anchor", anchor(), true);
}

void RadialImpl::load(torch::serialize::InputArchive& archive) {
  const auto value = [&](const char* key) {
    c10::IValue out;
    archive.read(key, out);
    return out;
  };
  torch::Tensor anchor;
  archive.read("anchor", anchor, true);
  const Method method = ops::make_method(value("method").toStringRef(), value("contraction").toStringRef(),
                                         value("lambda").toDouble(), value("epsilon").toDouble());
  state_ = std::make_shared<const State>(
      State{make_map(parse_set(value("set").toStringRef()), method, {.point = ops::to_vector(anchor, "anchor")}),
            state_->anchor_gradient, state_->check_finite});
}

SoftRadialImpl::SoftRadialImpl(Set set, const SoftRadialOptions& options)
    : RadialImpl("softradial::nn::SoftRadial", std::move(set),
                 softradial::SoftRadial{options.contraction, options.lambda.value_or(1.0), options.epsilon},
                 options.anchor, options.check_finite) {
  if (!options.lambda) use_auto_lambda();
}

HardRadialImpl::HardRadialImpl(Set set, const HardRadialOptions& options)
    : RadialImpl("softradial::nn::HardRadial", std::move(set), softradial::HardRadial{}, options.anchor,
                 options.check_finite) {}

GaugeMapImpl::GaugeMapImpl(Set set, const GaugeMapOptions& options)
    : RadialImpl("softradial::nn::GaugeMap", std::move(set), softradial::GaugeMap{options.contraction, options.lambda},
                 options.anchor, options.check_finite) {}

std::shared_ptr<torch::nn::Module> SoftRadialImpl::clone(const torch::optional<torch::Device>&) const {
  return std::make_shared<SoftRadialImpl>(*this);
}
std::shared_ptr<torch::nn::Module> HardRadialImpl::clone(const torch::optional<torch::Device>&) const {
  return std::make_shared<HardRadialImpl>(*this);
}
std::shared_ptr<torch::nn::Module> GaugeMapImpl::clone(const torch::optional<torch::Device>&) const {
  return std::make_shared<GaugeMapImpl>(*this);
}

}  // namespace softradial::nn
