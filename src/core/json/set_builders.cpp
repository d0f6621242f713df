#include "json/set_builders.hpp"

#include <limits>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "json/json_document.hpp"
#include "softradial/set_type.hpp"

namespace softradial::json {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Set> parts_of(const JsonNode& list) {
  std::vector<Set> parts;
  parts.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) parts.push_back(build_set(list[i]));
  return parts;
}

std::vector<Eigen::MatrixXd> matrices_of(const JsonNode& list) {
  std::vector<Eigen::MatrixXd> matrices;
  matrices.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) matrices.push_back(list[i].matrix());
  return matrices;
}

double number_or_infinity(const JsonNode& node) {
  if (!node.is_text()) return node.number();
  if (node.text() != "inf") node.fail_expected("a number or \"inf\"");
  return kInfinity;
}

FieldValue value_of(const JsonNode& node, FieldKind kind) {
  switch (kind) {
    case FieldKind::count:
      return static_cast<double>(node.count(1));
    case FieldKind::number:
      return node.number();
    case FieldKind::number_or_infinity:
      return number_or_infinity(node);
    case FieldKind::number_or_numbers:
      return node.is_list() ? FieldValue(node.vector()) : FieldValue(node.number());
    case FieldKind::numbers:
      return node.vector();
    case FieldKind::lower_bounds:
      return node.vector(-kInfinity);
    case FieldKind::upper_bounds:
      return node.vector(kInfinity);
    case FieldKind::matrix:
      return node.matrix();
    case FieldKind::any_matrix:
      return node.is_object() ? FieldValue(node.sparse_matrix()) : FieldValue(node.matrix());
    case FieldKind::matrices:
      return matrices_of(node);
    case FieldKind::set:
      return std::vector{build_set(node)};
    case FieldKind::sets:
      return parts_of(node);
  }
  node.fail("is of an unknown kind");
}

const SetType& type_of(const JsonNode& node) {
  const JsonNode name = node.at("type");
  std::string known;
  for (const SetType& type : set_types()) {
    if (type.name == name.text()) return type;
    known.append(known.empty() ? "" : ", ").append(type.name);
  }
  name.fail("unknown set type " + excerpt(name.text()) + "; known are " + known);
}

// Fields are read in the order in which the type lists them: the first wrong one is the one that is reported.
NamedValues values_of(const JsonNode& node, const SetType& type) {
  NamedValues values;
  for (const Field& field : type.fields) {
    const bool required = field.presence == Field::Presence::required;
    const auto found = required ? std::optional(node.at(field.name)) : node.find(field.name);
    if (found) values.emplace_back(field.name, value_of(*found, field.kind));
  }
  return values;
}

// Makes the set. Its complaints get the place in the document in front.
Set make_at(const JsonNode& node, const SetType& type, NamedValues values) {
  try {
    return make_set(type.name, std::move(values));
  } catch (const FieldError& error) {
    node.at(error.field()).fail(error.what_is_wrong());
  } catch (const MissingField& error) {
    (void)node.at(error.field());
    throw;
  } catch (const Error& error) {
    node.fail(error.what());
  }
}

// Parts of a set have no names of their own.
enum class Place { document, part };

std::vector<std::string> names_of(const JsonNode& list, std::size_t dim) {
  if (list.size() != dim) {
    list.fail("expected " + std::to_string(dim) + " names, got " + std::to_string(list.size()));
  }
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < dim; ++i) {
    const JsonNode item = list[i];
    if (item.text().empty()) item.fail("is empty");
    if (!seen.insert(item.text()).second) item.fail("the name " + excerpt(item.text()) + " is given twice");
    names.push_back(item.text());
  }
  return names;
}

Set build(const JsonNode& node, Place place) {
  const SetType& type = type_of(node);
  std::vector<std::string_view> keys = {"type"};
  for (const Field& field : type.fields) keys.push_back(field.name);
  keys.emplace_back("anchor");
  if (place == Place::document && node.find("names")) keys.emplace_back("names");
  node.allow_only(keys, type.name);

  Set set = make_at(node, type, values_of(node, type));
  const auto anchor = node.find("anchor");
  if (!anchor) return set;
  Eigen::VectorXd point = anchor->vector();
  if (static_cast<std::size_t>(point.size()) != set.dim()) {
    anchor->fail("expected " + std::to_string(set.dim()) + " numbers, got " + std::to_string(anchor->size()));
  }
  return set.with_anchor(std::move(point));
}

}  // namespace

Set build_set(const JsonNode& node) { return build(node, Place::part); }

NamedSet build_named_set(const JsonNode& node) {
  NamedSet named{build(node, Place::document), {}};
  if (const auto names = node.find("names")) named.names = names_of(*names, named.set.dim());
  return named;
}

}  // namespace softradial::json
