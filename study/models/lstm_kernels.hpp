#pragma once

#include <cstdint>

// The recurrence of an LSTM over many windows at once, and its way back through time. No LibTorch here: plain memory,
// vectorised for the instruction set at hand, float and double.
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
// slots = steps keeps all that the way back needs; slots = 2 keeps the last two steps only. The state before the first
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

// packed: (Hp / kUnitBlock, Hp, 4, kUnitBlock) from recurrent (4, Hp, Hp): the columns that one block of units needs.
void pack_recurrent(const float* recurrent, int64_t units, float* packed) noexcept;
void pack_recurrent(const double* recurrent, int64_t units, double* packed) noexcept;

// All steps for the windows [first, last). Windows never talk to each other: any split gives the same bits.
void lstm_forward(const LstmState<float>& state, const float* packed, int64_t first, int64_t last) noexcept;
void lstm_forward(const LstmState<double>& state, const double* packed, int64_t first, int64_t last) noexcept;

// grad_gates (steps, windows, 4, Hp): cotangents before the activations; may be the memory of the gates themselves.
// grad_hidden (windows, Hp): on entry that of the last h, destroyed. grad_cells (windows, Hp): zero on entry, destroyed.
template <class T>
struct LstmGradient {
  const T* recurrent;
  T* grad_gates;
  T* grad_hidden;
  T* grad_cells;
};
void lstm_backward(const LstmState<float>& state, const LstmGradient<float>& g, int64_t first, int64_t last) noexcept;
void lstm_backward(const LstmState<double>& state, const LstmGradient<double>& g, int64_t first, int64_t last) noexcept;

// grad_projection (days, 4, Hp), days [first, last): the sum over all windows and steps that read the day.
void gather_days(const LstmState<float>& state, const float* grad_gates, float* grad_projection, int64_t first,
                 int64_t last) noexcept;
void gather_days(const LstmState<double>& state, const double* grad_gates, double* grad_projection, int64_t first,
                 int64_t last) noexcept;

}  // namespace softradial::study::kernels
