#pragma once

#include <concepts>
#include <optional>
#include <tuple>
#include <variant>

#include "layer_options.hpp"
#include "lazy.hpp"
#include "softradial/pool.hpp"
#include "softradial/projection.hpp"
#include "softradial/set.hpp"
#include "softradial/softradial.h"
#include "softradial/violation.hpp"

// The objects behind the handles. For their users they never change: calls borrow buffers from pools, so that calls from
// several threads do not meet, and a pool never grows beyond the number of calls that ran at once.
namespace softradial::c_abi {

// A map of the core: soft radial, hard radial, gauge map. In double from the start, in float from its first use.
class RadialMap {
 public:
  RadialMap(const Set& set, const Method& method, const ProjectionOptions& options) : wide_(set, method, options) {}

  [[nodiscard]] const Anchor& anchor() const noexcept { return wide_.anchor(); }
  [[nodiscard]] const Method& method() const noexcept { return wide_.method(); }

  template <class T>
  [[nodiscard]] const Evaluator<T>& evaluator() const {
    if constexpr (std::same_as<T, double>) {
      return wide_.evaluator();
    } else {
      return narrow_.get([this] { return Evaluator<float>(wide_.set(), anchor(), wide_.method(), 1); });
    }
  }
  template <class T>
  [[nodiscard]] auto lend_workspace() const {
    const Evaluator<T>& mine = evaluator<T>();
    return std::get<Pool<Workspace<T>>>(workspaces_).lend([&] { return Workspace<T>(mine); });
  }

 private:
  Projection<double> wide_;
  mutable Lazy<Evaluator<float>> narrow_;
  mutable std::tuple<Pool<Workspace<float>>, Pool<Workspace<double>>> workspaces_;
};

// Any other layer, also in double from the start and in float from its first use.
class OtherLayer {
 public:
  OtherLayer(const Set& set, const LayerMethod& method, const ProjectionOptions& options)
      : set_(set), method_(method), options_(options), wide_(make_layer<double>(set, method, options)) {
    if (has_anchor(method)) {
      anchor_ = options.anchor_point ? check_anchor(set, *options.anchor_point) : require_anchor(set, options.anchor);
    }
  }

  [[nodiscard]] const std::optional<Anchor>& anchor() const noexcept { return anchor_; }

  template <class T>
  [[nodiscard]] const Layer<T>& layer() const {
    if constexpr (std::same_as<T, double>) {
      return *wide_;
    } else {
      return *narrow_.get([this] { return make_layer<float>(set_, method_, options_); });
    }
  }

 private:
  Set set_;
  LayerMethod method_;
  ProjectionOptions options_;
  std::optional<Anchor> anchor_;
  LayerPtr<double> wide_;
  mutable Lazy<LayerPtr<float>> narrow_;
};

}  // namespace softradial::c_abi

// The names are C's.
struct sr_set {  // NOLINT(readability-identifier-naming)
  explicit sr_set(softradial::Set given) : set(std::move(given)) {}

  const softradial::Set set;
  mutable softradial::Pool<softradial::ViolationMeter> meters;
};

struct sr_layer {  // NOLINT(readability-identifier-naming)
  sr_layer(const softradial::Set& set, softradial::c_abi::LayerOptions given);

  [[nodiscard]] const softradial::c_abi::RadialMap* map() const noexcept {
    return std::get_if<softradial::c_abi::RadialMap>(&made);
  }
  // Null for methods without one.
  [[nodiscard]] const softradial::Anchor* anchor() const noexcept;
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] std::size_t input_dim() const noexcept { return input_dim_; }

  const softradial::c_abi::LayerOptions options;
  const std::variant<softradial::c_abi::RadialMap, softradial::c_abi::OtherLayer> made;

 private:
  std::size_t dim_;
  std::size_t input_dim_;
};
