#include "method_names.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "softradial/errors.hpp"

namespace softradial::ops {
namespace {

template <class Value, std::size_t kCount>
using Words = std::array<std::pair<std::string_view, Value>, kCount>;

constexpr Words<Contraction, 3> kContractions{{{"rational", Contraction::rational},
                                               {"exponential", Contraction::exponential},
                                               {"hyperbolic", Contraction::hyperbolic}}};
constexpr Words<AnchorSearch, 3> kSearches{
    {{"auto", AnchorSearch::automatic}, {"chebyshev", AnchorSearch::chebyshev}, {"analytic", AnchorSearch::analytic}}};

enum class Kind { soft_radial, hard_radial, gauge_map };
constexpr Words<Kind, 3> kMethods{
    {{"soft_radial", Kind::soft_radial}, {"hard_radial", Kind::hard_radial}, {"gauge_map", Kind::gauge_map}}};

template <class Value, std::size_t kCount>
Value find(const Words<Value, kCount>& words, std::string_view word, std::string_view what) {
  std::string known;
  for (const auto& [name, value] : words) {
    if (name == word) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw InvalidOption(std::string(what) + ": '" + std::string(word) + "' is none of " + known);
}

std::string name_of(Contraction contraction) {
  for (const auto& [name, value] : kContractions) {
    if (value == contraction) return std::string(name);
  }
  return {};
}

struct NamesOf {
  MethodNames operator()(const SoftRadial& m) const {
    return {"soft_radial", name_of(m.contraction), m.lambda, m.epsilon};
  }
  MethodNames operator()(const HardRadial&) const { return {.method = "hard_radial", .contraction = "rational"}; }
  MethodNames operator()(const GaugeMap& m) const {
    return {.method = "gauge_map", .contraction = name_of(m.contraction), .lambda = m.lambda};
  }
};

}  // namespace

Method make_method(const std::string& method, const std::string& contraction, double lambda, double epsilon) {
  const Contraction kind = find(kContractions, contraction, "contraction");
  switch (find(kMethods, method, "method")) {
    case Kind::soft_radial:
      return SoftRadial{kind, lambda, epsilon};
    case Kind::hard_radial:
      return HardRadial{};
    case Kind::gauge_map:
      return GaugeMap{kind, lambda};
  }
  return {};
}

MethodNames method_names(const Method& method) { return std::visit(NamesOf{}, method); }

AnchorSearch anchor_search(const std::string& word) { return find(kSearches, word, "anchor"); }

std::string anchor_word(AnchorSearch search) {
  return std::string(std::ranges::find(kSearches, search, [](const auto& entry) { return entry.second; })->first);
}

}  // namespace softradial::ops
