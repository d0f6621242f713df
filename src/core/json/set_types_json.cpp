#include <nlohmann/json.hpp>
#include <string_view>

#include "softradial/set_json.hpp"
#include "softradial/set_type.hpp"

namespace softradial {
namespace {

constexpr std::string_view kind_name(FieldKind kind) {
  switch (kind) {
    case FieldKind::count:
      return "count";
    case FieldKind::number:
      return "number";
    case FieldKind::number_or_infinity:
      return "number_or_infinity";
    case FieldKind::number_or_numbers:
      return "number_or_numbers";
    case FieldKind::numbers:
      return "numbers";
    case FieldKind::lower_bounds:
      return "lower_bounds";
    case FieldKind::upper_bounds:
      return "upper_bounds";
    case FieldKind::matrix:
      return "matrix";
    case FieldKind::any_matrix:
      return "any_matrix";
    case FieldKind::matrices:
      return "matrices";
    case FieldKind::set:
      return "set";
    case FieldKind::sets:
      return "sets";
  }
  return "unknown";
}

}  // namespace

std::string set_types_json() {
  nlohmann::json all = nlohmann::json::array();
  for (const SetType& type : set_types()) {
    nlohmann::json fields = nlohmann::json::array();
    for (const Field& field : type.fields) {
      nlohmann::json entry{{"name", field.name},
                           {"kind", kind_name(field.kind)},
                           {"required", field.presence == Field::Presence::required},
                           {"meaning", field.meaning}};
      if (field.otherwise) entry["otherwise"] = *field.otherwise;
      fields.push_back(std::move(entry));
    }
    all.push_back({{"name", type.name},
                   {"title", type.title},
                   {"formula", type.formula},
                   {"fields", fields},
                   {"sample_data", type.sample_data},
                   {"example", nlohmann::json::parse(type.example)}});
  }
  return all.dump();
}

}  // namespace softradial
