#include "samples.hpp"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <string>
#include <tuple>
#include <vector>

#include "autocast.hpp"
#include "autograd/first_order.hpp"
#include "described/description.hpp"
#include "described/kernel.hpp"
#include "op_handle.hpp"
#include "project.hpp"
#include "softradial/errors.hpp"

// The op for one set per sample, on the description of a map. `names` tells which data `data` holds.
namespace softradial::ops::described {
namespace {

using TwoTensors = std::tuple<at::Tensor, at::Tensor>;
using Names = c10::List<std::string>;

SampleData named_data(c10::ArrayRef<at::Tensor> data, const Names& names, const MapPtr& map) {
  NamedTensors named;
  if (data.size() != names.size()) throw ShapeError("names: expected one for each of the data");
  for (std::size_t k = 0; k < data.size(); ++k) named.insert(names.get(k), data[k]);
  return scripted_sample_data(named, *map);
}

// --- On the CPU. ------------------------------------------------------------------------------------------------------

TwoTensors samples_cpu(const at::Tensor& u, at::TensorList data, const Names& names, bool anchor_gradient,
                       const at::Tensor& description, bool check) {
  const MapPtr map = map_of(description);
  if (check) static_cast<void>(check_finite(u));
  SampleResult result = project_samples(u, named_data(data, names, map), anchor_gradient, map);
  map->last().note(result.status);
  return {result_of(result.x), result_of(result.status)};
}

// The cotangents of u and of the data at the positions `wanted`. Runs the forward pass again, because what it saves for its
// backward pass depends on the set.
std::vector<at::Tensor> samples_backward_cpu(const at::Tensor& grad_x, const at::Tensor& u, at::TensorList data,
                                             const Names& names, at::IntArrayRef wanted, bool anchor_gradient,
                                             const at::Tensor& description) {
  const MapPtr map = map_of(description);
  std::vector<at::Tensor> inputs{u};
  for (const int64_t place : wanted) inputs.push_back(data.at(static_cast<std::size_t>(place)));
  return vjp(grad_x, inputs, [&](const std::vector<at::Tensor>& at) {
    std::vector<at::Tensor> all = data.vec();
    for (std::size_t k = 0; k < wanted.size(); ++k) all[static_cast<std::size_t>(wanted[k])] = at[k + 1];
    return project_samples(at[0], named_data(all, names, map), anchor_gradient, map).x;
  });
}

// --- Shapes. ----------------------------------------------------------------------------------------------------------

TwoTensors samples_meta(const at::Tensor& u, at::TensorList, const Names&, bool, const at::Tensor&, bool) {
  return {blank_like(u), blank(sym_batch(u), u.options().dtype(at::kChar))};
}

std::vector<at::Tensor> samples_backward_meta(const at::Tensor&, const at::Tensor& u, at::TensorList data, const Names&,
                                              at::IntArrayRef wanted, bool, const at::Tensor&) {
  std::vector<at::Tensor> out{blank_like(u)};
  for (const int64_t place : wanted) out.push_back(blank_like(data.at(static_cast<std::size_t>(place))));
  return out;
}

// --- Derivatives. -----------------------------------------------------------------------------------------------------

TwoTensors described_samples(const at::Tensor& u, at::TensorList data, const Names& names, bool anchor_gradient,
                             const at::Tensor& description, bool check) {
  static const auto op = find_op<decltype(samples_cpu)>("softradial::described_samples");
  return op.call(u, data, names, anchor_gradient, description, check);
}
std::vector<at::Tensor> described_samples_backward(const at::Tensor& grad_x, const at::Tensor& u, at::TensorList data,
                                                   const Names& names, at::IntArrayRef wanted, bool anchor_gradient,
                                                   const at::Tensor& description) {
  static const auto op = find_op<decltype(samples_backward_cpu)>("softradial::described_samples_backward");
  return op.call(grad_x, u, data, names, wanted, anchor_gradient, description);
}

// The derivative's inputs are u, the data and the description.
TwoTensors samples_autograd(const at::Tensor& u, at::TensorList data, const Names& names, bool anchor_gradient,
                            const at::Tensor& description, bool check) {
  const auto evaluate = [&]() -> Tensors {
    auto [x, status] = described_samples(u, data, names, anchor_gradient, description, check);
    return {x, status};
  };
  std::vector<int64_t> wanted;
  for (std::size_t k = 0; k < data.size(); ++k) {
    if (data[k].requires_grad()) wanted.push_back(static_cast<int64_t>(k));
  }
  const auto vjp = [=](const at::Tensor& grad_x, const Tensors& inputs, const Tensors&) {
    const auto given = at::TensorList(inputs).slice(1, inputs.size() - 2);
    const Tensors found =
        described_samples_backward(grad_x, inputs[0], given, names, wanted, anchor_gradient, inputs.back());
    Tensors out(inputs.size());
    out[0] = found[0];
    for (std::size_t k = 0; k < wanted.size(); ++k) out[static_cast<std::size_t>(wanted[k]) + 1] = found[k + 1];
    return out;
  };
  Tensors inputs{u};
  inputs.insert(inputs.end(), data.begin(), data.end());
  inputs.push_back(description);
  const Tensors out = record_first_order({kCompiled, vjp, 1}, inputs, evaluate);
  return {out[0], out[1]};
}

std::vector<at::Tensor> samples_backward_autograd(const at::Tensor& grad_x, const at::Tensor& u, at::TensorList data,
                                                  const Names& names, at::IntArrayRef wanted, bool anchor_gradient,
                                                  const at::Tensor& description) {
  Tensors inputs{grad_x, u};
  inputs.insert(inputs.end(), data.begin(), data.end());
  return derivative_only(kCompiled, inputs, [&] {
    return described_samples_backward(grad_x, u, data, names, wanted, anchor_gradient, description);
  });
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CPU, m) {
  m.impl("described_samples", samples_cpu);
  m.impl("described_samples_backward", samples_backward_cpu);
}
TORCH_LIBRARY_IMPL(softradial, Meta, m) {
  m.impl("described_samples", samples_meta);
  m.impl("described_samples_backward", samples_backward_meta);
}
TORCH_LIBRARY_IMPL(softradial, Autograd, m) {
  m.impl("described_samples", samples_autograd);
  m.impl("described_samples_backward", samples_backward_autograd);
}
TORCH_LIBRARY_IMPL(softradial, AutocastCPU, m) { m.impl("described_samples", Exact<described_samples>::call); }

}  // namespace softradial::ops::described
