#include "models/window_lstm.hpp"

#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "simd/training_kernels.hpp"

namespace softradial::study {
namespace {

// The number of windows that a thread takes at a time: a panel of weights is read once for all of them.
constexpr int64_t kGrain = 32;
// The number of windows that go through all steps together if nothing is saved for a backward pass: their states stay in the
// second-level cache.
constexpr int64_t kWindowsTogether = 64;

void resize(at::Tensor& buffer, at::IntArrayRef shape, const at::Tensor& like) {
  if (!buffer.defined() || buffer.sizes() != shape || buffer.scalar_type() != like.scalar_type()) {
    buffer = at::empty(shape, like.options().requires_grad(false));
  }
}

// (4 hidden, ...) -> (4 units, ...) with zeros for the units that do not exist; `last` pads the last dimension too.
at::Tensor padded(const at::Tensor& weight, int64_t hidden, int64_t units, bool last = false) {
  at::Tensor dense = weight.detach().contiguous();
  if (hidden == units) return dense;
  if (weight.dim() == 1) {
    at::Tensor out = at::zeros({4, units}, dense.options());
    out.narrow(1, 0, hidden).copy_(dense.view({4, hidden}));
    return out.view({4 * units});
  }
  const int64_t columns = weight.size(1);
  at::Tensor out = at::zeros({4, units, last ? units : columns}, dense.options());
  out.narrow(1, 0, hidden).narrow(2, 0, columns).copy_(dense.view({4, hidden, columns}));
  return out.view({4 * units, out.size(2)});
}

// The reverse of padded(): drops the padding.
void copy_unpadded(const at::Tensor& from, int64_t hidden, int64_t units, const at::Tensor& to) {
  if (to.dim() == 1) {
    to.view({4, hidden}).copy_(from.view({4, units}).narrow(1, 0, hidden));
  } else {
    to.view({4, hidden, to.size(1)}).copy_(from.view({4, units, -1}).narrow(1, 0, hidden).narrow(2, 0, to.size(1)));
  }
}

template <class T>
kernels::LstmState<T> state_of(const LstmTape& tape) {
  return {.steps = tape.layout.steps,
          .slots = tape.slots,
          .windows = tape.windows,
          .units = tape.units,
          .window_stride = tape.layout.stride,
          .projection = tape.projection.data_ptr<T>(),
          .gates = tape.gates.data_ptr<T>(),
          .cells = tape.cells.data_ptr<T>(),
          .squashed = tape.squashed.data_ptr<T>(),
          .hidden = tape.states.data_ptr<T>()};
}

template <class T>
void run_forward(LstmTape& tape) {
  kernels::pack_recurrent(tape.recurrent.data_ptr<T>(), tape.units, tape.packed.data_ptr<T>());
  const auto state = state_of<T>(tape);
  at::parallel_for(0, tape.windows, kGrain, [&](int64_t first, int64_t last) {
    for (int64_t from = first; from < last; from += kWindowsTogether) {
      kernels::training_kernels<T>().lstm_forward(state, tape.packed.data_ptr<T>(), from,
                                                  std::min(last, from + kWindowsTogether));
    }
  });
}

// Writes the gradients of the gates into the tape, that of W_hh, padded, into `recurrent`.
template <class T>
void run_backward(LstmTape& tape, const at::Tensor& recurrent) {
  const auto state = state_of<T>(tape);
  const kernels::LstmGradient<T> gradient{.recurrent = tape.recurrent.data_ptr<T>(),
                                          .grad_gates = tape.gates.data_ptr<T>(),
                                          .grad_hidden = tape.grad_hidden.data_ptr<T>(),
                                          .grad_cells = tape.grad_cells.data_ptr<T>()};
  at::parallel_for(0, tape.windows, kGrain, [&](int64_t first, int64_t last) {
    kernels::training_kernels<T>().lstm_backward(state, gradient, first, last);
  });
  at::parallel_for(0, 4 * tape.units, kGrain, [&](int64_t first, int64_t last) {
    kernels::training_kernels<T>().recurrent_gradient(state, gradient.grad_gates, recurrent.data_ptr<T>(), first, last);
  });
  at::parallel_for(0, tape.days.size(0), kGrain, [&](int64_t first, int64_t last) {
    kernels::training_kernels<T>().gather_days(state, gradient.grad_gates, tape.grad_projection.data_ptr<T>(), first,
                                               last);
  });
}

void check(bool good, const std::string& message) {
  if (!good) throw std::invalid_argument("lstm: " + message);
}

void check_input(const at::Tensor& days, const LstmWeights& w) {
  const auto type = days.scalar_type();
  check(type == at::kFloat || type == at::kDouble,
        std::string("days must be float or double, not ") + c10::toString(type));
  check(w.input.scalar_type() == type,
        std::string("weights are ") + c10::toString(w.input.scalar_type()) + ", days are " + c10::toString(type));
  check(days.dim() == 2, "days must have 2 dimensions, not " + std::to_string(days.dim()));
  check(days.size(1) == w.input.size(1),
        "days have " + std::to_string(days.size(1)) + " features, the weights take " + std::to_string(w.input.size(1)));
}

}  // namespace

int64_t WindowLayout::num_windows(int64_t days) const {
  check(steps >= 1 && stride >= 1, "a window needs steps and stride of at least 1, not " + std::to_string(steps) +
                                       " and " + std::to_string(stride));
  if (days == 0) return 0;
  check(days >= steps && (days - steps) % stride == 0,
        std::to_string(days) + " days are no whole number of windows of " + std::to_string(steps) + " steps, " +
            std::to_string(stride) + " apart");
  return (days - steps) / stride + 1;
}

at::Tensor lstm_forward(const at::Tensor& days, const LstmWeights& weights, WindowLayout layout, bool keep,
                        LstmTape& tape) {
  check_input(days, weights);
  const at::AutoDispatchBelowADInplaceOrView below;
  const int64_t block = 64 / static_cast<int64_t>(days.element_size());
  tape.layout = layout;
  tape.windows = layout.num_windows(days.size(0));
  tape.hidden = weights.recurrent.size(1);
  tape.units = (tape.hidden + block - 1) / block * block;
  // At least two slots: h of the previous step is read while h is written.
  tape.slots = keep ? std::max<int64_t>(layout.steps, 2) : 2;
  tape.days = days;
  tape.recurrent = padded(weights.recurrent, tape.hidden, tape.units, true);
  resize(tape.packed, {4 * tape.units * tape.units}, days);
  resize(tape.projection, {days.size(0), 4 * tape.units}, days);
  resize(tape.gates, {tape.slots, tape.windows, 4 * tape.units}, days);
  resize(tape.cells, {tape.slots, tape.windows, tape.units}, days);
  resize(tape.squashed, {tape.slots, tape.windows, tape.units}, days);
  resize(tape.states, {tape.slots, tape.windows, tape.units}, days);

  const at::Tensor bias = padded(weights.input_bias.add(weights.recurrent_bias), tape.hidden, tape.units);
  at::addmm_out(tape.projection, bias, days, padded(weights.input, tape.hidden, tape.units).t());
  if (days.scalar_type() == at::kFloat) {
    run_forward<float>(tape);
  } else {
    run_forward<double>(tape);
  }
  return tape.states[(layout.steps - 1) % tape.slots].narrow(1, 0, tape.hidden);
}

at::Tensor lstm_backward(const at::Tensor& grad_hidden, const LstmWeights& weights, const LstmWeights& grad,
                         bool grad_days, LstmTape& tape) {
  check(tape.slots >= tape.layout.steps, "the tape did not keep its steps");
  const at::AutoDispatchBelowADInplaceOrView below;
  resize(tape.grad_hidden, {tape.windows, tape.units}, tape.days);
  resize(tape.grad_cells, {tape.windows, tape.units}, tape.days);
  resize(tape.grad_projection, {tape.days.size(0), 4 * tape.units}, tape.days);
  const bool is_padded = tape.hidden != tape.units;
  if (is_padded) tape.grad_hidden.zero_();
  tape.grad_hidden.narrow(1, 0, tape.hidden).copy_(grad_hidden);
  tape.grad_cells.zero_();
  const at::Tensor recurrent =
      is_padded ? at::empty({4 * tape.units, tape.units}, tape.recurrent.options()) : grad.recurrent;
  if (tape.days.scalar_type() == at::kFloat) {
    run_backward<float>(tape, recurrent);
  } else {
    run_backward<double>(tape, recurrent);
  }
  if (is_padded) {
    copy_unpadded(recurrent, tape.hidden, tape.units, grad.recurrent);
    copy_unpadded(at::mm(tape.grad_projection.t(), tape.days), tape.hidden, tape.units, grad.input);
    copy_unpadded(tape.grad_projection.sum(0), tape.hidden, tape.units, grad.input_bias);
  } else {
    at::Tensor input = grad.input;
    at::Tensor bias = grad.input_bias;
    at::mm_out(input, tape.grad_projection.t(), tape.days);
    at::sum_out(bias, tape.grad_projection, 0);
  }
  grad.recurrent_bias.copy_(grad.input_bias);
  if (!grad_days) return {};
  return at::mm(tape.grad_projection, padded(weights.input, tape.hidden, tape.units));
}

namespace {

class WindowLstmFunction : public torch::autograd::Function<WindowLstmFunction> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& days,
                            const at::Tensor& w_input, const at::Tensor& w_recurrent, const at::Tensor& b_input,
                            const at::Tensor& b_recurrent, int64_t steps, int64_t stride) {
    LstmTape tape;
    at::Tensor last =
        lstm_forward(days, {w_input, w_recurrent, b_input, b_recurrent}, {steps, stride}, true, tape).clone();
    // Buffers that merely provide memory for the next pass are not saved.
    context->save_for_backward({days, w_input, w_recurrent, b_input, b_recurrent, tape.recurrent, tape.gates,
                                tape.cells, tape.squashed, tape.states, tape.projection});
    context->saved_data["steps"] = steps;
    context->saved_data["stride"] = stride;
    return last;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               const torch::autograd::tensor_list& grad_out) {
    const auto saved = context->get_saved_variables();
    const LstmWeights weights{saved[1], saved[2], saved[3], saved[4]};
    const LstmWeights grad{at::empty_like(saved[1], at::MemoryFormat::Contiguous),
                           at::empty_like(saved[2], at::MemoryFormat::Contiguous), at::empty_like(saved[3]),
                           at::empty_like(saved[4])};
    LstmTape tape;
    tape.layout = {context->saved_data["steps"].toInt(), context->saved_data["stride"].toInt()};
    tape.days = saved[0];
    tape.hidden = saved[2].size(1);
    tape.recurrent = saved[5];
    tape.gates = saved[6].clone();  // cloned: the graph may be used again
    tape.cells = saved[7];
    tape.squashed = saved[8];
    tape.states = saved[9];
    tape.projection = saved[10];
    tape.slots = tape.gates.size(0);
    tape.windows = tape.gates.size(1);
    tape.units = tape.states.size(2);
    const at::Tensor grad_days = lstm_backward(grad_out[0], weights, grad, context->needs_input_grad(0), tape);
    return {grad_days, grad.input, grad.recurrent, grad.input_bias, grad.recurrent_bias, at::Tensor(), at::Tensor()};
  }
};

}  // namespace

at::Tensor window_lstm(const at::Tensor& x, const LstmWeights& weights, WindowLayout layout) {
  check(x.dim() == 2 || x.dim() == 3, "x must have 2 or 3 dimensions, not " + std::to_string(x.dim()));
  if (x.dim() == 3) {
    check(x.size(1) == layout.steps,
          "windows of " + std::to_string(x.size(1)) + " days where the layout says " + std::to_string(layout.steps));
    layout.stride = layout.steps;
  }
  return WindowLstmFunction::apply(x.dim() == 3 ? x.reshape({-1, x.size(2)}) : x, weights.input, weights.recurrent,
                                   weights.input_bias, weights.recurrent_bias, layout.steps, layout.stride);
}

}  // namespace softradial::study
