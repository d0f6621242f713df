#include "profile.hpp"

#include <torch/library.h>

#include <string>
#include <tuple>
#include <variant>

#include "at_tensor.hpp"
#include "method_names.hpp"

// The core's profiles as ops, for maps whose gauge is computed elsewhere, such as level sets of Python functions.
namespace softradial::composite {
namespace {

using ops::make_method;
using ops::unwrap;
using ops::wrap;

at::Tensor profile_step(const at::Tensor& rho, const at::Tensor& gamma, const at::Tensor& scale,
                        const std::string& method, const std::string& contraction, double lambda, double epsilon) {
  const ScaledRay<Tensor> ray{wrap(rho), wrap(gamma), wrap(scale)};
  return unwrap(
      std::visit([&](const auto& m) { return step(m, ray); }, make_method(method, contraction, lambda, epsilon)));
}

std::tuple<at::Tensor, at::Tensor> profile_log_scale(const at::Tensor& rho, const at::Tensor& gamma,
                                                     const at::Tensor& scale, const std::string& method,
                                                     const std::string& contraction, double lambda, double epsilon) {
  const ScaledRay<Tensor> ray{wrap(rho), wrap(gamma), wrap(scale)};
  const LogScale<Tensor> logs =
      std::visit([&](const auto& m) { return log_scale(m, ray); }, make_method(method, contraction, lambda, epsilon));
  return {unwrap(logs.log_phi), unwrap(logs.log_radial)};
}

at::Tensor profile_inverse_scale(const at::Tensor& s, const at::Tensor& eta, const std::string& method,
                                 const std::string& contraction, double lambda, double epsilon) {
  return unwrap(std::visit([&](const auto& m) { return inverse_scale(m, wrap(s), wrap(eta)); },
                           make_method(method, contraction, lambda, epsilon)));
}

void register_profiles(torch::Library& m) {
  m.impl("profile_step", profile_step);
  m.impl("profile_log_scale", profile_log_scale);
  m.impl("profile_inverse_scale", profile_inverse_scale);
}

}  // namespace

// Works on every device, with every kind of derivative. A trace records the ATen ops, so that it runs, and exports, without
// this library.
TORCH_LIBRARY_IMPL(softradial, CompositeImplicitAutograd, m) { register_profiles(m); }
TORCH_LIBRARY_IMPL(softradial, Tracer, m) { register_profiles(m); }
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) { register_profiles(m); }

}  // namespace softradial::composite
