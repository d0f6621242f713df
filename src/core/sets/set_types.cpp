#include <algorithm>
#include <cmath>
#include <concepts>
#include <type_traits>

#include "sets/number_text.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets.hpp"

namespace softradial {
namespace {

// A set without `static SetType type()` does not compile into the table.
template <class S>
concept Listed = std::derived_from<S, ConvexSet> && requires {
  { S::type() } -> std::same_as<SetType>;
};

template <Listed... S>
std::vector<SetType> types_of() {
  return {S::type()...};
}

// Whether a field of this kind may hold the value.
bool fits(FieldKind kind, const FieldValue& value) {
  switch (kind) {
    case FieldKind::count:
    case FieldKind::number:
    case FieldKind::number_or_infinity:
      return std::holds_alternative<double>(value);
    case FieldKind::number_or_numbers:
      return std::holds_alternative<double>(value) || std::holds_alternative<Eigen::VectorXd>(value);
    case FieldKind::numbers:
    case FieldKind::lower_bounds:
    case FieldKind::upper_bounds:
      return std::holds_alternative<Eigen::VectorXd>(value);
    case FieldKind::matrix:
      return std::holds_alternative<Eigen::MatrixXd>(value);
    case FieldKind::any_matrix:
      return std::holds_alternative<Eigen::MatrixXd>(value) || std::holds_alternative<SparseMatrix>(value);
    case FieldKind::matrices:
      return std::holds_alternative<std::vector<Eigen::MatrixXd>>(value);
    case FieldKind::set:
    case FieldKind::sets:
      return std::holds_alternative<std::vector<Set>>(value);
  }
  return false;
}

void check_count(std::string_view name, double value) {
  if (!(value >= 1) || value != std::floor(value)) {
    throw FieldError(name, "expected a whole number of at least 1, got " + number_text(value));
  }
  if (value > static_cast<double>(kMaxDim)) {
    throw FieldError(name, "expected at most " + std::to_string(kMaxDim) + ", got " + number_text(value));
  }
}

}  // namespace

const std::vector<SetType>& set_types() {
  static const std::vector<SetType> kTypes =
      types_of<Simplex, CappedSimplex, Box, Ball, Ellipsoid, Polyhedron, Quadratic, SecondOrderCone, ExponentialCone,
               PowerCone, Lmi, LpBall, LogSumExp, KlBall, Intersection, Product, AffinePreimage, Scaled>();
  return kTypes;
}

const SetType& set_type(std::string_view name) {
  const auto& types = set_types();
  const auto found = std::find_if(types.begin(), types.end(), [&](const SetType& type) { return type.name == name; });
  if (found == types.end()) throw InvalidSet(std::string(name) + ": there is no set of this type");
  return *found;
}

const Field* SetType::find(std::string_view field) const noexcept {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == field; });
  return found == fields.end() ? nullptr : &*found;
}

FieldError::FieldError(std::string_view field, const std::string& what)
    : InvalidSet(std::string(field) + ": " + what), field_(field), what_is_wrong_(what) {}

Fields::Fields(const SetType& type, NamedValues values) : type_(type), values_(std::move(values)) {
  for (const auto& [name, value] : values_) {
    const Field* const field = type_.find(name);
    if (field == nullptr) throw FieldError(name, "a " + std::string(type_.name) + " has no such field");
    if (!fits(field->kind, value)) throw FieldError(name, "the value is not of the kind that this field has");
    if (field->kind == FieldKind::count) check_count(name, std::get<double>(value));
  }
  for (const Field& field : type_.fields) {
    if (field.presence == Field::Presence::required) require(field.name);
  }
}

const FieldValue* Fields::find(std::string_view name) const noexcept {
  for (const auto& [key, value] : values_) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Fields::require(std::string_view name, const std::string& why) const {
  if (has(name)) return;
  throw MissingField(name, why.empty() ? std::string(type_.name) + ": " + std::string(name) + " is missing" : why);
}

template <class Value>
const Value& Fields::get(std::string_view name) const {
  require(name);
  return std::get<Value>(*find(name));
}

bool Fields::is_number(std::string_view name) const { return std::holds_alternative<double>(*find(name)); }
bool Fields::is_sparse(std::string_view name) const { return std::holds_alternative<SparseMatrix>(*find(name)); }

std::size_t Fields::count(std::string_view name) const { return static_cast<std::size_t>(get<double>(name)); }

double Fields::number(std::string_view name) const {
  if (!has(name) && type_.find(name)->otherwise) return *type_.find(name)->otherwise;
  return get<double>(name);
}
const Eigen::VectorXd& Fields::numbers(std::string_view name) const { return get<Eigen::VectorXd>(name); }
const Eigen::MatrixXd& Fields::matrix(std::string_view name) const { return get<Eigen::MatrixXd>(name); }
SparseMatrix Fields::sparse(std::string_view name) const {
  return is_sparse(name) ? get<SparseMatrix>(name) : SparseMatrix(matrix(name).sparseView());
}
const std::vector<Eigen::MatrixXd>& Fields::matrices(std::string_view name) const {
  return get<std::vector<Eigen::MatrixXd>>(name);
}
const std::vector<Set>& Fields::sets(std::string_view name) const { return get<std::vector<Set>>(name); }

Set make_set(std::string_view type, NamedValues values) {
  const SetType& known = set_type(type);
  return known.make(Fields(known, std::move(values)));
}

Set make_set(const Description& description) {
  NamedValues values;
  std::optional<Eigen::VectorXd> anchor;
  for (const auto& [name, value] : description.fields) {
    if (name == "anchor") {
      anchor = std::get<Eigen::VectorXd>(value);
    } else if (const auto* parts = std::get_if<std::vector<Description>>(&value)) {
      std::vector<Set> sets;
      for (const Description& part : *parts) sets.push_back(make_set(part));
      values.emplace_back(name, std::move(sets));
    } else {
      std::visit(
          [&, key = name]<class V>(const V& data) {
            if constexpr (!std::same_as<V, std::vector<Description>>) values.emplace_back(key, data);
          },
          value);
    }
  }
  const Set set = make_set(description.type, std::move(values));
  return anchor ? set.with_anchor(*anchor) : set;
}

}  // namespace softradial
