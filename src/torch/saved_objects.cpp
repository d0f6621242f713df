#include "saved_objects.hpp"

#include <ATen/ATen.h>

#include "eigen_tensors.hpp"
#include "method_names.hpp"
#include "softradial/set_json.hpp"

namespace softradial::ops {
namespace {

ProjectionOptions anchor_options(const std::string& search, const MaybeTensor& point) {
  ProjectionOptions options;
  options.anchor = anchor_search(search);
  if (point) options.anchor_point = to_vector(*point, "anchor");
  return options;
}

}  // namespace

MapPtr make_map(const SetPtr& set, const std::string& method, const std::string& contraction, double lambda,
                double epsilon, const std::string& search, const MaybeTensor& anchor) {
  return c10::make_intrusive<MapObject>(set, make_method(method, contraction, lambda, epsilon),
                                        anchor_options(search, anchor));
}

SavedMap save_map(const MapPtr& map) {
  const MethodNames names = method_names(map->method());
  const Eigen::VectorXd& point = map->anchor().point;
  Numbers numbers{names.lambda, names.epsilon};
  numbers.insert(numbers.end(), point.begin(), point.end());
  return {to_json(map->set()->set()), {names.method, names.contraction}, std::move(numbers)};
}

MapPtr load_map(const SavedMap& saved) {
  const auto& [json, words, numbers] = saved;
  return make_map(read_set(json), words.at(0), words.at(1), numbers.at(0), numbers.at(1), "auto",
                  at::tensor(c10::ArrayRef<double>(numbers).slice(2), at::kDouble));
}

LayerObjectPtr make_layer_object(const SetPtr& set, const std::string& method, const std::string& contraction,
                                 const LayerOptions& options, const std::string& search, const MaybeTensor& anchor) {
  LayerMethod chosen = method_named(method);
  if (!contraction.empty()) set_contraction(chosen, contraction);
  for (const auto& option : options) set_option(chosen, option.key(), option.value());
  return c10::make_intrusive<LayerObject>(set, chosen, anchor_options(search, anchor));
}

SavedLayer save_layer(const LayerObjectPtr& layer) {
  LayerOptions options;
  for (const auto& [name, value] : method_options(layer->method())) options.insert(name, value);
  const auto& point = layer->options().anchor_point;
  return {to_json(layer->set()->set()),
          {std::string(softradial::method_name(layer->method())), std::string(method_contraction(layer->method())),
           anchor_word(layer->options().anchor)},
          options,
          point ? Numbers(point->begin(), point->end()) : Numbers()};
}

LayerObjectPtr load_layer(const SavedLayer& saved) {
  const auto& [json, words, options, point] = saved;
  return make_layer_object(read_set(json), words.at(0), words.at(1), options, words.at(2),
                           point.empty() ? MaybeTensor() : at::tensor(point, at::kDouble));
}

}  // namespace softradial::ops
