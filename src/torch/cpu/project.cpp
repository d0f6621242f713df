#include "project.hpp"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "composite/radial_map.hpp"
#include "cpu/precision.hpp"
#include "cpu/tensor_rows.hpp"

// CPU kernels of the ops on a fixed set: the core's evaluator on the tensor's own memory. Half and bfloat16 go through
// the composite, which computes in single precision.
namespace softradial::ops {
namespace {

template <class T>
void run_project(const MapObject& map, const at::Tensor& u, const at::Tensor& x, std::span<RowState<T>> state) {
  const CompiledMap<T>& compiled = map.compiled<T>();
  const at::Tensor matrix = as_matrix(u);
  const Rows<const T> from = const_rows<T>(matrix);
  const Rows<T> to = fresh_rows<T>(x, matrix.size(0));
  std::atomic<std::size_t> marked = 0;
  for_each_run(matrix.size(0), matrix.size(1), [&](std::size_t first, std::size_t count) {
    const auto lease = compiled.lend();
    marked += compiled.evaluator.project(from.slice(first, count), to.slice(first, count), *lease,
                                         state.empty() ? state : state.subspan(first, count));
  });
  map.last().note(x, marked);
}

at::Tensor project_cpu(const at::Tensor& u, const MapPtr& map) {
  if (!core_precision(u)) return composite::project(u, map);
  check_shape(u, *map, "u");
  at::Tensor x = map->results().tensor(u.sizes(), u.scalar_type());
  with_precision(u, [&]<class T>(Precision<T>) { run_project<T>(*map, u, x, {}); });
  return x;
}

std::tuple<at::Tensor, at::Tensor> project_with_state_cpu(const at::Tensor& u, const MapPtr& map) {
  if (!core_precision(u)) return {composite::project(u, map), at::empty({0}, u.options())};
  check_shape(u, *map, "u");
  at::Tensor x = map->results().tensor(u.sizes(), u.scalar_type());
  at::Tensor state = map->results().tensor({u.numel() / map->dim(), kStateWidth<float>}, u.scalar_type());
  with_precision(u, [&]<class T>(Precision<T>) { run_project<T>(*map, u, x, states<T>(state)); });
  return {x, state};
}

// A row of u that is not finite gets the gradient 0 instead of NaN. The saved states tell which rows these are: testing each
// row of the gradient would take a tenth of the time of the pass.
template <class T>
void clear_marked_rows(std::span<const RowState<T>> state, Rows<const T> u, Rows<T> grad_u) {
  const auto finite = [](T v) { return std::isfinite(v); };
  for (std::size_t i = 0; i < grad_u.count(); ++i) {
    if (std::isfinite(state[i].rho) || std::ranges::all_of(u[i], finite)) continue;
    std::ranges::fill(grad_u[i], T{0});
  }
}

template <class T>
void run_backward(const MapObject& map, const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& state,
                  const at::Tensor& grad_u) {
  const CompiledMap<T>& compiled = map.compiled<T>();
  const at::Tensor u_matrix = as_matrix(u);
  const at::Tensor grad_matrix = as_matrix(grad_x);
  const Rows<const T> u_rows = const_rows<T>(u_matrix);
  const Rows<const T> grad_rows = const_rows<T>(grad_matrix);
  const Rows<T> to = fresh_rows<T>(grad_u, u_matrix.size(0));
  const at::Tensor kept = state.contiguous();
  const std::span<const RowState<T>> left = states<T>(kept);
  for_each_run(u_matrix.size(0), 2 * u_matrix.size(1), [&](std::size_t first, std::size_t count) {
    const auto lease = compiled.lend();
    const auto state_rows = left.subspan(first, count);
    compiled.evaluator.project_vjp(u_rows.slice(first, count), grad_rows.slice(first, count), to.slice(first, count),
                                   *lease, state_rows);
    clear_marked_rows<T>(state_rows, u_rows.slice(first, count), to.slice(first, count));
  });
}

at::Tensor project_backward_cpu(const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& state,
                                const MapPtr& map) {
  if (!core_precision(u)) return composite::project_backward(grad_x, u, map);
  at::Tensor grad_u = map->results().tensor(u.sizes(), u.scalar_type());
  with_precision(u, [&]<class T>(Precision<T>) { run_backward<T>(*map, grad_x, u, state, grad_u); });
  return grad_u;
}

at::Tensor inverse_cpu(const at::Tensor& x, const MapPtr& map) {
  check_shape(x, *map, "x");
  const at::Tensor matrix = as_matrix(core_precision(x) ? x : x.to(at::kFloat));
  at::Tensor u = map->results().tensor(x.sizes(), matrix.scalar_type());
  with_precision(matrix, [&]<class T>(Precision<T>) {
    const CompiledMap<T>& compiled = map->compiled<T>();
    const auto lease = compiled.lend();
    compiled.evaluator.inverse(const_rows<T>(matrix), fresh_rows<T>(u, matrix.size(0)), *lease);
  });
  return u.to(x.scalar_type());
}

at::Tensor log_abs_det_cpu(const at::Tensor& u, const MapPtr& map) {
  check_shape(u, *map, "u");
  const at::Tensor matrix = as_matrix(core_precision(u) ? u : u.to(at::kFloat));
  at::Tensor out = map->results().tensor(u.sizes().slice(0, u.dim() - 1), matrix.scalar_type());
  with_precision(matrix, [&]<class T>(Precision<T>) {
    const CompiledMap<T>& compiled = map->compiled<T>();
    const auto lease = compiled.lend();
    compiled.evaluator.log_abs_det(const_rows<T>(matrix), {out.data_ptr<T>(), static_cast<std::size_t>(out.numel())},
                                   *lease);
  });
  return out.to(u.scalar_type());
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CPU, m) {
  m.impl("project", project_cpu);
  m.impl("project_with_state", project_with_state_cpu);
  m.impl("project_backward", project_backward_cpu);
  m.impl("inverse", inverse_cpu);
  m.impl("find_inverse", inverse_cpu);
  m.impl("log_abs_det", log_abs_det_cpu);
}

}  // namespace softradial::ops
