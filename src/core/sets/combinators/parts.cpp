#include "sets/combinators/parts.hpp"

#include <algorithm>

#include "softradial/errors.hpp"

namespace softradial {
namespace {

std::string part_name(std::size_t k, const std::string& name) { return "sets[" + std::to_string(k) + "]: " + name; }

LinearSystem::Row row_of_part(LinearSystem::Row row, std::size_t k, std::size_t first_column) {
  row.name = part_name(k, row.name);
  for (LinearSystem::Entry& entry : row.entries) entry.column += first_column;
  return row;
}

}  // namespace

Description described(const Set& set) {
  Description description = set->describe();
  if (set.anchor()) description.fields.emplace_back("anchor", *set.anchor());
  return description;
}

std::vector<Description> described(const std::vector<Set>& parts) {
  std::vector<Description> descriptions;
  descriptions.reserve(parts.size());
  for (const Set& part : parts) descriptions.push_back(described(part));
  return descriptions;
}

bool is_opaque(const Description& description) {
  const auto& fields = description.fields;
  const auto is_data = [](const auto& field) { return field.first != "dim" && field.first != "anchor"; };
  if (std::none_of(fields.begin(), fields.end(), is_data)) return true;
  return std::any_of(fields.begin(), fields.end(), [](const auto& field) {
    const auto* parts = std::get_if<std::vector<Description>>(&field.second);
    return parts != nullptr && std::any_of(parts->begin(), parts->end(), is_opaque);
  });
}

std::size_t count_inequalities(const std::vector<Set>& parts) {
  std::size_t count = 0;
  for (const Set& part : parts) count += part->num_inequalities();
  return count;
}

std::string inequality_of_part(const std::vector<Set>& parts, std::size_t index) {
  std::size_t k = 0;
  while (index >= parts[k]->num_inequalities()) index -= parts[k++]->num_inequalities();
  return part_name(k, parts[k]->inequality_name(index));
}

bool append_part(const std::vector<Set>& parts, std::size_t k, std::size_t first_column, LinearSystem& out) {
  LinearSystem inner(parts[k].dim());
  const bool all_linear = parts[k]->append_linear(inner);
  for (const auto& row : inner.inequalities()) out.add_inequality(row_of_part(row, k, first_column));
  for (const auto& row : inner.equalities()) out.add_equality(row_of_part(row, k, first_column));
  return all_linear;
}

std::optional<Eigen::VectorXd> given_or_closed_form_anchor(const Set& set) {
  if (!set.anchor()) return set->closed_form_anchor();
  const auto size = static_cast<std::size_t>(set.anchor()->size());
  if (size != set.dim()) {
    throw ShapeError("anchor: it has " + std::to_string(size) + " entries, the set has dimension " +
                     std::to_string(set.dim()));
  }
  return set.anchor();
}

}  // namespace softradial
