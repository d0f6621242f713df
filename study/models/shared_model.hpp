#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <vector>

#include "models/day_model.hpp"
#include "models/mlp.hpp"

namespace softradial::study {

struct SharedModelOptions {
  int64_t assets = 1;
  int64_t features = 3;  // features per asset
  int64_t lookback = 10;
  int64_t hidden = 32;
  double dropout = 0.1;
  at::ScalarType dtype = at::kFloat;
  bool operator==(const SharedModelOptions&) const = default;
};

// One small network for all assets: u_i = Mlp(the features of asset i over the last `lookback` days), one hidden layer. It has
// few parameters, sees one example per asset and day, and treats all assets alike: permuting them permutes u. Days are (days,
// features assets): the first feature of all assets, then the second, ...
class SharedModel final : public DayModel {
 public:
  explicit SharedModel(const SharedModelOptions& options);

  const Parameters& parameters() const override { return network_.parameters(); }
  void initialize(at::Generator generator) override { network_.initialize(generator); }

  at::Tensor forward(const at::Tensor& days) override;
  at::Tensor forward_training(const at::Tensor& days, at::Generator& generator,
                              std::span<const int64_t> places) override;
  void backward(const at::Tensor& grad_u) override;

 private:
  // (windows assets, features lookback)
  at::Tensor inputs_of(const at::Tensor& days) const;

  SharedModelOptions options_;
  Mlp network_;
  std::vector<int64_t> rows_;  // positions of the network's rows in its batch
};

}  // namespace softradial::study
