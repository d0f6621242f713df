#pragma once

#include "layer_object.hpp"
#include "samples.hpp"

namespace softradial::ops {

// Projects onto each sample's set by the layer's method, as in training or as in evaluation.
//
// Orthogonal and soft orthogonal layers have gradients to u and to all data on boxes, simplices, capped simplices, polyhedra
// and balls. All other layers and sets handle the samples one by one, each with its own set and layer: slower, and with
// gradients to u only. NotAvailable is thrown where data require a gradient.
[[nodiscard]] SampleResult project_layer_samples(const at::Tensor& u, const NamedTensors& data,
                                                 const LayerObjectPtr& layer, bool training);

// For methods with an inverse: handles the samples one by one, without gradients.
[[nodiscard]] at::Tensor layer_inverse_samples(const at::Tensor& x, const NamedTensors& data,
                                               const LayerObjectPtr& layer);
[[nodiscard]] at::Tensor layer_log_abs_det_samples(const at::Tensor& u, const NamedTensors& data,
                                                   const LayerObjectPtr& layer);

}  // namespace softradial::ops
