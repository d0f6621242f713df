#include "polyhedra.hpp"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <limits>

#include "cpu/precision.hpp"
#include "cpu/sample_rows.hpp"
#include "softradial/sample_polyhedra.hpp"

namespace softradial::ops {
namespace {

template <class T>
struct PolyhedraRows {
  int64_t num_rows;
  bool shared;
  at::Tensor matrices;
  Rows<const T> A;
  SampleRows<T> b;
  SampleRows<T> anchor;
  at::Tensor image;

  PolyhedraRows(const PolyhedraData& data, const at::Tensor& u, int64_t rows)
      : num_rows(data.A.size(-2)),
        shared(data.A.dim() == 2),
        matrices(as_matrix(shared ? data.A : expanded(data.A, u))),
        A(const_rows<T>(matrices)),
        b(sample_rows<T>(data.b, batch_shape(u), rows, num_rows)),
        anchor(sample_rows<T>(data.anchor, batch_shape(u), rows, u.size(-1))) {
    if (data.image) image = data.image->contiguous();
  }

  [[nodiscard]] std::shared_ptr<const PolyhedraMap<T>> make_map(const MapObject& map, const at::Tensor& given) const {
    if (shared) return map.shared_rows<T>(given);
    return std::make_shared<const PolyhedraMap<T>>(PolyhedraMap<T>::own(
        static_cast<std::size_t>(num_rows), static_cast<std::size_t>(map.dim()), map.declared_hull(), map.method()));
  }
  [[nodiscard]] SamplePolyhedra<T> slice(std::size_t first, std::size_t count) const {
    return {b.rows.slice(first, count), anchor.rows.slice(first, count),
            image.defined() ? image.data_ptr<T>() : nullptr};
  }
  // The matrices of the samples first, ..., first + count - 1.
  [[nodiscard]] Rows<const T> matrices_from(std::size_t first, std::size_t count) const {
    const auto m = static_cast<std::size_t>(num_rows);
    return shared ? A : A.slice(first * m, count * m);
  }

 private:
  static at::Tensor expanded(const at::Tensor& A, const at::Tensor& u) {
    at::DimVector shape(batch_shape(u).begin(), batch_shape(u).end());
    shape.push_back(A.size(-2));
    shape.push_back(A.size(-1));
    return A.expand(shape).contiguous();
  }
};

std::tuple<at::Tensor, at::Tensor, at::Tensor> project_polyhedra_cpu(const at::Tensor& u, const at::Tensor& A,
                                                                     const at::Tensor& b, const MaybeTensor& image,
                                                                     const at::Tensor& anchor, const MapPtr& map) {
  at::Tensor x = map->results().tensor(u.sizes(), u.scalar_type());
  const at::Tensor matrix = as_matrix(u);
  const int64_t rows = matrix.size(0);
  at::Tensor status = map->results().tensor(batch_shape(u), at::kChar);
  at::Tensor state = map->results().tensor({rows, kStateWidth<float>}, u.scalar_type());
  with_precision(u, [&]<class T>(Precision<T>) {
    const PolyhedraRows<T> data({A, b, image, anchor}, u, rows);
    const auto polyhedra = data.make_map(*map, A);
    for_each_run(rows, data.num_rows * map->dim(), [&](std::size_t first, std::size_t count) {
      polyhedra->project(data.slice(first, count), data.matrices_from(first, count),
                         const_rows<T>(matrix).slice(first, count), fresh_rows<T>(x, rows).slice(first, count),
                         statuses(status).subspan(first, count), states<T>(state).subspan(first, count));
    });
  });
  return {x, status, state};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> project_polyhedra_backward_cpu(
    const at::Tensor& grad_x, const at::Tensor& u, const at::Tensor& A, const at::Tensor& b, const MaybeTensor& image,
    const at::Tensor& anchor, const at::Tensor& status, const at::Tensor& state, std::array<bool, 3> wanted,
    const MapPtr& map) {
  at::Tensor grad_u = map->results().tensor(u.sizes(), u.scalar_type());
  const at::Tensor matrix = as_matrix(u);
  const at::Tensor grad_matrix = as_matrix(grad_x);
  const int64_t rows = matrix.size(0);
  const int64_t m = A.size(-2);
  const int64_t dim = map->dim();
  at::Tensor grad_A;
  at::Tensor grad_b;
  at::Tensor grad_anchor;
  with_precision(u, [&]<class T>(Precision<T>) {
    const PolyhedraRows<T> data({A, b, image, anchor}, u, rows);
    const auto polyhedra = data.make_map(*map, A);
    SamplePolyhedraGradient<T> gradient{wanted_rows<T>(wanted[1], rows, m, u.options(), grad_b),
                                        wanted_rows<T>(wanted[2], rows, dim, u.options(), grad_anchor),
                                        {}};
    const int64_t matrix_rows = data.shared ? m : rows * m;
    if (wanted[0]) {
      gradient.A = wanted_rows<T>(true, matrix_rows, dim, u.options(), grad_A);
      grad_A.zero_();
    }
    // The cotangent of a matrix that all rows share is a sum over the rows. One thread adds it up, so that the order of the
    // sum is fixed.
    const int64_t work = wanted[0] && data.shared ? std::numeric_limits<int64_t>::max() : 4 * dim;
    const auto run = [&](std::size_t first, std::size_t count) {
      const auto per_sample = static_cast<std::size_t>(m);
      polyhedra->project_vjp(
          data.slice(first, count), data.matrices_from(first, count), const_rows<T>(matrix).slice(first, count),
          const_rows<T>(grad_matrix).slice(first, count), statuses(status).subspan(first, count),
          states<T>(state).subspan(first, count), fresh_rows<T>(grad_u, rows).slice(first, count),
          {gradient.b.slice(first, count), gradient.anchor.slice(first, count),
           data.shared || !wanted[0] ? gradient.A : gradient.A.slice(first * per_sample, count * per_sample)});
    };
    if (work == std::numeric_limits<int64_t>::max()) {
      run(0, static_cast<std::size_t>(rows));
    } else {
      for_each_run(rows, work, run);
    }
  });
  if (grad_A.defined() && A.dim() != 2) {
    at::DimVector shape(batch_shape(u).begin(), batch_shape(u).end());
    shape.push_back(m);
    shape.push_back(dim);
    grad_A = at::sum_to(grad_A.reshape(shape), A.sizes());
  }
  const at::IntArrayRef batch = batch_shape(u);
  return {grad_u, grad_A, like_data(grad_b, b, batch), like_data(grad_anchor, anchor, batch)};
}

}  // namespace

TORCH_LIBRARY_IMPL(softradial, CPU, m) {
  m.impl("project_polyhedra", project_polyhedra_cpu);
  m.impl("project_polyhedra_backward", project_polyhedra_backward_cpu);
}

}  // namespace softradial::ops
