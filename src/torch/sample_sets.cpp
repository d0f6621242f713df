#include "sample_sets.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "eigen_tensors.hpp"
#include "shapes.hpp"
#include "softradial/errors.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets/combinators.hpp"

namespace softradial::ops {
namespace {

// The data that a set may have for each sample; nothing for a set that the table of types does not list.
std::vector<std::string_view> data_names(const Set& set) {
  const std::string name = set->describe().type;
  const auto& types = set_types();
  const auto type = std::ranges::find(types, name, &SetType::name);
  return type == types.end() ? std::vector<std::string_view>() : type->sample_data;
}

bool has_data(const Set& set, std::string_view field) {
  const std::vector<std::string_view> names = data_names(set);
  return std::ranges::find(names, field) != names.end();
}

const std::vector<Set>* parts_of(const Set& set) {
  const auto* intersection = dynamic_cast<const Intersection*>(&*set);
  return intersection == nullptr ? nullptr : &intersection->parts();
}

// These names as a text for messages: "b, f, scale, anchor".
std::string data_words(const Set& set) {
  std::string words;
  if (const auto* parts = parts_of(set)) {
    for (std::size_t k = 0; k < parts->size(); ++k) {
      for (const std::string_view field : data_names((*parts)[k])) {
        words += std::to_string(k) + "." + std::string(field) + ", ";
      }
    }
  }
  for (const std::string_view field : data_names(set)) words += std::string(field) + ", ";
  return words + "scale, anchor";
}

}  // namespace

std::string with_article(const std::string& noun) {
  return (std::string("aeio").find(noun.front()) == std::string::npos ? "a " : "an ") + noun;
}

void refuse_data(const Set& set, const std::string& name) {
  throw InvalidSet(name + ": " + with_article(set->describe().type) + " has no such data, only " + data_words(set));
}

std::string field_of(const std::string& name) { return name.substr(name.rfind('.') + 1); }

std::vector<std::size_t> part_with_data(const Set& set, const std::string& name) {
  const std::vector<Set>* parts = parts_of(set);
  if (parts == nullptr) {
    if (!has_data(set, name)) refuse_data(set, name);
    return {};
  }
  if (const std::size_t dot = name.find('.'); dot != std::string::npos) {
    std::size_t k = 0;
    while (k < parts->size() && std::to_string(k) != name.substr(0, dot)) ++k;
    if (k == parts->size()) refuse_data(set, name);
    std::vector<std::size_t> way = part_with_data((*parts)[k], name.substr(dot + 1));
    way.insert(way.begin(), k);
    return way;
  }
  std::vector<std::vector<std::size_t>> ways;
  for (std::size_t k = 0; k < parts->size(); ++k) {
    if (!has_data((*parts)[k], name)) continue;
    ways.push_back({k});
  }
  if (ways.empty()) refuse_data(set, name);
  if (ways.size() > 1) {
    throw InvalidSet(name + ": several parts of the intersection have it; say which, as " + std::to_string(ways[0][0]) +
                     "." + name + " or " + std::to_string(ways[1][0]) + "." + name);
  }
  return ways.front();
}

SampleSets::SampleSets(const Set& set, const at::Tensor& rows, at::TensorList data, const c10::List<std::string>& names)
    : own_(set), description_(set->describe()), count_(rows.numel() / std::max<int64_t>(1, rows.size(-1))) {
  const at::IntArrayRef batch = rows.sizes().slice(0, rows.dim() - 1);
  // Broadcasts a number, a vector or a matrix over the samples.
  const auto over_samples = [&](const at::Tensor& values, int64_t rank, const std::string& name) {
    at::DimVector shape(batch.begin(), batch.end());
    const int64_t own = std::min<int64_t>(rank, values.dim());
    const auto widths = values.sizes().slice(static_cast<std::size_t>(values.dim() - own));
    shape.insert(shape.end(), widths.begin(), widths.end());
    if (!at::is_expandable_to(values.sizes(), shape)) throw does_not_broadcast(values, name.c_str(), rows, "u");
    at::DimVector flat{count_};
    flat.insert(flat.end(), widths.begin(), widths.end());
    return values.detach().to(at::kCPU, at::kDouble).expand(shape).reshape(flat).contiguous();
  };
  for (std::size_t k = 0; k < data.size(); ++k) {
    const std::string name = names.get(k);
    if (name == "scale") {
      scale_ = over_samples(data[k], 0, name);
    } else if (name == "anchor") {
      anchor_ = over_samples(data[k], 1, name);
    } else {
      Given given{part_with_data(set, name), field_of(name), {}};
      const Set* place = &set;
      for (const std::size_t part : given.parts) place = &(*parts_of(*place))[part];
      const FieldKind kind = set_type((*place)->describe().type).find(given.field)->kind;
      const bool number = kind == FieldKind::number || kind == FieldKind::number_or_infinity;
      const bool matrix = kind == FieldKind::matrix || kind == FieldKind::any_matrix;
      given.values = over_samples(data[k], number ? 0 : matrix ? 2 : 1, name);
      given_.push_back(std::move(given));
    }
  }
}

std::optional<Set> SampleSets::set(int64_t sample) const {
  Description description = description_;
  for (const Given& given : given_) {
    Description* place = &description;
    for (const std::size_t part : given.parts) {
      place = &std::get<std::vector<Description>>(place->fields.front().second)[part];
    }
    const at::Tensor values = given.values[sample];
    Description::Value value = values.dim() == 0   ? Description::Value(values.item<double>())
                               : values.dim() == 1 ? Description::Value(to_vector(values, given.field))
                                                   : Description::Value(to_matrix(values, given.field));
    const auto field =
        std::ranges::find(place->fields, given.field, &std::pair<std::string, Description::Value>::first);
    if (field == place->fields.end()) {
      place->fields.emplace_back(given.field, std::move(value));
    } else {
      field->second = std::move(value);
    }
  }
  try {
    Set set = make_set(description);
    if (scale_.defined()) set = Scaled(set, scale_[sample].item<double>());
    return own_.anchor() && given_.empty() && !scale_.defined() ? set.with_anchor(*own_.anchor()) : set;
  } catch (const InvalidSet&) {
    return std::nullopt;
  }
}

std::optional<Eigen::VectorXd> SampleSets::anchor(int64_t sample) const {
  if (!anchor_.defined()) return std::nullopt;
  return to_vector(anchor_[sample], "anchor");
}

}  // namespace softradial::ops
