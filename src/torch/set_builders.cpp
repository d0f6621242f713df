#include "set_builders.hpp"

#include <ATen/ATen.h>

#include <initializer_list>
#include <utility>

#include "eigen_tensors.hpp"
#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"
#include "softradial/sets.hpp"

namespace softradial::ops {
namespace {

SetPtr make(Set set) { return c10::make_intrusive<SetObject>(std::move(set)); }

SetPtr make(Set set, std::initializer_list<std::pair<const char*, at::Tensor>> data) {
  SetObject::Tensors learned;
  for (const auto& [name, tensor] : data) {
    if (tensor.defined() && tensor.requires_grad()) learned.insert(name, tensor);
  }
  return c10::make_intrusive<SetObject>(std::move(set), std::move(learned));
}

double to_number(const at::Tensor& tensor, std::string_view name) {
  if (tensor.numel() != 1) throw ShapeError(std::string(name) + ": expected one number");
  return tensor.detach().to(at::kCPU, at::kDouble).item<double>();
}

std::size_t to_size(int64_t dim) {
  if (dim < 0) throw InvalidSet("dim is " + std::to_string(dim) + ", below 0");
  return static_cast<std::size_t>(dim);
}

std::vector<Set> parts_of(const std::vector<SetPtr>& sets) {
  std::vector<Set> parts;
  for (const SetPtr& set : sets) parts.push_back(set->set());
  return parts;
}

SparseMatrix to_sparse(const at::Tensor& tensor) {
  const at::Tensor data = tensor.detach().to(at::kCPU, at::kDouble);
  const at::Tensor coordinates = (data.layout() == at::kSparse ? data : data.to_sparse()).coalesce();
  const at::Tensor indices = coordinates.indices().contiguous();
  const at::Tensor values = coordinates.values().contiguous();
  const int64_t* const rows = indices.data_ptr<int64_t>();
  const int64_t* const columns = rows + values.size(0);
  std::vector<Eigen::Triplet<double>> entries;
  for (int64_t k = 0; k < values.size(0); ++k) entries.emplace_back(rows[k], columns[k], values.data_ptr<double>()[k]);
  SparseMatrix matrix(tensor.size(0), tensor.size(1));
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Dense or sparse by A.
template <class Matrix>
Set polyhedron_of(const Matrix& A, const Eigen::VectorXd& b, const MaybeTensor& E, const MaybeTensor& f) {
  if (E.has_value() != f.has_value()) throw InvalidSet("polyhedron: E and f go together");
  if (!E) return Polyhedron(A, b);
  if constexpr (std::is_same_v<Matrix, SparseMatrix>) {
    return Polyhedron(A, b, SparseMatrix(to_matrix(E->to_dense(), "E").sparseView()), to_vector(*f, "f"));
  } else {
    return Polyhedron(A, b, to_matrix(*E, "E"), to_vector(*f, "f"));
  }
}

}  // namespace

SetPtr simplex(int64_t dim, double sum) { return make(Simplex(to_size(dim), sum)); }

SetPtr capped_simplex(int64_t dim, const at::Tensor& cap, double sum) {
  if (cap.dim() == 0) return make(CappedSimplex(to_size(dim), to_number(cap, "cap"), sum), {{"upper", cap}});
  if (cap.dim() == 1 && cap.size(0) != dim) {
    throw ShapeError("cap: expected " + std::to_string(dim) + " numbers, got " + std::to_string(cap.size(0)));
  }
  return make(CappedSimplex(to_vector(cap, "cap"), sum), {{"upper", cap}});
}

SetPtr uniformly_capped_simplex(int64_t dim, double cap, double sum) {
  return make(CappedSimplex(to_size(dim), cap, sum));
}

SetPtr box(const at::Tensor& lower, const at::Tensor& upper) {
  return make(Box(to_vector(lower, "lower"), to_vector(upper, "upper")), {{"lower", lower}, {"upper", upper}});
}

SetPtr ball(const at::Tensor& center, const at::Tensor& radius) {
  return make(Ball(to_vector(center, "center"), to_number(radius, "radius")), {{"center", center}, {"radius", radius}});
}

SetPtr ellipsoid(const at::Tensor& center, const at::Tensor& shape) {
  return make(Ellipsoid(to_vector(center, "center"), to_matrix(shape, "shape")), {{"center", center}});
}

SetPtr polyhedron(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E, const MaybeTensor& f) {
  const Eigen::VectorXd bound = to_vector(b, "b");
  if (A.layout() != at::kStrided) return make(polyhedron_of(to_sparse(A), bound, E, f), {{"b", b}});
  return make(polyhedron_of(to_matrix(A, "A"), bound, E, f), {{"A", A}, {"b", b}, {"f", f.value_or(at::Tensor())}});
}

SetPtr quadratic(const at::Tensor& P, const at::Tensor& q, double c) {
  return make(Quadratic(to_matrix(P, "P"), to_vector(q, "q"), c));
}

SetPtr second_order_cone(const at::Tensor& M, const at::Tensor& s, const at::Tensor& c, double e) {
  return make(SecondOrderCone(to_matrix(M, "M"), to_vector(s, "s"), to_vector(c, "c"), e));
}

SetPtr lmi(const at::Tensor& F) {
  if (F.dim() != 3) throw ShapeError("F: expected 3 dimensions, got " + std::to_string(F.dim()));
  std::vector<Eigen::MatrixXd> matrices;
  for (int64_t i = 0; i < F.size(0); ++i) matrices.push_back(to_matrix(F[i], "F"));
  return make(Lmi(std::move(matrices)));
}

SetPtr lp_ball(const at::Tensor& center, double radius, double p) {
  return make(LpBall(to_vector(center, "center"), radius, p));
}

SetPtr log_sum_exp(int64_t dim, double bound) { return make(LogSumExp(to_size(dim), bound)); }

SetPtr kl_ball(const at::Tensor& reference, double radius) {
  return make(KlBall(to_vector(reference, "reference"), radius));
}

SetPtr intersection(const std::vector<SetPtr>& sets) { return make(Intersection(parts_of(sets))); }

SetPtr product(const std::vector<SetPtr>& sets) { return make(Product(parts_of(sets))); }

SetPtr affine_preimage(const SetPtr& set, const at::Tensor& A, const at::Tensor& b) {
  return make(AffinePreimage(set->set(), to_matrix(A, "A"), to_vector(b, "b")));
}

SetPtr scaled(const SetPtr& set, double factor) { return make(Scaled(set->set(), factor)); }

SetPtr read_set(const std::string& json) { return make(parse_set(json)); }

SetPtr read_set_file(const std::string& path) { return make(load_set(path)); }

}  // namespace softradial::ops
