#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/common.h>
#include <torch/nn/modules/container/any.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "softradial/anchor.hpp"
#include "softradial/layer.hpp"
#include "softradial/method.hpp"
#include "softradial/set.hpp"

// The layer as LibTorch modules. Link softradial::torch.
//
//   softradial::nn::SoftRadial layer(softradial::CappedSimplex(50, 0.05), softradial::nn::SoftRadialOptions{.lambda = 2});
//   torch::Tensor x = layer(net->forward(z));
namespace softradial::nn {

struct AnchorOptions {
  AnchorSearch search = AnchorSearch::automatic;
  std::optional<Eigen::VectorXd> point = {};  // the user's own anchor; takes precedence over the search
  bool gradient = false;                      // derivatives pass through the anchors of per-sample polyhedra
};

struct SoftRadialOptions {
  Contraction contraction = Contraction::rational;
  std::optional<double> lambda = {};  // if empty: in units of the set, by auto_lambda of softradial/reach.hpp
  double epsilon = 0.01;
  AnchorOptions anchor = {};
  bool check_finite = false;  // a NaN or an infinity in u is an error that names its row
};

struct HardRadialOptions {
  AnchorOptions anchor = {};
  bool check_finite = false;
};

struct GaugeMapOptions {
  Contraction contraction = Contraction::rational;
  double lambda = 1.0;
  AnchorOptions anchor = {};
  bool check_finite = false;
};

// Data that replace the set's own data in one call: for the whole batch, (width), or sample by sample, (..., width); sum,
// radius and scale are () or (...). Gradients flow to all of them. Where a tensor is undefined, the set's own data count.
struct SampleTensors {
  torch::Tensor A = {};       // polyhedron: (..., m, dim)
  torch::Tensor b = {};       // polyhedron
  torch::Tensor E = {};       // polyhedron: its equalities, (..., k, dim)
  torch::Tensor f = {};       // polyhedron: their right-hand side
  torch::Tensor lower = {};   // box
  torch::Tensor upper = {};   // box
  torch::Tensor cap = {};     // simplex, capped simplex
  torch::Tensor sum = {};     // simplex, capped simplex
  torch::Tensor center = {};  // ball, ellipsoid
  torch::Tensor radius = {};  // ball
  torch::Tensor scale = {};   // any set: x = scale y, y in the set
  torch::Tensor anchor = {};  // any set: a point inside each sample's set
  // Further data by name: q, c of a quadratic; s, c, e of a second-order cone; data of an intersection's part, "1.b" for
  // part 1, or "b" if no other part has one.
  std::vector<std::pair<std::string, torch::Tensor>> others = {};
};

// Base class of the three radial layers. It has no parameters; the set is saved with the model (torch::save), and copies
// share it.
class RadialImpl : public torch::nn::Module {
 public:
  // x strictly inside the set, (..., dim) like u; dtype and device are kept. ShapeError where u does not fit.
  torch::Tensor forward(const torch::Tensor& u, const SampleTensors& data = {});

  // inverse: the u on the set's hull with forward(u) = x; NaN in rows outside. log_abs_det: log |det J(u)| on the hull, (...).
  [[nodiscard]] torch::Tensor inverse(const torch::Tensor& x, const SampleTensors& data = {}) const;
  [[nodiscard]] torch::Tensor log_abs_det(const torch::Tensor& u, const SampleTensors& data = {}) const;

  // One int8 (RowStatus) for each row of the last call.
  [[nodiscard]] torch::Tensor status() const;
  // The interior point that the layer keeps fixed, (dim), double.
  [[nodiscard]] torch::Tensor anchor() const;
  [[nodiscard]] const Set& set() const;

  // Makes a model start at the decision x: the bias of its last layer becomes inverse(x), its weight is multiplied by
  // gain. Throws AnchorNotInterior if x is not inside the set.
  void start_at(const torch::Tensor& x, torch::nn::Linear& last, double gain = 0.0) const;

  void pretty_print(std::ostream& stream) const override;
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 protected:
  RadialImpl(std::string name, Set set, const Method& method, const AnchorOptions& anchor, bool check_finite);
  // Replaces soft radial's lambda by auto_lambda, which is in units of the set.
  void use_auto_lambda();
  FORWARD_HAS_DEFAULT_ARGS({1, torch::nn::AnyValue(SampleTensors())})

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

class SoftRadialImpl final : public RadialImpl {
 public:
  explicit SoftRadialImpl(Set set, const SoftRadialOptions& options = {});
  [[nodiscard]] std::shared_ptr<torch::nn::Module> clone(
      const torch::optional<torch::Device>& device = torch::nullopt) const override;
};
TORCH_MODULE(SoftRadial);

class HardRadialImpl final : public RadialImpl {
 public:
  explicit HardRadialImpl(Set set, const HardRadialOptions& options = {});
  [[nodiscard]] std::shared_ptr<torch::nn::Module> clone(
      const torch::optional<torch::Device>& device = torch::nullopt) const override;
};
TORCH_MODULE(HardRadial);

class GaugeMapImpl final : public RadialImpl {
 public:
  explicit GaugeMapImpl(Set set, const GaugeMapOptions& options = {});
  [[nodiscard]] std::shared_ptr<torch::nn::Module> clone(
      const torch::optional<torch::Device>& device = torch::nullopt) const override;
};
TORCH_MODULE(GaugeMap);

// Any method of softradial/layer.hpp as a module. In eval mode, DC3 and HardNet end with an exact projection, which
// passes no gradient. First derivatives only.
class ConstraintLayerImpl final : public torch::nn::Module {
 public:
  ConstraintLayerImpl(Set set, const LayerMethod& method, const AnchorOptions& anchor = {});

  // x (..., dim) for u (..., input_dim()). Orthogonal and soft orthogonal layers on coordinate sets, polyhedra and balls have
  // gradients to all data. Other layers take samples with data one by one and pass no gradients to the data.
  torch::Tensor forward(const torch::Tensor& u, const SampleTensors& data = {});

  // As in the radial layers, but without gradients. Only for methods with has_inverse(); others throw NotAvailable.
  [[nodiscard]] torch::Tensor inverse(const torch::Tensor& x, const SampleTensors& data = {}) const;
  [[nodiscard]] torch::Tensor log_abs_det(const torch::Tensor& u, const SampleTensors& data = {}) const;

  [[nodiscard]] int64_t input_dim() const;
  [[nodiscard]] const Set& set() const;
  [[nodiscard]] const LayerMethod& method() const;

  void pretty_print(std::ostream& stream) const override;
  // Saves the set with the model, as every layer does.
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;
  [[nodiscard]] std::shared_ptr<torch::nn::Module> clone(
      const torch::optional<torch::Device>& device = torch::nullopt) const override;

 protected:
  // Lets the layer be one of the modules of a torch::nn::Sequential.
  FORWARD_HAS_DEFAULT_ARGS({1, torch::nn::AnyValue(SampleTensors())})

 private:
  struct State;
  std::shared_ptr<const State> state_;
};
TORCH_MODULE(ConstraintLayer);

// For each row of x (..., dim), the penalty of softradial/violation.hpp, (...): the term that SoftPenalty adds to a loss. First
// derivatives only.
[[nodiscard]] torch::Tensor penalty(const torch::Tensor& x, const Set& set);

}  // namespace softradial::nn
