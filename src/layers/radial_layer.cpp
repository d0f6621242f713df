#include <algorithm>
#include <vector>

#include "builders.hpp"
#include "softradial/pool.hpp"

namespace softradial::layers {
namespace {

// The maps of the core: soft radial, hard radial, gauge map; RAYEN is the hard radial map of u0 + u.
template <class T>
class RadialLayer final : public Layer<T> {
 public:
  RadialLayer(const Set& set, const Method& method, const ProjectionOptions& options, bool from_anchor)
      : projection_(set, method, options) {
    if (!from_anchor) return;
    const Eigen::VectorXd& point = projection_.anchor().point;
    for (const double v : point) shift_.push_back(static_cast<T>(v));
  }

  [[nodiscard]] std::size_t dim() const noexcept override { return projection_.dim(); }

  [[nodiscard]] std::size_t state_dim() const noexcept override { return sizeof(RowState<T>) / sizeof(T); }

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T> state) const override {
    const auto workspace = lend();
    projection_.project(shifted(u, x), x, *workspace, states(state));
    return 0;
  }
  void project_vjp(Rows<const T> u, Rows<const T>, Rows<const T> state, Rows<const T> grad_x,
                   Rows<T> grad_u) const override {
    const auto workspace = lend();
    std::vector<T> buffer(shift_.empty() ? 0 : u.count() * dim());
    projection_.project_vjp(shifted(u, {buffer.data(), u.count(), dim()}), grad_x, grad_u, *workspace, states(state));
  }
  // Only for the core's own maps: RAYEN has no inverse.
  void project_jvp(Rows<const T> u, Rows<const T> tangent_u, Rows<T> tangent_x) const override {
    if (!shift_.empty()) return Layer<T>::project_jvp(u, tangent_u, tangent_x);
    const auto workspace = lend();
    projection_.project_jvp(u, tangent_u, tangent_x, *workspace);
  }
  void inverse(Rows<const T> x, Rows<T> u) const override {
    if (!shift_.empty()) return Layer<T>::inverse(x, u);
    const auto workspace = lend();
    projection_.inverse(x, u, *workspace);
  }
  void log_abs_det(Rows<const T> u, std::span<T> out) const override {
    if (!shift_.empty()) return Layer<T>::log_abs_det(u, out);
    const auto workspace = lend();
    projection_.log_abs_det(u, out, *workspace);
  }

 private:
  static_assert(sizeof(RowState<T>) == 4 * sizeof(T));
  [[nodiscard]] static std::span<RowState<T>> states(Rows<T> state) noexcept {
    return {reinterpret_cast<RowState<T>*>(state.data()), state.count()};
  }
  [[nodiscard]] static std::span<const RowState<T>> states(Rows<const T> state) noexcept {
    return {reinterpret_cast<const RowState<T>*>(state.data()), state.count()};
  }
  [[nodiscard]] auto lend() const {
    return workspaces_.lend([this] { return projection_.make_workspace(); });
  }
  // The input of the core's map: u itself, or u0 + u in `buffer` for RAYEN.
  [[nodiscard]] Rows<const T> shifted(Rows<const T> u, Rows<T> buffer) const {
    if (shift_.empty()) return u;
    for (std::size_t i = 0; i < u.count(); ++i) {
      for (std::size_t j = 0; j < dim(); ++j) buffer.row(i)[j] = u.row(i)[j] + shift_[j];
    }
    return buffer;
  }

  Projection<T> projection_;
  std::vector<T> shift_;
  mutable Pool<Workspace<T>> workspaces_;
};

}  // namespace

template <class T>
LayerPtr<T> make_radial(const Set& set, const Method& method, const ProjectionOptions& options) {
  return std::make_unique<RadialLayer<T>>(set, method, options, false);
}
template <class T>
LayerPtr<T> make_rayen(const Set& set, const ProjectionOptions& options) {
  return std::make_unique<RadialLayer<T>>(set, HardRadial{}, options, true);
}
template LayerPtr<float> make_radial<float>(const Set&, const Method&, const ProjectionOptions&);
template LayerPtr<double> make_radial<double>(const Set&, const Method&, const ProjectionOptions&);
template LayerPtr<float> make_rayen<float>(const Set&, const ProjectionOptions&);
template LayerPtr<double> make_rayen<double>(const Set&, const ProjectionOptions&);

}  // namespace softradial::layers
