#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "json/json_document.hpp"
#include "sets/combinators/parts.hpp"
#include "sets/number_text.hpp"
#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"
#include "softradial/set_type.hpp"

namespace softradial {
namespace {

// The shortest decimal that reads back as the same double. An open side is null; a bare "-0" would read back as the
// integer 0.
std::string json_text(double value) {
  if (std::isinf(value)) return "null";
  if (value == 0 && std::signbit(value)) return "-0.0";
  return number_text(value);
}

template <class Items, class Text>
std::string list_text(const Items& items, Text text) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ", ";
    out += text(item);
  }
  return out + "]";
}

std::string json_text(const Eigen::VectorXd& values) {
  return list_text(values, [](double value) { return json_text(value); });
}

std::string dense_text(const Eigen::MatrixXd& matrix) {
  return list_text(matrix.rowwise(), [](const auto& row) { return json_text(Eigen::VectorXd(row)); });
}

std::string sparse_text(const SparseMatrix& matrix) {
  std::string entries;
  for (Eigen::Index i = 0; i < matrix.outerSize(); ++i) {
    for (SparseMatrix::InnerIterator entry(matrix, i); entry; ++entry) {
      entries.append(entries.empty() ? "[" : ", [").append(std::to_string(i)).append(", ");
      entries.append(std::to_string(entry.col())).append(", ").append(json_text(entry.value())).append("]");
    }
  }
  return "{\"rows\": " + std::to_string(matrix.rows()) + ", \"cols\": " + std::to_string(matrix.cols()) +
         ", \"entries\": [" + entries + "]}";
}

std::string json_text(const Description& description);

// Writes the value of one field in the form of its kind.
struct ValueText {
  FieldKind kind;

  std::string operator()(double value) const {
    return kind == FieldKind::number_or_infinity && std::isinf(value) ? "\"inf\"" : json_text(value);
  }
  std::string operator()(const Eigen::VectorXd& values) const { return json_text(values); }
  std::string operator()(const Eigen::MatrixXd& matrix) const { return dense_text(matrix); }
  std::string operator()(const SparseMatrix& matrix) const { return sparse_text(matrix); }
  std::string operator()(const std::vector<Eigen::MatrixXd>& matrices) const { return list_text(matrices, dense_text); }
  std::string operator()(const std::vector<Description>& parts) const {
    if (kind == FieldKind::set) return json_text(parts.front());
    return list_text(parts, [](const Description& part) { return json_text(part); });
  }
};

std::string json_text(const Description& description) {
  const SetType& type = set_type(description.type);
  std::string out = "{\"type\": \"" + description.type + "\"";
  for (const auto& [key, value] : description.fields) {
    const Field* const field = type.find(key);  // null for the anchor
    out += ", \"" + key + "\": ";
    out += std::visit(ValueText{field != nullptr ? field->kind : FieldKind::numbers}, value);
  }
  return out + "}";
}

}  // namespace

std::string to_json(const Set& set) {
  const Description description = described(set);
  if (is_opaque(description)) {
    throw InvalidSet(description.type + ": a function given as a callable cannot be written as JSON");
  }
  return json_text(description);
}

std::string to_json(const NamedSet& named) {
  std::string text = to_json(named.set);
  if (named.names.empty()) return text;
  text.pop_back();
  return text + ", \"names\": " + nlohmann::json(named.names).dump() + "}";
}

}  // namespace softradial
