#include "method_names.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "softradial/errors.hpp"
#include "softradial/layer.hpp"

namespace softradial::ops {
namespace {

constexpr std::array<std::pair<std::string_view, AnchorSearch>, 3> kSearches{
    {{"auto", AnchorSearch::automatic}, {"chebyshev", AnchorSearch::chebyshev}, {"analytic", AnchorSearch::analytic}}};

}  // namespace

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

AnchorSearch anchor_search(const std::string& word) {
  const auto place = std::ranges::find(kSearches, word, [](const auto& entry) { return entry.first; });
  if (place == kSearches.end()) {
    throw InvalidOption("anchor '" + word + "' is unknown; there are auto, chebyshev, analytic");
  }
  return place->second;
}

std::string anchor_word(AnchorSearch search) {
  return std::string(std::ranges::find(kSearches, search, [](const auto& entry) { return entry.second; })->first);
}

}  // namespace softradial::ops
