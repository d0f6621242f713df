#pragma once

#include "samples.hpp"
#include "softradial/nn.hpp"

namespace softradial::nn {

// The tensors that are given, by name.
[[nodiscard]] inline ops::NamedTensors named_tensors(const SampleTensors& data) {
  ops::NamedTensors named;
  const std::pair<const char*, const torch::Tensor*> members[] = {
      {"A", &data.A},           {"b", &data.b},           {"E", &data.E},         {"f", &data.f},
      {"lower", &data.lower},   {"upper", &data.upper},   {"cap", &data.cap},     {"sum", &data.sum},
      {"center", &data.center}, {"radius", &data.radius}, {"scale", &data.scale}, {"anchor", &data.anchor}};
  for (const auto& [name, tensor] : members) {
    if (tensor->defined()) named.insert(name, *tensor);
  }
  for (const auto& [name, tensor] : data.others) named.insert(name, tensor);
  return named;
}

}  // namespace softradial::nn
