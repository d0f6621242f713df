#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>

#include "sets/number_text.hpp"
#include "softradial/errors.hpp"
#include "softradial/layer.hpp"

namespace softradial {
namespace {

// Names of the contractions, in the order of the enumeration.
constexpr std::array<std::string_view, 3> kContractions = {"rational", "exponential", "hyperbolic"};

constexpr std::array<std::pair<std::string_view, AnchorSearch>, 3> kSearches{
    {{"auto", AnchorSearch::automatic}, {"chebyshev", AnchorSearch::chebyshev}, {"analytic", AnchorSearch::analytic}}};

// Calls visit(name, field) for every number of a method.
template <class M, class Visit>
void for_each_option(M& method, const Visit& visit) {
  using Plain = std::remove_const_t<M>;
  if constexpr (std::same_as<Plain, SoftRadial>) {
    visit("lambda", method.lambda);
    visit("epsilon", method.epsilon);
  } else if constexpr (std::same_as<Plain, GaugeMap>) {
    visit("lambda", method.lambda);
  } else if constexpr (std::same_as<Plain, SoftOrthogonal>) {
    visit("kappa", method.kappa);
    visit("delta", method.delta);
    visit("steps", method.steps);
  } else if constexpr (std::same_as<Plain, Softmax> || std::same_as<Plain, Mirror>) {
    visit("temperature", method.temperature);
  } else if constexpr (std::same_as<Plain, Dc3>) {
    visit("steps", method.steps);
    visit("learning_rate", method.learning_rate);
    visit("momentum", method.momentum);
    visit("symmetric", method.symmetric);
  } else if constexpr (std::same_as<Plain, HardNet>) {
    visit("steps", method.steps);
  } else if constexpr (std::same_as<Plain, Hp>) {
    visit("couplings", method.couplings);
    visit("hidden", method.hidden);
    visit("training_steps", method.training_steps);
    visit("batch", method.batch);
    visit("learning_rate", method.learning_rate);
    visit("bisections", method.bisections);
    visit("seed", method.seed);
  }
}

template <class Field>
void assign(Field& field, std::string_view name, double value) {
  if constexpr (std::floating_point<Field>) {
    field = value;
  } else {
    if (std::nearbyint(value) != value || value < 0) {
      throw InvalidOption(std::string(name) + " must be a whole number, not " + number_text(value));
    }
    // A count of steps, units or rows beyond this is a mistake, or a model file that is meant to keep its reader busy.
    constexpr double kMost = std::same_as<Field, std::uint64_t> ? 1e9 : 1e5;
    if (value > kMost) {
      throw InvalidOption(std::string(name) + " must be at most " + std::to_string(static_cast<int>(kMost)) + ", not " +
                          number_text(value));
    }
    field = static_cast<Field>(value);
  }
}

}  // namespace

std::vector<std::pair<std::string, double>> method_options(const LayerMethod& method) {
  std::vector<std::pair<std::string, double>> out;
  std::visit(
      [&](const auto& m) {
        for_each_option(
            m, [&](const char* name, const auto& field) { out.emplace_back(name, static_cast<double>(field)); });
      },
      method);
  return out;
}

void set_option(LayerMethod& method, std::string_view name, double value) {
  bool known = false;
  std::visit(
      [&](auto& m) {
        for_each_option(m, [&](const char* field_name, auto& field) {
          if (name != field_name) return;
          assign(field, name, value);
          known = true;
        });
      },
      method);
  if (known) return;
  std::string has;
  for (const auto& [each, number] : method_options(method)) has += (has.empty() ? "" : ", ") + each;
  throw InvalidOption(std::string(method_name(method)) + " has no option '" + std::string(name) + "'; it has " +
                      (has.empty() ? "none" : has));
}

void set_contraction(LayerMethod& method, std::string_view word) {
  const auto place = std::find(kContractions.begin(), kContractions.end(), word);
  if (place == kContractions.end()) {
    throw InvalidOption("contraction '" + std::string(word) +
                        "' is unknown; there are rational, exponential, hyperbolic");
  }
  const auto contraction = static_cast<Contraction>(place - kContractions.begin());
  if (auto* soft = std::get_if<SoftRadial>(&method)) {
    soft->contraction = contraction;
  } else if (auto* map = std::get_if<GaugeMap>(&method)) {
    map->contraction = contraction;
  } else {
    throw InvalidOption(std::string(method_name(method)) + " has no contraction");
  }
}

std::string_view method_contraction(const LayerMethod& method) noexcept {
  if (const auto* soft = std::get_if<SoftRadial>(&method))
    return kContractions[static_cast<std::size_t>(soft->contraction)];
  if (const auto* map = std::get_if<GaugeMap>(&method))
    return kContractions[static_cast<std::size_t>(map->contraction)];
  return {};
}

AnchorSearch anchor_search(std::string_view word) {
  const auto place =
      std::find_if(kSearches.begin(), kSearches.end(), [&](const auto& entry) { return entry.first == word; });
  if (place == kSearches.end()) {
    throw InvalidOption("anchor '" + std::string(word) + "' is unknown; there are auto, chebyshev, analytic");
  }
  return place->second;
}

std::string anchor_word(AnchorSearch search) {
  return std::string(std::find_if(kSearches.begin(), kSearches.end(), [&](const auto& entry) {
                       return entry.second == search;
                     })->first);
}

}  // namespace softradial
