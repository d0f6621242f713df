#include "bounds.hpp"

#include <ATen/ATen.h>
#include <torch/library.h>

#include "cpu/precision.hpp"
#include "cpu/sample_rows.hpp"
#include "softradial/sample_bounds.hpp"

namespace softradial::ops {
namespace {

template <class T>
struct BoundsRows {
  SampleRows<T> lower;
  SampleRows<T> upper;
  SampleRows<T> total;
  SampleRows<T> anchor;

  BoundsRows(const BoundsData& data, const at::Tensor& u, int64_t rows)
      : lower(sample_rows<T>(data.lower, batch_shape(u), rows, u.size(-1))),
        upper(sample_rows<T>(data.upper, batch_shape(u), rows, u.size(-1))) {
    if (data.sum) total = sample_rows<T>(*data.sum, batch_shape(u), rows, 1);
    if (data.anchor) anchor = sample_rows<T>(*data.anchor, batch_shape(u), rows, u.size(-1));
  }

  [[nodiscard]] SampleBounds<T> slice(std::size_t first, std::size_t count) const {
    return {lower.rows.slice(first, count), upper.rows.slice(first, count), total.rows.slice(first, count),
            anchor.rows.slice(first, count)};
  }
};

std::tuple<at::Tensor, at::Tensor, at::Tensor> project_bounds_cpu(const at::Tensor& u, const at::Tensor& lower,
                                                                  const at::Tensor& upper, const MaybeTensor& sum,
                                                                  const MaybeTensor& anchor, const MapPtr& map) {
  at::Tensor x = map->results().tensor(u.sizes(), u.scalar_type());
  const at::Tensor matrix = as_matrix(u);
  const int64_t rows = matrix.size(0);
  at::Tensor status = map->results().tensor(batch_shape(u), at::kChar);
  at::Tensor state = map->results().tensor({rows, kStateWidth<float>}, u.scalar_type());
  with_precision(u, [&]<class T>(Precision<T>) {
    const BoundsRows<T> data({lower, upper, sum, anchor}, u, rows);
    const BoundsMap<T> bounds_map(static_cast<std::size_t>(map->dim()), map->method());
    for_each_run(rows, 2 * map->dim(), [&](std::size_t first, std::size_t count) {
      bounds_map.project(data.slice(first, count), const_rows<T>(matrix).slice(first, count),
                         fresh_rows<T>(x, rows).slice(first, count), statuses(status).subspan(first, count),
                         states<T>(state).subspan(first, count));
    });
  });
  return {x, status, state};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor> project_bounds_backward_cpu(
    const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& lower, const at::Tensor& upper,
    const MaybeTensor& sum, const MaybeTensor& anchor, const at::Tensor& status, const at::Tensor& state,
    std::array<bool, 4> wanted, const MapPtr& map) {
  at::Tensor grad_u = map->results().tensor(u.sizes(), u.scalar_type());
  const at::Tensor matrix = as_matrix(u);
  const at::Tensor grad_matrix = as_matrix(grad_x);
  const int64_t rows = matrix.size(0);
  const int64_t dim = map->dim();
  at::Tensor grad_lower;
  at::Tensor grad_upper;
  at::Tensor grad_sum;
  at::Tensor grad_anchor;
  with_precision(u, [&]<class T>(Precision<T>) {
    const BoundsRows<T> data({lower, upper, sum, anchor}, u, rows);
    const BoundsMap<T> bounds_map(static_cast<std::size_t>(dim), map->method());
    const SampleBoundsGradient<T> gradient{wanted_rows<T>(wanted[0], rows, dim, u.options(), grad_lower),
                                           wanted_rows<T>(wanted[1], rows, dim, u.options(), grad_upper),
                                           wanted_rows<T>(wanted[2], rows, 1, u.options(), grad_sum),
                                           wanted_rows<T>(wanted[3], rows, dim, u.options(), grad_anchor)};
    for_each_run(rows, 3 * dim, [&](std::size_t first, std::size_t count) {
      bounds_map.project_vjp(data.slice(first, count), const_rows<T>(matrix).slice(first, count),
                             const_rows<T>(grad_matrix).slice(first, count), statuses(status).subspan(first, count),
                             states<T>(state).subspan(first, count), fresh_rows<T>(grad_u, rows).slice(first, count),
                             {gradient.lower.slice(first, count), gradient.upper.slice(first, count),
                              gradient.total.slice(first, count), gradient.anchor.slice(first, count)});
    });
  });
  const at::IntArrayRef batch = batch_shape(u);
  return {grad_u, like_data(grad_lower, lower, batch), like_data(grad_upper, upper, batch),
          grad_sum.defined() ? like_data(grad_sum, *sum, batch) : grad_sum,
          grad_anchor.defined() ? like_data(grad_anchor, *anchor, batch) : grad_anchor};
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CPU, m) {
  m.impl("project_bounds", project_bounds_cpu);
  m.impl("project_bounds_backward", project_bounds_backward_cpu);
}

}  // namespace softradial::ops
