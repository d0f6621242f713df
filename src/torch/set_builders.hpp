#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "set_object.hpp"

// Sets from tensors and numbers: the ops behind softradial.Simplex(...), softradial.Polyhedron(...) and the rest. A tensor
// that requires a gradient is remembered under the name that a layer's call takes for it (SetObject::learned).
namespace softradial::ops {

using MaybeTensor = c10::optional<at::Tensor>;

[[nodiscard]] inline MaybeTensor maybe(const at::Tensor& tensor) {
  return tensor.defined() ? MaybeTensor(tensor) : c10::nullopt;
}

[[nodiscard]] SetPtr simplex(int64_t dim, double sum);
// One cap, (), or one for each coordinate, (dim).
[[nodiscard]] SetPtr capped_simplex(int64_t dim, const at::Tensor& cap, double sum);
[[nodiscard]] SetPtr uniformly_capped_simplex(int64_t dim, double cap, double sum);
[[nodiscard]] SetPtr box(const at::Tensor& lower, const at::Tensor& upper);
[[nodiscard]] SetPtr ball(const at::Tensor& center, const at::Tensor& radius);
[[nodiscard]] SetPtr ellipsoid(const at::Tensor& center, const at::Tensor& shape);
// A may be sparse (COO or CSR): then the set's gauge is.
[[nodiscard]] SetPtr polyhedron(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E, const MaybeTensor& f);
[[nodiscard]] SetPtr quadratic(const at::Tensor& P, const at::Tensor& q, double c);
[[nodiscard]] SetPtr second_order_cone(const at::Tensor& M, const at::Tensor& s, const at::Tensor& c, double e);
[[nodiscard]] SetPtr lmi(const at::Tensor& F);
[[nodiscard]] SetPtr lp_ball(const at::Tensor& center, double radius, double p);
[[nodiscard]] SetPtr log_sum_exp(int64_t dim, double bound);
[[nodiscard]] SetPtr kl_ball(const at::Tensor& reference, double radius);
[[nodiscard]] SetPtr intersection(const std::vector<SetPtr>& sets);
[[nodiscard]] SetPtr product(const std::vector<SetPtr>& sets);
[[nodiscard]] SetPtr affine_preimage(const SetPtr& set, const at::Tensor& A, const at::Tensor& b);
[[nodiscard]] SetPtr scaled(const SetPtr& set, double factor);
[[nodiscard]] SetPtr read_set(const std::string& json);
[[nodiscard]] SetPtr read_set_file(const std::string& path);

}  // namespace softradial::ops
