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
// Stated for clang 14, which does not deduce the template arguments of aggregates.
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

struct MethodWords {
  std::string_view name;
  std::string_view title;
};

// Names of the methods, in the order of LayerMethod's alternatives.
constexpr std::array<MethodWords, std::variant_size_v<LayerMethod>> kWords = {{{"soft_radial", "SoftRadial"},
                                                                               {"hard_radial", "HardRadial"},
                                                                               {"gauge_map", "GaugeMap"},
                                                                               {"soft_orthogonal", "SoftOrthogonal"},
                                                                               {"mirror", "Mirror"},
                                                                               {"softmax", "Softmax"},
                                                                               {"orthogonal", "Orthogonal"},
                                                                               {"dc3", "Dc3"},
                                                                               {"hardnet", "HardNet"},
                                                                               {"hardnet_aff", "HardNetAff"},
                                                                               {"hardnet_cvx", "HardNetCvx"},
                                                                               {"rayen", "Rayen"},
                                                                               {"ray_scalar", "RayScalar"},
                                                                               {"hop", "Hop"},
                                                                               {"hp", "Hp"},
                                                                               {"soft_penalty", "SoftPenalty"}}};

template <std::size_t... kIndices>
LayerMethod default_method(std::size_t index, std::index_sequence<kIndices...>) {
  LayerMethod method;
  static_cast<void>(((kIndices == index && (method.emplace<kIndices>(), true)) || ...));
  return method;
}

}  // namespace

std::string_view method_name(const LayerMethod& method) noexcept { return kWords[method.index()].name; }

std::string_view method_title(const LayerMethod& method) noexcept { return kWords[method.index()].title; }

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  names.reserve(kWords.size());
  for (const MethodWords& words : kWords) names.push_back(words.name);
  return names;
}

LayerMethod method_named(std::string_view name) {
  const auto place =
      std::find_if(kWords.begin(), kWords.end(), [&](const MethodWords& words) { return words.name == name; });
  if (place == kWords.end()) {
    std::string known;
    for (const std::string_view each : method_names()) known += (known.empty() ? "" : ", ") + std::string(each);
    throw InvalidOption("method '" + std::string(name) + "' is unknown; there are " + known);
  }
  return default_method(static_cast<std::size_t>(place - kWords.begin()), std::make_index_sequence<kWords.size()>());
}

std::optional<Method> radial_method(const LayerMethod& method) noexcept {
  if (const auto* m = std::get_if<SoftRadial>(&method)) return *m;
  if (const auto* m = std::get_if<HardRadial>(&method)) return *m;
  if (const auto* m = std::get_if<GaugeMap>(&method)) return *m;
  return std::nullopt;
}

bool has_inverse(const LayerMethod& method) noexcept {
  return radial_method(method) || std::holds_alternative<SoftOrthogonal>(method) ||
         std::holds_alternative<Mirror>(method);
}

std::string methods_with(bool (*quality)(const LayerMethod&)) {
  std::vector<std::string_view> names = method_names();
  std::erase_if(names, [&](std::string_view name) { return !quality(method_named(name)); });
  std::string words;
  for (std::size_t i = 0; i < names.size(); ++i) {
    words += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + std::string(names[i]);
  }
  return words;
}

bool has_anchor(const LayerMethod& method) noexcept {
  return radial_method(method) || std::holds_alternative<SoftOrthogonal>(method) ||
         std::holds_alternative<Rayen>(method) || std::holds_alternative<RayScalar>(method) ||
         std::holds_alternative<Hop>(method) || std::holds_alternative<Hp>(method);
}

template <class T>
std::size_t Layer<T>::evaluate(Rows<const T> u, Rows<T> x) const {
  return project(u, x, {});
}
namespace {
[[noreturn]] void refuse(const char* quantity) { throw NotAvailable(std::string("this layer has no ") + quantity); }
}  // namespace

template <class T>
void Layer<T>::project_jvp(Rows<const T>, Rows<const T>, Rows<T>) const {
  refuse("tangents");
}
template <class T>
void Layer<T>::inverse(Rows<const T>, Rows<T>) const {
  refuse("inverse");
}
template <class T>
void Layer<T>::log_abs_det(Rows<const T>, std::span<T>) const {
  refuse("determinant");
}
template class Layer<float>;
template class Layer<double>;

template <class T>
LayerPtr<T> make_layer(const Set& set, const LayerMethod& method, const ProjectionOptions& options) {
  using namespace layers;
  return std::visit(Overloaded{[&](const SoftRadial& m) { return make_radial<T>(set, m, options); },
                               [&](const HardRadial& m) { return make_radial<T>(set, m, options); },
                               [&](const GaugeMap& m) { return make_radial<T>(set, m, options); },
                               [&](const SoftOrthogonal& m) { return make_soft_orthogonal<T>(set, m, options); },
                               [&](const Mirror& m) { return make_mirror<T>(set, m); },
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
