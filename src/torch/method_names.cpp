#include "method_names.hpp"

#include "softradial/errors.hpp"
#include "softradial/layer.hpp"

namespace softradial::ops {

Method make_method(const std::string& method, const std::string& contraction, double lambda, double epsilon) {
  LayerMethod chosen = method_named(method);
  if (!method_contraction(chosen).empty()) {
    set_contraction(chosen, contraction);
    set_option(chosen, "lambda", lambda);
  }
  if (std::holds_alternative<SoftRadial>(chosen)) set_option(chosen, "epsilon", epsilon);
  const auto map = radial_method(chosen);
  if (!map) throw InvalidOption("method '" + method + "' is no radial map");
  return *map;
}

MethodNames method_names(const Method& method) {
  return std::visit(
      [](const auto& m) {
        const LayerMethod layer = m;
        MethodNames names{.method = std::string(method_name(layer)), .contraction = "rational"};
        if (!method_contraction(layer).empty()) names.contraction = method_contraction(layer);
        for (const auto& [name, value] : method_options(layer))
          (name == "lambda" ? names.lambda : names.epsilon) = value;
        return names;
      },
      method);
}

}  // namespace softradial::ops
