#pragma once

#include <torch/custom_class.h>

#include <string>
#include <vector>

#include "lazy.hpp"
#include "map_object.hpp"
#include "set_object.hpp"
#include "softradial/layer.hpp"

namespace softradial::ops {

// Two radial maps on a layer's set, from its anchor.
struct SampleMaps {
  MapPtr guard;  // hard radial map: moves only points that are not strictly inside
  MapPtr shell;  // the gauge map that a soft orthogonal map follows outside its shrunk set
};

// A constraint layer of softradial/layer.hpp: torch.classes.softradial.Layer. Immutable; compiled for a precision at its
// first use.
class LayerObject final : public torch::CustomClassHolder {
 public:
  LayerObject(SetPtr set, LayerMethod method, ProjectionOptions options);

  [[nodiscard]] const SetPtr& set() const noexcept { return set_; }
  [[nodiscard]] std::string name() const { return std::string(method_name(method_)); }
  [[nodiscard]] const LayerMethod& method() const noexcept { return method_; }
  [[nodiscard]] const ProjectionOptions& options() const noexcept { return options_; }
  [[nodiscard]] int64_t input_dim() const { return static_cast<int64_t>(compiled<double>().input_dim()); }
  [[nodiscard]] int64_t dim() const { return static_cast<int64_t>(compiled<double>().dim()); }

  // How many numbers per row the forward pass saves for the backward pass.
  [[nodiscard]] int64_t state_dim() const { return static_cast<int64_t>(compiled<double>().state_dim()); }
  // Whether evaluation differs from training, as it does for DC3 and HardNet only.
  [[nodiscard]] bool differs_in_training() const noexcept {
    return std::holds_alternative<Dc3>(method_) || std::holds_alternative<HardNet>(method_);
  }

  template <class T>
  [[nodiscard]] const Layer<T>& compiled() const;

  // The maps that project onto one set per sample. Made at their first use.
  [[nodiscard]] const SampleMaps& sample_maps() const;

 private:
  SetPtr set_;
  LayerMethod method_;
  ProjectionOptions options_;
  mutable Lazy<LayerPtr<float>> f32_;
  mutable Lazy<LayerPtr<double>> f64_;
  mutable Lazy<SampleMaps> sample_maps_;
};

using LayerObjectPtr = c10::intrusive_ptr<LayerObject>;

// Maps u (..., input_dim) to x (..., dim), as in training or as in evaluation.
[[nodiscard]] at::Tensor project_layer(const at::Tensor& u, const LayerObjectPtr& layer, bool training);

// For methods with an inverse; the others throw NotAvailable. No gradients.
[[nodiscard]] at::Tensor layer_inverse(const at::Tensor& x, const LayerObjectPtr& layer);
[[nodiscard]] at::Tensor layer_log_abs_det(const at::Tensor& u, const LayerObjectPtr& layer);

}  // namespace softradial::ops
