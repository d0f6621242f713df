#include "layer_object.hpp"

namespace softradial::ops {

LayerObject::LayerObject(SetPtr set, LayerMethod method, ProjectionOptions options)
    : set_(std::move(set)), method_(method), options_(std::move(options)) {
  // Compiles once here, so that a wrong set or method is reported by the constructor.
  static_cast<void>(compiled<double>());
}

template <class T>
const Layer<T>& LayerObject::compiled() const {
  auto& slot = [this]() -> Lazy<LayerPtr<T>>& {
    if constexpr (std::is_same_v<T, float>) {
      return f32_;
    } else {
      return f64_;
    }
  }();
  return *slot.get([&] { return make_layer<T>(set_->set(), method_, options_); });
}
const SampleMaps& LayerObject::sample_maps() const {
  return sample_maps_.get([this]() -> SampleMaps {
    const Anchor anchor = options_.anchor_point ? check_anchor(set_->set(), *options_.anchor_point)
                                                : require_anchor(set_->set(), options_.anchor);
    const auto* const soft = std::get_if<SoftOrthogonal>(&method_);
    const double lambda = soft == nullptr ? 1 : 1 / soft->kappa;
    return {
        c10::make_intrusive<MapObject>(set_, HardRadial{}, anchor),
        c10::make_intrusive<MapObject>(set_, GaugeMap{.contraction = Contraction::rational, .lambda = lambda}, anchor)};
  });
}

template const Layer<float>& LayerObject::compiled<float>() const;
template const Layer<double>& LayerObject::compiled<double>() const;

}  // namespace softradial::ops
