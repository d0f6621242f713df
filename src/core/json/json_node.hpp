#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "softradial/description.hpp"

namespace softradial::json {

// A value of the document that knows its place in it. Anything unexpected throws InvalidSet, naming the place and
// the value. A view: the document outlives it.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, std::string_view origin, std::string where = "")
      : value_(&value), origin_(origin), where_(std::move(where)) {}

  [[noreturn]] void fail(std::string_view what) const;
  // Throws with the text "<what>, got <this value>".
  [[noreturn]] void fail_expected(std::string_view what) const;

  // For objects. `at` fails if the key is missing.
  [[nodiscard]] std::optional<JsonNode> find(std::string_view key) const;
  [[nodiscard]] JsonNode at(std::string_view key) const;
  // Fails at the first key that is not one of `known`; the message calls this object `name`.
  void allow_only(std::span<const std::string_view> known, std::string_view name) const;

  // For lists.
  [[nodiscard]] bool is_list() const noexcept { return value_->is_array(); }
  [[nodiscard]] bool is_object() const noexcept { return value_->is_object(); }
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] JsonNode operator[](std::size_t index) const;

  [[nodiscard]] double number() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] bool is_text() const noexcept { return value_->is_string(); }
  // A whole number of at least `least` and at most kMaxDim.
  [[nodiscard]] std::size_t count(std::size_t least) const;

  // A list of numbers. Where `null_means` is given, null stands for it.
  [[nodiscard]] Eigen::VectorXd vector(std::optional<double> null_means = std::nullopt) const;
  // A list of rows of one length. The empty list is a matrix of no rows and no columns.
  [[nodiscard]] Eigen::MatrixXd matrix() const;
  // {"rows": m, "cols": n, "entries": [[i, j, value], ...]}, each place at most once.
  [[nodiscard]] SparseMatrix sparse_matrix() const;

 private:
  [[nodiscard]] std::size_t index(std::size_t end) const;

  const nlohmann::json* value_;
  std::string_view origin_;
  std::string where_;
};

}  // namespace softradial::json
