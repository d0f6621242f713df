#include "softradial/layer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "builders.hpp"
#include "softradial/errors.hpp"

namespace softradial {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
// Stated for clang 14, which does not deduce aggregates.
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

// In the order of LayerMethod's alternatives.
constexpr std::array<std::string_view, std::variant_size_v<LayerMethod>> kNames = {
    "soft_radial", "hard_radial", "gauge_map", "softmax",    "orthogonal", "dc3", "hardnet",
    "hardnet_aff", "hardnet_cvx", "rayen",     "ray_scalar", "hop",        "hp",  "soft_penalty"};

template <std::size_t... kIndices>
LayerMethod default_method(std::size_t index, std::index_sequence<kIndices...>) {
  LayerMethod method;
  static_cast<void>(((kIndices == index && (method.emplace<kIndices>(), true)) || ...));
  return method;
}

}  // namespace

std::string_view method_name(const LayerMethod& method) noexcept { return kNames[method.index()]; }

std::vector<std::string_view> method_names() { return {kNames.begin(), kNames.end()}; }

LayerMethod method_named(std::string_view name) {
  const auto place = std::ranges::find(kNames, name);
  if (place == kNames.end()) {
    std::string known;
    for (const std::string_view each : kNames) known += (known.empty() ? "" : ", ") + std::string(each);
    throw InvalidOption("method '" + std::string(name) + "' is unknown; there are " + known);
  }
  return default_method(static_cast<std::size_t>(place - kNames.begin()), std::make_index_sequence<kNames.size()>());
}

std::optional<Method> radial_method(const LayerMethod& method) noexcept {
  if (const auto* m = std::get_if<SoftRadial>(&method)) return *m;
  if (const auto* m = std::get_if<HardRadial>(&method)) return *m;
  if (const auto* m = std::get_if<GaugeMap>(&method)) return *m;
  return std::nullopt;
}

template <class T>
std::size_t Layer<T>::evaluate(Rows<const T> u, Rows<T> x) const {
  return project(u, x, {});
}
template std::size_t Layer<float>::evaluate(Rows<const float>, Rows<float>) const;
template std::size_t Layer<double>::evaluate(Rows<const double>, Rows<double>) const;

template <class T>
LayerPtr<T> make_layer(const Set& set, const LayerMethod& method, const ProjectionOptions& options) {
  using namespace layers;
  return std::visit(Overloaded{[&](const SoftRadial& m) { return make_radial<T>(set, m, options); },
                               [&](const HardRadial& m) { return make_radial<T>(set, m, options); },
                               [&](const GaugeMap& m) { return make_radial<T>(set, m, options); },
                               [&](const Softmax& m) { return make_softmax<T>(set, m); },
                               [&](const Orthogonal&) { return make_orthogonal<T>(set, "orthogonal"); },
                               [&](const Dc3& m) { return make_dc3<T>(set, m); },
                               [&](const HardNet& m) { return make_hardnet<T>(set, m); },
                               [&](const HardNetAff&) { return make_hardnet_aff<T>(set); },
                               [&](const HardNetCvx&) { return make_hardnet_cvx<T>(set); },
                               [&](const Rayen&) { return make_rayen<T>(set, options); },
                               [&](const RayScalar&) { return make_ray_scalar<T>(set, options); },
                               [&](const Hop&) { return make_hop<T>(set, options); },
                               [&](const Hp& m) { return make_hp<T>(set, m, options); },
                               [&](const SoftPenalty&) { return make_soft_penalty<T>(set); }},
                    method);
}
template LayerPtr<float> make_layer<float>(const Set&, const LayerMethod&, const ProjectionOptions&);
template LayerPtr<double> make_layer<double>(const Set&, const LayerMethod&, const ProjectionOptions&);

namespace layers {

void reject_set(std::string_view method, std::string_view supports, const Set& set) {
  throw InvalidSet(std::string(method) + " supports " + std::string(supports) + ", not a set of type " +
                   set->describe().type);
}

}  // namespace layers
}  // namespace softradial
