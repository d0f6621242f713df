#include "set_builders.hpp"

#include <ATen/ATen.h>

#include <string_view>
#include <utility>

#include "eigen_tensors.hpp"
#include "shapes.hpp"
#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"
#include "softradial/set_type.hpp"

namespace softradial::ops {
namespace {

SetPtr make(Set set) { return c10::make_intrusive<SetObject>(std::move(set)); }

double to_number(const at::Tensor& tensor, std::string_view name) {
  if (tensor.numel() != 1) {
    throw ShapeError(std::string(name) + ": expected one number, got shape " + shape_text(tensor));
  }
  return tensor.detach().to(at::kCPU, at::kDouble).item<double>();
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

std::vector<Eigen::MatrixXd> to_matrices(const at::Tensor& tensor, const std::string& name) {
  if (tensor.dim() != 3) throw ShapeError(name + ": expected 3 dimensions, got shape " + shape_text(tensor));
  std::vector<Eigen::MatrixXd> matrices;
  for (int64_t i = 0; i < tensor.size(0); ++i) matrices.push_back(to_matrix(tensor[i], name));
  return matrices;
}

FieldValue value_of(const at::Tensor& tensor, const Field& field) {
  const std::string name(field.name);
  switch (field.kind) {
    case FieldKind::count:
    case FieldKind::number:
    case FieldKind::number_or_infinity:
      return to_number(tensor, name);
    case FieldKind::number_or_numbers:
      return tensor.dim() == 0 ? FieldValue(to_number(tensor, name)) : FieldValue(to_vector(tensor, name));
    case FieldKind::numbers:
    case FieldKind::lower_bounds:
    case FieldKind::upper_bounds:
      return to_vector(tensor, name);
    case FieldKind::any_matrix:
      if (tensor.layout() != at::kStrided) return to_sparse(tensor);
      return to_matrix(tensor, name);
    case FieldKind::matrix:
      return to_matrix(tensor, name);
    case FieldKind::matrices:
      return to_matrices(tensor, name);
    case FieldKind::set:
    case FieldKind::sets:
      break;
  }
  throw InvalidSet(name + ": expected a set, got a tensor");
}

// Only data that a layer's call takes can be learned. Other data that require a gradient are refused: their gradient must not
// get lost in silence.
void keep_learned(SetObject::Tensors& learned, const Field& field, const at::Tensor& tensor, bool sparse) {
  if (!tensor.requires_grad()) return;
  if (field.learned_as.empty() || (sparse && !field.learned_if_sparse)) {
    throw InvalidSet(std::string(field.name) +
                     ": gradients to it are not available; detach it, or give it sample by sample where that is");
  }
  learned.insert(std::string(field.learned_as), tensor);
}

std::vector<Set> fixed_parts(const std::vector<SetPtr>& sets) {
  std::vector<Set> parts;
  for (const SetPtr& set : sets) {
    for (const auto& entry : set->learned()) {
      throw InvalidSet(entry.key() + ": gradients to the data of a combined set's parts are not available");
    }
    parts.push_back(set->set());
  }
  return parts;
}

}  // namespace

SetPtr make_set(const std::string& type_name, const c10::Dict<std::string, at::Tensor>& data,
                const std::vector<SetPtr>& sets) {
  const SetType& type = set_type(type_name);
  NamedValues values;
  SetObject::Tensors learned;
  bool sparse = false;
  for (const auto& entry : data) sparse = sparse || entry.value().layout() != at::kStrided;
  for (const Field& field : type.fields) {
    const std::string name(field.name);
    if (field.kind == FieldKind::set || field.kind == FieldKind::sets) {
      values.emplace_back(name, fixed_parts(sets));
    } else if (data.contains(name)) {
      const at::Tensor tensor = data.at(name);
      keep_learned(learned, field, tensor, sparse);
      values.emplace_back(name, value_of(tensor, field));
    }
  }
  for (const auto& entry : data) {
    if (type.find(entry.key()) == nullptr) throw InvalidSet(entry.key() + ": a " + type_name + " has no such field");
  }
  return c10::make_intrusive<SetObject>(softradial::make_set(type_name, std::move(values)), std::move(learned));
}

SetPtr read_set(const std::string& json) { return make(parse_set(json)); }

SetPtr read_set_file(const std::string& path) { return make(load_set(path)); }

}  // namespace softradial::ops
