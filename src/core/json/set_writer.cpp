#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "json/json_document.hpp"
#include "sets/number_text.hpp"
#include "sets/parts.hpp"
#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"

namespace softradial {
namespace {

// Polyhedra say in this field how their matrices are kept; in SET.json the form of the matrices says it.
constexpr std::string_view kStorage = "storage";

enum class Storage { dense, sparse };

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

std::string sparse_text(const Eigen::MatrixXd& matrix) {
  std::string entries;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      if (matrix(i, j) == 0) continue;
      entries.append(entries.empty() ? "[" : ", [").append(std::to_string(i)).append(", ");
      entries.append(std::to_string(j)).append(", ").append(json_text(matrix(i, j))).append("]");
    }
  }
  return "{\"rows\": " + std::to_string(matrix.rows()) + ", \"cols\": " + std::to_string(matrix.cols()) +
         ", \"entries\": [" + entries + "]}";
}

std::string json_text(const Description& description);

// One field's value, whatever its kind.
class ValueText {
 public:
  ValueText(std::string_view key, Storage storage) : key_(key), storage_(storage) {}

  // The only number that may be infinite by itself is the p of an lp ball.
  std::string operator()(double value) const { return key_ == "p" && std::isinf(value) ? "\"inf\"" : json_text(value); }
  std::string operator()(const std::string& value) const { return nlohmann::json(value).dump(); }
  std::string operator()(const Eigen::VectorXd& values) const { return json_text(values); }
  std::string operator()(const Eigen::MatrixXd& matrix) const {
    return storage_ == Storage::sparse ? sparse_text(matrix) : dense_text(matrix);
  }
  std::string operator()(const std::vector<Eigen::MatrixXd>& matrices) const { return list_text(matrices, dense_text); }
  // "set" is one of them, "sets" is a list.
  std::string operator()(const std::vector<Description>& parts) const {
    if (key_ == "set") return json_text(parts.front());
    return list_text(parts, [](const Description& part) { return json_text(part); });
  }

 private:
  std::string_view key_;
  Storage storage_;
};

// A dense matrix without rows is written as [], which does not tell the columns.
std::string dimension_text(const Description& description) {
  const auto& [key, value] = description.fields.front();
  const auto* matrix = std::get_if<Eigen::MatrixXd>(&value);
  if (description.type != "polyhedron" || matrix == nullptr || matrix->rows() > 0) return "";
  return ", \"dim\": " + std::to_string(matrix->cols());
}

std::string json_text(const Description& description) {
  const auto& fields = description.fields;
  const bool sparse = std::ranges::any_of(fields, [](const auto& field) { return field.first == kStorage; });
  std::string out = "{\"type\": \"" + description.type + "\"" + dimension_text(description);
  for (const auto& [key, value] : fields) {
    if (key == kStorage) continue;
    out += ", \"" + key + "\": ";
    out += std::visit(ValueText(key, sparse ? Storage::sparse : Storage::dense), value);
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

}  // namespace softradial
