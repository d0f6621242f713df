#include "models/shared_model.hpp"

#include <ATen/core/grad_mode.h>

namespace softradial::study {

SharedModel::SharedModel(const SharedModelOptions& options)
    : options_(options),
      network_({.inputs = options.features * options.lookback,
                .hidden = options.hidden,
                .layers = 1,
                .outputs = 1,
                .dropout = options.dropout,
                .dtype = options.dtype}) {}

at::Tensor SharedModel::inputs_of(const at::Tensor& days) const {
  const at::Tensor windows =
      days.view({days.size(0), options_.features, options_.assets}).unfold(0, options_.lookback, 1);
  // (windows, features, assets, lookback): the numbers of an asset become one row.
  return windows.permute({0, 2, 1, 3}).reshape({-1, options_.features * options_.lookback});
}

at::Tensor SharedModel::forward(const at::Tensor& days) {
  const at::NoGradGuard no_grad;
  return network_.forward(inputs_of(days)).view({-1, options_.assets});
}

at::Tensor SharedModel::forward_training(const at::Tensor& days, at::Generator& generator,
                                         std::span<const int64_t> places) {
  const at::NoGradGuard no_grad;
  // Each asset of a window is a row of the network.
  rows_.clear();
  for (const int64_t place : places) {
    for (int64_t asset = 0; asset < options_.assets; ++asset) rows_.push_back(place * options_.assets + asset);
  }
  return network_.forward_training(inputs_of(days), generator, rows_).view({-1, options_.assets});
}

void SharedModel::backward(const at::Tensor& grad_u) {
  const at::NoGradGuard no_grad;
  network_.backward(grad_u.reshape({-1, 1}));
}

}  // namespace softradial::study
