#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include "models/day_model.hpp"
#include "models/dropout.hpp"
#include "models/parameters.hpp"
#include "models/window_lstm.hpp"

namespace softradial::study {

struct WindowModelOptions {
  int64_t features = 1;
  int64_t lookback = 10;
  int64_t hidden = 32;
  int64_t outputs = 1;
  double dropout = 0.1;
  at::ScalarType dtype = at::kFloat;
  bool operator==(const WindowModelOptions&) const = default;
};

// Windows of the last `lookback` days -> LSTM (last hidden state) -> dropout -> linear -> u.
class WindowModel final : public DayModel {
 public:
  explicit WindowModel(const WindowModelOptions& options);
  // A copy would share the memory of the parameters.
  WindowModel(const WindowModel&) = delete;
  WindowModel& operator=(const WindowModel&) = delete;
  WindowModel(WindowModel&&) = default;
  WindowModel& operator=(WindowModel&&) = default;

  const WindowModelOptions& options() const { return options_; }
  const Parameters& parameters() const override { return parameters_; }

  // Initialises uniformly in +-1/sqrt(hidden), as torch does for LSTMs and linear layers.
  void initialize(at::Generator generator) override;

  at::Tensor forward(const at::Tensor& days) override;
  at::Tensor forward_training(const at::Tensor& days, at::Generator& generator,
                              std::span<const int64_t> places) override;
  void backward(const at::Tensor& grad_u) override;

 private:
  LstmWeights weights_of(bool gradients) const;

  WindowModelOptions options_;
  Parameters parameters_;
  Dropout dropout_;
  LstmWeights weights_;
  LstmWeights gradients_;
  at::Tensor out_weight_, out_bias_, grad_out_weight_, grad_out_bias_;
  LstmTape tape_, inference_tape_;
  at::Tensor factors_, hidden_, u_, grad_hidden_;
};

}  // namespace softradial::study
