#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace softradial::study {

// Weights as in torch::nn::LSTM: gates i, f, g, o in blocks of `hidden` rows.
struct LstmWeights {
  at::Tensor input;           // W_ih (4 hidden, features)
  at::Tensor recurrent;       // W_hh (4 hidden, hidden)
  at::Tensor input_bias;      // b_ih (4 hidden)
  at::Tensor recurrent_bias;  // b_hh (4 hidden)
};

// Which days a window reads: window b reads `steps` days from day b * stride on.
//   stride = 1       windows of consecutive days: they overlap, and a day's input projection is computed once
//   stride = steps   windows that do not overlap, one after the other
struct WindowLayout {
  int64_t steps = 10;
  int64_t stride = 1;
  bool operator==(const WindowLayout&) const = default;

  int64_t num_days(int64_t windows) const { return windows == 0 ? 0 : (windows - 1) * stride + steps; }
  // Throws if the days are not a whole number of windows.
  int64_t num_windows(int64_t days) const;
};

// Everything that the backward pass needs. The next pass of the same size reuses the buffers.
struct LstmTape {
  WindowLayout layout;
  int64_t slots = 0;
  int64_t windows = 0;
  int64_t hidden = 0;
  int64_t units = 0;  // hidden, padded
  at::Tensor days;    // (days, features)
  at::Tensor recurrent;
  at::Tensor packed;
  at::Tensor projection;
  at::Tensor gates;
  at::Tensor cells;
  at::Tensor squashed;
  at::Tensor states;
  at::Tensor grad_hidden;
  at::Tensor grad_cells;
  at::Tensor grad_projection;
};

// The last hidden state of every window, (windows, hidden), for days (days, features); the initial state is zero. The
// result is the tape's memory. `keep`: save what the backward pass needs.
at::Tensor lstm_forward(const at::Tensor& days, const LstmWeights& weights, WindowLayout layout, bool keep,
                        LstmTape& tape);

// From grad_hidden (windows, hidden), writes the gradients of the weights into `grad`, whose tensors must exist. Destroys
// the tape: cotangents overwrite the gates. Returns the gradient of the days if asked, else an undefined tensor.
at::Tensor lstm_backward(const at::Tensor& grad_hidden, const LstmWeights& weights, const LstmWeights& grad,
                         bool grad_days, LstmTape& tape);

// The LSTM as one node of autograd. Either x is (days, features), and the layout tells which days a window reads; or x is
// (windows, steps, features), and layout.stride is not used.
at::Tensor window_lstm(const at::Tensor& x, const LstmWeights& weights, WindowLayout layout);

}  // namespace softradial::study
