#include "set_fields.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "handles.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"

namespace softradial::c_abi {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index index(std::size_t value) { return static_cast<Eigen::Index>(value); }

// The numbers of one field, with their shape.
class FieldArray {
 public:
  FieldArray(const sr_field& given, std::string_view name) : given_(given), name_(name) {
    if (given.sets != nullptr || given.num_sets > 0) throw FieldError(name_, "expected numbers, got sets");
    if (given.rank > 3) throw FieldError(name_, "expected at most 3 dimensions, got " + std::to_string(given.rank));
    std::size_t size = 1;
    for (const std::size_t extent : shape()) {
      if (extent > 0 && size > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(double) / extent) {
        throw FieldError(name_, "its shape is larger than memory");
      }
      size *= extent;
    }
    numbers_ = numbers(given.numbers, is_sparse() ? given.num_entries : size, name_);
  }

  [[nodiscard]] bool is_sparse() const noexcept { return given_.entry_rows != nullptr || given_.num_entries > 0; }
  [[nodiscard]] std::size_t rank() const noexcept { return given_.rank; }

  [[nodiscard]] double number() const {
    require_rank(0);
    return numbers_.front();
  }
  [[nodiscard]] Eigen::VectorXd vector() const {
    require_rank(1);
    return Eigen::Map<const Eigen::VectorXd>(numbers_.data(), index(numbers_.size()));
  }
  [[nodiscard]] Eigen::MatrixXd matrix() const {
    require_rank(2);
    require_extents();
    return matrix_at(0, shape()[0], shape()[1]);
  }
  [[nodiscard]] std::vector<Eigen::MatrixXd> matrices() const {
    require_rank(3);
    const std::size_t size = shape()[1] * shape()[2];
    // Without numbers the count says nothing about memory: 2^59 empty matrices would be made one by one.
    if (size == 0) throw FieldError(name_, "has matrices without entries");
    std::vector<Eigen::MatrixXd> out;
    for (std::size_t k = 0; k < shape()[0]; ++k) out.push_back(matrix_at(k * size, shape()[1], shape()[2]));
    return out;
  }
  [[nodiscard]] SparseMatrix sparse() const {
    require_dimensions(2);
    require_extents();
    const auto rows = c_abi::numbers(given_.entry_rows, given_.num_entries, name_ + ".entry_rows");
    const auto columns = c_abi::numbers(given_.entry_columns, given_.num_entries, name_ + ".entry_columns");
    std::vector<std::pair<std::size_t, std::size_t>> places;
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      if (rows[k] >= shape()[0] || columns[k] >= shape()[1]) throw FieldError(name_, entry(k) + " lies outside");
      places.emplace_back(rows[k], columns[k]);
      entries.emplace_back(index(rows[k]), index(columns[k]), numbers_[k]);
    }
    std::sort(places.begin(), places.end());
    if (const auto twice = std::adjacent_find(places.begin(), places.end()); twice != places.end()) {
      throw FieldError(name_, "the entry (" + std::to_string(twice->first) + ", " + std::to_string(twice->second) +
                                  ") is given twice");
    }
    SparseMatrix out(index(shape()[0]), index(shape()[1]));
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  }

 private:
  [[nodiscard]] std::span<const std::size_t> shape() const noexcept { return {given_.shape, given_.rank}; }
  [[nodiscard]] std::string entry(std::size_t k) const {
    return "entry " + std::to_string(k) + ", (" + std::to_string(given_.entry_rows[k]) + ", " +
           std::to_string(given_.entry_columns[k]) + "),";
  }
  void require_dimensions(std::size_t rank) const {
    if (given_.rank == rank) return;
    throw FieldError(name_, "expected " + std::to_string(rank) + " dimensions, got " + std::to_string(given_.rank));
  }
  // A matrix without numbers may have any extents: memory does not bound them.
  void require_extents() const {
    for (const std::size_t extent : shape()) {
      if (extent <= kMaxDim) continue;
      throw FieldError(
          name_, "has " + std::to_string(extent) + " rows or columns, expected at most " + std::to_string(kMaxDim));
    }
  }
  void require_rank(std::size_t rank) const {
    if (is_sparse()) throw FieldError(name_, "cannot be sparse");
    require_dimensions(rank);
  }
  [[nodiscard]] Eigen::MatrixXd matrix_at(std::size_t first, std::size_t rows, std::size_t columns) const {
    // Eigen counts through the rows that it copies, also where they are empty.
    if (rows == 0 || columns == 0) return Eigen::MatrixXd(index(rows), index(columns));
    return Eigen::Map<const RowMajor>(numbers_.data() + first, index(rows), index(columns));
  }

  const sr_field& given_;
  std::string name_;
  std::span<const double> numbers_;
};

std::vector<Set> sets_of(const sr_field& given, const Field& field) {
  if (given.numbers != nullptr) throw FieldError(field.name, "expected sets, got numbers");
  if (given.sets == nullptr && given.num_sets > 0) refuse_null(std::string(field.name) + ".sets");
  if (field.kind == FieldKind::set && given.num_sets != 1) {
    throw FieldError(field.name, "expected one set, got " + std::to_string(given.num_sets));
  }
  std::vector<Set> sets;
  for (std::size_t k = 0; k < given.num_sets; ++k) {
    sets.push_back(required(given.sets[k], std::string(field.name) + "[" + std::to_string(k) + "]").set);
  }
  return sets;
}

FieldValue value_of(const sr_field& given, const Field& field) {
  if (field.kind == FieldKind::set || field.kind == FieldKind::sets) return sets_of(given, field);
  const FieldArray array(given, field.name);
  switch (field.kind) {
    case FieldKind::count:
    case FieldKind::number:
    case FieldKind::number_or_infinity:
      return array.number();
    case FieldKind::number_or_numbers:
      return array.rank() == 0 ? FieldValue(array.number()) : FieldValue(array.vector());
    case FieldKind::numbers:
    case FieldKind::lower_bounds:
    case FieldKind::upper_bounds:
      return array.vector();
    case FieldKind::matrix:
      return array.matrix();
    case FieldKind::any_matrix:
      return array.is_sparse() ? FieldValue(array.sparse()) : FieldValue(array.matrix());
    case FieldKind::matrices:
      return array.matrices();
    case FieldKind::set:
    case FieldKind::sets:
      break;
  }
  throw FieldError(field.name, "is of an unknown kind");
}

NamedValues values_of(const SetType& type, std::span<const sr_field> fields) {
  NamedValues values;
  for (const sr_field& given : fields) {
    const std::string name = word(given.name, given.name_length, "the name of a field");
    const Field* const field = type.find(name);
    if (field == nullptr) throw FieldError(name, "there is no such field");
    if (std::any_of(values.begin(), values.end(), [&](const auto& value) { return value.first == name; })) {
      throw FieldError(name, "is given twice");
    }
    values.emplace_back(name, value_of(given, *field));
  }
  return values;
}

}  // namespace

Set make_set(std::string_view type, std::span<const sr_field> fields) {
  const SetType& known = set_type(type);
  try {
    return softradial::make_set(type, values_of(known, fields));
  } catch (const InvalidSet& error) {
    if (std::string_view(error.what()).starts_with(type)) throw;
    throw InvalidSet(std::string(type) + ": " + error.what());
  }
}

}  // namespace softradial::c_abi
