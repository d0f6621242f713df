#pragma once

#include <cstdint>

// The vectorised loops of training: the recurrence of an LSTM and its backward pass, the step of Adam, and SoftMin. They work
// on plain memory, in float and double, without LibTorch.
namespace softradial::study::kernels {

// Hidden units are padded with zero weights to whole cache lines: a padded unit's state stays exactly zero.
template <class T>
inline constexpr int64_t kUnitBlock = 64 / static_cast<int64_t>(sizeof(T));

// Gates stand in the order i, f, g, o. Shapes, with Hp = padded hidden units:
//   projection   (days, 4, Hp)            x W_ih' + b_ih + b_hh; window b reads row b * window_stride + t at step t
//   gates        (slots, windows, 4, Hp)  after their activations
//   cells        (slots, windows, Hp)     c_t
//   squashed     (slots, windows, Hp)     tanh c_t
//   hidden       (slots, windows, Hp)     h_t
// slots = steps keeps everything that the backward pass needs; slots = 2 keeps only the last two steps. The state before the first
// step is zero.
template <class T>
struct LstmState {
  int64_t steps;
  int64_t slots;
  int64_t windows;
  int64_t units;
  int64_t window_stride;
  const T* projection;
  T* gates;
  T* cells;
  T* squashed;
  T* hidden;
};

// Gradients of the LSTM, with the shapes
//   grad_gates   (steps, windows, 4, Hp)  cotangents before the activations; may be the memory of the gates themselves
//   grad_hidden  (windows, Hp)            on entry that of the last h; destroyed
//   grad_cells   (windows, Hp)            zero on entry; destroyed
template <class T>
struct LstmGradient {
  const T* recurrent;
  T* grad_gates;
  T* grad_hidden;
  T* grad_cells;
};

// m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,  p -= step m / (sqrt(v) / root + epsilon)
template <class T>
struct AdamStep {
  T beta1;
  T beta2;
  T one_minus_beta1;
  T one_minus_beta2;
  T step;             // learning rate / (1 - beta1^k)
  T reciprocal_root;  // 1 / sqrt(1 - beta2^k)
  T epsilon;
};

// One table of functions for each instruction set.
template <class T>
struct TrainingKernels {
  // All steps for the windows [first, last). Windows do not depend on each other: any split gives the same bits.
  void (*lstm_forward)(const LstmState<T>& state, const T* packed, int64_t first, int64_t last);
  void (*lstm_backward)(const LstmState<T>& state, const LstmGradient<T>& gradient, int64_t first, int64_t last);
  // The gradient of W_hh (4 Hp, Hp), the sum over steps of grad_gates_t' h_{t-1}, for its rows [first, last). Any split gives the
  // same bits.
  void (*recurrent_gradient)(const LstmState<T>& state, const T* grad_gates, T* out, int64_t first, int64_t last);
  // grad_projection (days, 4, Hp) for the days [first, last): the sum over all windows and steps that read the day.
  void (*gather_days)(const LstmState<T>& state, const T* grad_gates, T* grad_projection, int64_t first, int64_t last);
  void (*adam_step)(const AdamStep<T>& step, const T* gradient, T* m, T* v, T* p, int64_t count);
  // For one row: returns sum_i min_tau(scale x_i, d_i) and writes grad_i = factor sigmoid((d_i - scale x_i)/tau). tau > 0.
  double (*soft_min_row)(const T* x, const T* demand, int64_t count, T scale, T tau, T factor, T* grad);
};

// The table for the processor that the program runs on.
template <class T>
[[nodiscard]] const TrainingKernels<T>& training_kernels() noexcept;

// The weights in the order in which lstm_forward reads them:
// packed (Hp / kUnitBlock, Hp, 4, kUnitBlock) from recurrent (4, Hp, Hp), the columns of one block of units together.
template <class T>
void pack_recurrent(const T* recurrent, int64_t units, T* packed) noexcept;

}  // namespace softradial::study::kernels
