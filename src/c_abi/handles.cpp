#include "handles.hpp"

#include "softradial/reach.hpp"

namespace softradial::c_abi {
namespace {

using Made = std::variant<RadialMap, OtherLayer>;

// Builds the variant in place: maps and layers hold locks, which cannot move.
Made make(const Set& set, const LayerOptions& options) {
  if (const auto* soft = std::get_if<SoftRadial>(&options.method); soft != nullptr && options.auto_lambda) {
    ProjectionOptions projection = options.projection;
    const SoftRadial scaled = with_auto_lambda(*soft, set, projection);
    return Made(std::in_place_type<RadialMap>, set, scaled, projection);
  }
  if (const auto radial = radial_method(options.method)) {
    return Made(std::in_place_type<RadialMap>, set, *radial, options.projection);
  }
  return Made(std::in_place_type<OtherLayer>, set, options.method, options.projection);
}

}  // namespace
}  // namespace softradial::c_abi

sr_layer::sr_layer(const softradial::Set& set, softradial::c_abi::LayerOptions given)
    : options(std::move(given)), made(softradial::c_abi::make(set, options)), dim_(set.dim()), input_dim_(dim_) {
  if (const auto* other = std::get_if<softradial::c_abi::OtherLayer>(&made)) {
    input_dim_ = other->layer<double>().input_dim();
  }
}

const softradial::Anchor* sr_layer::anchor() const noexcept {
  if (const auto* radial = map()) return &radial->anchor();
  const auto& found = std::get<softradial::c_abi::OtherLayer>(made).anchor();
  return found ? &*found : nullptr;
}
