#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "builders.hpp"
#include "ray_gauge.hpp"
#include "softradial/errors.hpp"

namespace softradial::layers {
namespace {

// Hyperspherical coordinates in the hull, k = hull_dim:
//   e_1 = cos t_1,  e_2 = sin t_1 cos t_2,  ...,  e_{k-1} = sin t_1 ... sin t_{k-2} cos t_{k-1},  e_k = sin t_1 ... sin t_{k-1}
//   t_i = pi sigmoid(z_{i+1}) for i < k - 1,   t_{k-1} = 2 pi sigmoid(z_k)
//   d = basis' e,   x = u0 + sigmoid(z_1) / gamma(d) d
// Where a sine is 0, the angles after it have no effect: the paper's "polar stagnation".
template <class T>
class HopLayer final : public Layer<T> {
 public:
  HopLayer(const Set& set, const ProjectionOptions& options)
      : gauge_(set, options), basis_(gauge_.basis().template cast<T>()) {
    if (gauge_.hull_dim() < 2) throw InvalidSet("hop needs a set of dimension 2 or more: one direction has no angle");
  }

  [[nodiscard]] std::size_t dim() const noexcept override { return gauge_.dim(); }
  [[nodiscard]] std::size_t input_dim() const noexcept override { return gauge_.hull_dim(); }

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    const auto scratch = gauge_.make_scratch();
    Polar at(*this);
    for (std::size_t i = 0; i < u.count(); ++i) {
      at.load(*this, u[i], *scratch);
      for (std::size_t j = 0; j < dim(); ++j)
        x.row(i)[j] = gauge_.anchor()[j] + at.phi * at.d[static_cast<Eigen::Index>(j)];
    }
    return 0;
  }

  void project_vjp(Rows<const T> u, Rows<const T>, Rows<const T>, Rows<const T> grad_x, Rows<T> grad_u) const override {
    const auto scratch = gauge_.make_scratch();
    Polar at(*this);
    Vector grad_d(static_cast<Eigen::Index>(dim()));
    for (std::size_t i = 0; i < u.count(); ++i) {
      at.load(*this, u[i], *scratch);
      const Eigen::Map<const Vector> g(grad_x.row(i), static_cast<Eigen::Index>(dim()));
      const T along = at.d.dot(g);
      grad_d = at.phi * g;
      gauge_.add_gradient(-along * at.phi / at.gauge.gamma, {at.d.data(), dim()}, at.gauge, {grad_d.data(), dim()},
                          *scratch);
      grad_u.row(i)[0] = along * (1 - at.share) * at.phi;
      angles_vjp(at, basis_ * grad_d, grad_u.row(i) + 1);
    }
  }

 private:
  using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

  struct Polar {
    explicit Polar(const HopLayer& layer)
        : sines(layer.num_angles()),
          cosines(layer.num_angles()),
          slopes(layer.num_angles()),
          before(layer.num_angles()),
          e(static_cast<Eigen::Index>(layer.gauge_.hull_dim())),
          d(static_cast<Eigen::Index>(layer.dim())) {}

    void load(const HopLayer& layer, std::span<const T> z, GaugeScratch& scratch) {
      T product = 1;
      const std::size_t angles = sines.size();
      for (std::size_t a = 0; a < angles; ++a) {
        const T turn = (a + 1 < angles ? 1 : 2) * std::numbers::pi_v<T>;
        const T part = sigmoid(z[a + 1]);
        slopes[a] = turn * part * (1 - part);
        before[a] = product;
        sines[a] = std::sin(turn * part);
        cosines[a] = std::cos(turn * part);
        e[static_cast<Eigen::Index>(a)] = product * cosines[a];
        product *= sines[a];
      }
      e[static_cast<Eigen::Index>(angles)] = product;
      d.noalias() = layer.basis_.transpose() * e;
      gauge = layer.gauge_.evaluate({d.data(), layer.dim()}, scratch);
      share = sigmoid(z[0]);
      phi = gauge.gamma > 0 ? share / gauge.gamma : std::numeric_limits<T>::quiet_NaN();
    }

    std::vector<T> sines;
    std::vector<T> cosines;
    std::vector<T> slopes;  // dt_i / dz of each angle
    std::vector<T> before;  // product of the sines before each angle
    Vector e;
    Vector d;
    typename RayGauge<T>::At gauge;
    T share = 0;
    T phi = 0;
  };

  [[nodiscard]] std::size_t num_angles() const noexcept { return gauge_.hull_dim() - 1; }

  // From the last angle to the first; h is the cotangent of the product of sines after angle a:
  //   e_a = s cos t_a, rest = s sin t_a:   grad t_a = s (-g_a sin t_a + h cos t_a),   h <- g_a cos t_a + h sin t_a.
  void angles_vjp(const Polar& at, const Vector& grad_e, T* out) const {
    const std::size_t angles = num_angles();
    T h = grad_e[static_cast<Eigen::Index>(angles)];
    for (std::size_t a = angles; a-- > 0;) {
      const T g = grad_e[static_cast<Eigen::Index>(a)];
      out[a] = at.before[a] * (h * at.cosines[a] - g * at.sines[a]) * at.slopes[a];
      h = g * at.cosines[a] + h * at.sines[a];
    }
  }

  RayGauge<T> gauge_;
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> basis_;
};

}  // namespace

template <class T>
LayerPtr<T> make_hop(const Set& set, const ProjectionOptions& options) {
  return std::make_unique<HopLayer<T>>(set, options);
}
template LayerPtr<float> make_hop<float>(const Set&, const ProjectionOptions&);
template LayerPtr<double> make_hop<double>(const Set&, const ProjectionOptions&);

}  // namespace softradial::layers
