#include <ATen/ATen.h>
#include <torch/serialize/input-archive.h>
#include <torch/serialize/output-archive.h>

#include "layer_object.hpp"
#include "layer_samples.hpp"
#include "nn/named_tensors.hpp"
#include "penalty.hpp"
#include "softradial/nn.hpp"

namespace softradial::nn {

struct ConstraintLayerImpl::State {
  ops::LayerObjectPtr layer;
};

ConstraintLayerImpl::ConstraintLayerImpl(Set set, const LayerMethod& method, const AnchorOptions& anchor)
    : torch::nn::Module("softradial::nn::ConstraintLayer"),
      state_(std::make_shared<const State>(State{c10::make_intrusive<ops::LayerObject>(
          c10::make_intrusive<ops::SetObject>(std::move(set)), method,
          ProjectionOptions{.anchor = anchor.search, .anchor_point = anchor.point})})) {}

torch::Tensor ConstraintLayerImpl::forward(const torch::Tensor& u, const SampleTensors& data) {
  const ops::NamedTensors named = named_tensors(data);
  if (!named.empty()) return ops::project_layer_samples(u, named, state_->layer, is_training()).x;
  return ops::project_layer(u, state_->layer, is_training());
}

torch::Tensor ConstraintLayerImpl::inverse(const torch::Tensor& x, const SampleTensors& data) const {
  const ops::NamedTensors named = named_tensors(data);
  if (!named.empty()) return ops::layer_inverse_samples(x, named, state_->layer);
  return ops::layer_inverse(x, state_->layer);
}

torch::Tensor ConstraintLayerImpl::log_abs_det(const torch::Tensor& u, const SampleTensors& data) const {
  const ops::NamedTensors named = named_tensors(data);
  if (!named.empty()) return ops::layer_log_abs_det_samples(u, named, state_->layer);
  return ops::layer_log_abs_det(u, state_->layer);
}

int64_t ConstraintLayerImpl::input_dim() const { return state_->layer->input_dim(); }

const Set& ConstraintLayerImpl::set() const { return state_->layer->set()->set(); }

const LayerMethod& ConstraintLayerImpl::method() const { return state_->layer->method(); }

void ConstraintLayerImpl::pretty_print(std::ostream& stream) const {
  stream << name() << "(" << to_string(set()) << ", " << method_name(method()) << ")";
}

void ConstraintLayerImpl::save(torch::serialize::OutputArchive& archive) const {
  archive.write("layer", c10::IValue(state_->layer));
}

// An archive that was saved without a layer leaves this one unchanged.
void ConstraintLayerImpl::load(torch::serialize::InputArchive& archive) {
  c10::IValue layer;
  if (!archive.try_read("layer", layer)) return;
  state_ = std::make_shared<const State>(State{layer.toCustomClass<ops::LayerObject>()});
}

std::shared_ptr<torch::nn::Module> ConstraintLayerImpl::clone(const torch::optional<torch::Device>&) const {
  return std::make_shared<ConstraintLayerImpl>(*this);
}

torch::Tensor penalty(const torch::Tensor& x, const Set& set) {
  return ops::penalty(x, c10::make_intrusive<ops::SetObject>(set));
}

}  // namespace softradial::nn
