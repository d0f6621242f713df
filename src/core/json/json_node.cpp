#include "json/json_node.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <vector>

#include "json/json_document.hpp"
#include "sets/validation.hpp"

namespace softradial::json {

void JsonNode::fail(std::string_view what) const { json::fail(origin_, where_, what); }

void JsonNode::fail_expected(std::string_view what) const {
  fail("expected " + std::string(what) + ", got " + excerpt(*value_));
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  if (!value_->is_object()) fail_expected("an object");
  const auto it = value_->find(key);
  if (it == value_->end()) return std::nullopt;
  return JsonNode(*it, origin_, where_ + (where_.empty() ? "" : ".") + std::string(key));
}

JsonNode JsonNode::at(std::string_view key) const {
  if (auto node = find(key)) return *std::move(node);
  fail("the key \"" + std::string(key) + "\" is missing");
}

void JsonNode::allow_only(std::span<const std::string_view> known, std::string_view name) const {
  if (!value_->is_object()) fail_expected("an object");
  for (const auto& item : value_->items()) {
    if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
    std::string message = "unknown key " + excerpt(item.key()) + "; " + std::string(name) + " has";
    for (const std::string_view key : known) message.append(key == known.front() ? " " : ", ").append(key);
    fail(message);
  }
}

std::size_t JsonNode::size() const {
  if (!value_->is_array()) fail_expected("a list");
  return value_->size();
}

JsonNode JsonNode::operator[](std::size_t index) const {
  return {(*value_)[index], origin_, where_ + "[" + std::to_string(index) + "]"};
}

double JsonNode::number() const {
  if (!value_->is_number()) fail_expected("a number");
  return value_->get<double>();
}

const std::string& JsonNode::text() const {
  if (!value_->is_string()) fail_expected("a string");
  return value_->get_ref<const std::string&>();
}

std::size_t JsonNode::count(std::size_t least) const {
  const double value = number();
  if (!(value >= static_cast<double>(least)) || value != std::floor(value)) {
    fail_expected("a whole number of at least " + std::to_string(least));
  }
  if (value > static_cast<double>(kMaxDim)) fail_expected("at most " + std::to_string(kMaxDim));
  return static_cast<std::size_t>(value);
}

std::size_t JsonNode::index(std::size_t end) const {
  const double value = number();
  if (!(value >= 0 && value < static_cast<double>(end)) || value != std::floor(value)) {
    fail_expected("an index below " + std::to_string(end));
  }
  return static_cast<std::size_t>(value);
}

Eigen::VectorXd JsonNode::vector(std::optional<double> null_means) const {
  if (!value_->is_array()) fail_expected("a list of numbers");
  Eigen::VectorXd result(static_cast<Eigen::Index>(size()));
  Eigen::Index i = 0;
  for (const nlohmann::json& item : *value_) {
    if (item.is_number()) {
      result[i] = item.get<double>();
    } else if (null_means && item.is_null()) {
      result[i] = *null_means;
    } else {
      (*this)[static_cast<std::size_t>(i)].fail_expected(null_means ? "a number or null" : "a number");
    }
    ++i;
  }
  return result;
}

Eigen::MatrixXd JsonNode::matrix() const {
  if (!value_->is_array()) fail_expected("a list of rows");
  Eigen::MatrixXd result;
  for (std::size_t i = 0; i < size(); ++i) {
    const JsonNode row_node = (*this)[i];
    const Eigen::VectorXd row = row_node.vector();
    if (row.size() == 0) row_node.fail("is an empty row");
    if (i == 0) result.resize(static_cast<Eigen::Index>(size()), row.size());
    if (row.size() != result.cols()) {
      row_node.fail("expected " + std::to_string(result.cols()) + " numbers as in the first row, got " +
                    std::to_string(row.size()));
    }
    result.row(static_cast<Eigen::Index>(i)) = row.transpose();
  }
  return result;
}

SparseMatrix JsonNode::sparse_matrix() const {
  static constexpr std::string_view kKeys[] = {"rows", "cols", "entries"};
  allow_only(kKeys, "a sparse matrix");
  const std::size_t rows = at("rows").count(0);
  const std::size_t cols = at("cols").count(1);
  const JsonNode entries = at("entries");

  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries.size());
  std::unordered_set<std::size_t> taken;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const JsonNode entry = entries[k];
    if (!entry.is_list() || entry.size() != 3) entry.fail_expected("[row, column, value]");
    const std::size_t i = entry[0].index(rows);
    const std::size_t j = entry[1].index(cols);
    if (!taken.insert(i * cols + j).second) {
      entry.fail("the entry (" + std::to_string(i) + ", " + std::to_string(j) + ") is given twice");
    }
    triplets.emplace_back(static_cast<int>(i), static_cast<int>(j), entry[2].number());
  }
  SparseMatrix result(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(cols));
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

}  // namespace softradial::json
