#pragma once

#include "layer_object.hpp"
#include "samples.hpp"

namespace softradial::ops {

// Projects onto each sample's set by the layer's method, as in training or as in evaluation.
//
// Orthogonal and soft orthogonal layers have gradients to u and to all data on boxes, simplices, capped simplices, polyhedra
// and balls. Every other layer and set takes the samples one by one, each with a set and a layer of its own: slower, with
// gradients to u alone; NotAvailable where data ask for one.
[[nodiscard]] SampleResult project_layer_samples(const at::Tensor& u, const NamedTensors& data,
                                                 const LayerObjectPtr& layer, bool training);

// Of methods with an inverse, the samples one by one; without gradients.
[[nodiscard]] at::Tensor layer_inverse_samples(const at::Tensor& x, const NamedTensors& data,
                                               const LayerObjectPtr& layer);
[[nodiscard]] at::Tensor layer_log_abs_det_samples(const at::Tensor& u, const NamedTensors& data,
                                                   const LayerObjectPtr& layer);

}  // namespace softradial::ops
