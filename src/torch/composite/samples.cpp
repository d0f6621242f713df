#include "composite/samples.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>

#include "composite/safe_math.hpp"
#include "softradial/row_status.hpp"

namespace softradial::composite {

ops::SampleResult project_samples(const at::Tensor& u, const RadialSet& set, const at::Tensor& interior,
                                  const Method& method, at::ScalarType type) {
  const at::Tensor inside = interior.expand_as(u.narrow(-1, 0, 1));
  const at::Tensor finite = (u - u == 0).all(-1, true);
  // A row without a set stays at its anchor, 0: an infinite derivative times the factor 0 would not vanish.
  const at::Tensor known_u = where_else(inside, u, 0);
  const at::Tensor x =
      where_else(inside, radial_project(known_u, set, method), std::numeric_limits<double>::quiet_NaN());
  static_assert(static_cast<int>(RowStatus::ok) == 0 && static_cast<int>(RowStatus::not_finite) == 1);
  const at::Tensor status =
      where_else(inside, finite.bitwise_not().to(at::kChar), static_cast<double>(RowStatus::no_interior)).squeeze(-1);
  return {x.to(type), status, status};
}

std::vector<at::Tensor> cotangents(const std::vector<at::Tensor>& inputs, const at::Tensor& grad_x,
                                   const std::function<at::Tensor(const std::vector<at::Tensor>&)>& project) {
  const bool create_graph = at::GradMode::is_enabled();
  const at::AutoGradMode enable(true);
  // One input may depend on another, as a slack on the anchor. Partial derivatives are taken at independent aliases.
  std::vector<at::Tensor> aliases;
  std::vector<at::Tensor> wanted;
  for (const at::Tensor& input : inputs) {
    const bool requires_grad = input.defined() && input.requires_grad();
    aliases.push_back(requires_grad ? input.view_as(input) : input);
    if (requires_grad) wanted.push_back(aliases.back());
  }
  const auto found = torch::autograd::grad({project(aliases)}, wanted, {grad_x}, create_graph, create_graph, true);
  std::vector<at::Tensor> out;
  out.reserve(inputs.size());
  auto next = found.begin();
  for (const at::Tensor& input : inputs) {
    out.push_back(input.defined() && input.requires_grad() ? *next++ : at::Tensor());
  }
  return out;
}

}  // namespace softradial::composite
