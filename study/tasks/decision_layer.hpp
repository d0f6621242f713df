#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace softradial::study {

// Maps u (batch, input_dim) to x (batch, output_dim), differentiable by autograd. Some layers do more in evaluation than in
// training.
using LayerFunction = std::function<at::Tensor(const at::Tensor& u, bool training)>;

// The functions of a layer whose anchor may differ from row to row.
struct MovingAnchor {
  // Like the layer's `apply`, with an anchor for each row (batch, output_dim), a point well inside the set.
  std::function<at::Tensor(const at::Tensor& u, const at::Tensor& anchors, bool training)> apply;
  // Takes points on the set's hull, inside or not, and returns points well inside near them, (batch, output_dim).
  std::function<at::Tensor(const at::Tensor& points)> inside;
};

// The layer between model and decision, as a task sees it: a function. The layers themselves are in the library
// (nn::ConstraintLayer and the radial maps).
struct DecisionLayer {
  LayerFunction apply;
  int64_t input_dim = 0;
  int64_t output_dim = 0;
  // Optional: a scalar that is added to the training loss, differentiable in the output of the layer.
  std::function<at::Tensor(const at::Tensor& x)> penalty = {};
  std::optional<MovingAnchor> moving_anchor = {};  // empty: the method has no anchor, or a fixed one
};

// The largest violation of the constraints by the rows of x, as the layer returned them; 0 if all hold.
using ViolationFunction = std::function<double(const at::Tensor& x)>;

// Runs u -> x, the only part of a training step that autograd records. Model and loss have derivatives of their own.
class LayerPass {
 public:
  // The penalty counts for the first `rows` rows, which make up this share of their batch.
  struct Penalised {
    int64_t rows = 0;
    double part = 1;
  };
  // `anchors`: those of the rows, for a layer with a moving anchor; undefined: the layer's own. Without `penalised` the rows
  // are a whole batch.
  LayerPass(const DecisionLayer& layer, const at::Tensor& u, const at::Tensor& anchors = {},
            std::optional<Penalised> penalised = {});

  const at::Tensor& x() const { return x_; }  // (batch, output_dim)
  double penalty() const { return penalty_value_; }

  // J' grad_x plus the gradient of the penalty, contiguous; zero for a layer that does not use u.
  at::Tensor backward(const at::Tensor& grad_x) const;

 private:
  at::Tensor u_;
  at::Tensor x_;
  at::Tensor penalty_;
  double penalty_value_ = 0;
};

// Applies the layer as in evaluation, without a graph.
at::Tensor apply_in_evaluation(const DecisionLayer& layer, const at::Tensor& u, const at::Tensor& anchors = {});

// Throws unless the layer exists and returns `outputs` numbers.
void check_layer(const DecisionLayer& layer, int64_t outputs);

}  // namespace softradial::study
