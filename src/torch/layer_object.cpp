#include "layer_object.hpp"

namespace softradial::ops {

LayerObject::LayerObject(SetPtr set, LayerMethod method, ProjectionOptions options)
    : set_(std::move(set)), method_(method), options_(std::move(options)) {
  // Compiles once here, so that a wrong set or method is reported at construction.
  static_cast<void>(compiled<double>());
}

template <class T>
const Layer<T>& LayerObject::compiled() const {
  auto& slot = [this]() -> OnDemand<T>& {
    if constexpr (std::is_same_v<T, float>) {
      return f32_;
    } else {
      return f64_;
    }
  }();
  std::call_once(slot.once, [&] { slot.layer = make_layer<T>(set_->set(), method_, options_); });
  return *slot.layer;
}
template const Layer<float>& LayerObject::compiled<float>() const;
template const Layer<double>& LayerObject::compiled<double>() const;

}  // namespace softradial::ops
