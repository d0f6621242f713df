#pragma once

#include "softradial/layer.hpp"

// One builder for each family of layers; `make_layer` chooses.
namespace softradial::layers {

template <class T>
[[nodiscard]] LayerPtr<T> make_radial(const Set& set, const Method& method, const ProjectionOptions& options);
template <class T>
[[nodiscard]] LayerPtr<T> make_soft_orthogonal(const Set& set, const SoftOrthogonal& method,
                                               const ProjectionOptions& options);
template <class T>
[[nodiscard]] LayerPtr<T> make_mirror(const Set& set, const Mirror& method);
template <class T>
[[nodiscard]] LayerPtr<T> make_softmax(const Set& set, const Softmax& method);
template <class T>
[[nodiscard]] LayerPtr<T> make_orthogonal(const Set& set, std::string_view name);
template <class T>
[[nodiscard]] LayerPtr<T> make_dc3(const Set& set, const Dc3& method);
template <class T>
[[nodiscard]] LayerPtr<T> make_hardnet(const Set& set, const HardNet& method);
template <class T>
[[nodiscard]] LayerPtr<T> make_hardnet_aff(const Set& set);
template <class T>
[[nodiscard]] LayerPtr<T> make_hardnet_cvx(const Set& set);
template <class T>
[[nodiscard]] LayerPtr<T> make_rayen(const Set& set, const ProjectionOptions& options);
template <class T>
[[nodiscard]] LayerPtr<T> make_ray_scalar(const Set& set, const ProjectionOptions& options);
template <class T>
[[nodiscard]] LayerPtr<T> make_hop(const Set& set, const ProjectionOptions& options);
template <class T>
[[nodiscard]] LayerPtr<T> make_hp(const Set& set, const Hp& method, const ProjectionOptions& options);
template <class T>
[[nodiscard]] LayerPtr<T> make_soft_penalty(const Set& set);

// Throws an InvalidSet like "softmax supports simplices, not a ball".
[[noreturn]] void reject_set(std::string_view method, std::string_view supports, const Set& set);

}  // namespace softradial::layers
