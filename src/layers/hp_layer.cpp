#include <algorithm>
#include <cmath>
#include <limits>

#include "builders.hpp"
#include "invertible_network.hpp"
#include "mersenne_random.hpp"
#include "option_checks.hpp"
#include "ray_gauge.hpp"
#include "softradial/errors.hpp"

namespace softradial::layers {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Homeomorphic projection. y are coordinates in the hull with the anchor as the origin. F(z) = net(z) - net(0) maps the
// unit ball approximately onto the set, and F(0) = 0 is the anchor. A point y outside is mapped back to z = F^-1(y),
// which is moved towards 0:
//   x = u0 + basis' F(alpha z),   alpha the largest that bisection finds with F(alpha z) inside.
// Points inside stay where they are. The derivative is that of the implicit equation gamma(F(alpha z)) = 1.
template <class T>
class HpLayer final : public Layer<T> {
 public:
  HpLayer(const Set& set, const Hp& method, const ProjectionOptions& options)
      : gauge_(set, options),
        bisections_(method.bisections),
        // How much rounding x to T may add to the gauge.
        margin_(16 * static_cast<double>(std::numeric_limits<T>::epsilon()) *
                (1 + gauge_.lipschitz() * (1 + anchor().cwiseAbs().maxCoeff()))),
        net_(static_cast<Index>(gauge_.hull_dim()), method.couplings, method.hidden, 1 / gauge_.lipschitz(),
             method.seed) {
    if (gauge_.hull_dim() < 2) throw InvalidSet("hp needs a set of dimension 2 or more: couplings split coordinates");
    train(method);
    center_ = net_.forward(MatrixXd::Zero(net_.dim(), 1));
  }

  [[nodiscard]] std::size_t dim() const noexcept override { return gauge_.dim(); }
  [[nodiscard]] std::size_t state_dim() const noexcept override { return 1; }

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T> state) const override {
    std::size_t taken = 0;
    const auto scratch = gauge_.make_scratch();
    for (std::size_t i = 0; i < u.count(); ++i) {
      const auto [y, scale] = coordinates(u[i]);
      double alpha = 1;
      VectorXd at = y / scale;
      if (!y.allFinite()) {
        alpha = std::numeric_limits<double>::quiet_NaN();
        at.setConstant(alpha);
      } else if (!(gamma(y, *scratch) <= scale * (1 - margin_))) {
        const VectorXd z = net_.inverse(y + center_);
        double low = 0;
        double high = 1;
        // If y is far out, z is huge: the search for the boundary starts at the radius of the unit ball and goes
        // outwards.
        for (high = std::min(1.0, 1 / z.stableNorm()); high < 1 && inside(image(high * z), *scratch);
             high = std::min(1.0, 2 * high)) {
          low = high;
          ++taken;
        }
        for (int k = 0; k < bisections_; ++k) {
          ++taken;
          const double middle = (low + high) / 2;
          (inside(image(middle * z), *scratch) ? low : high) = middle;
        }
        alpha = -low;  // the negative sign marks a point that was moved
        at = image(low * z);
      }
      const VectorXd point = anchor() + gauge_.basis().transpose() * at;
      for (std::size_t j = 0; j < dim(); ++j) x.row(i)[j] = static_cast<T>(point[static_cast<Index>(j)]);
      if (state.data() != nullptr) *state.row(i) = static_cast<T>(alpha);
    }
    return taken;
  }

  // With J the derivative of F at alpha z and n = grad gamma there:
  //   grad_z = alpha (J'g - (z.J'g) / (z.J'n) J'n),   then through the inverse.
  void project_vjp(Rows<const T> u, Rows<const T>, Rows<const T> state, Rows<const T> grad_x,
                   Rows<T> grad_u) const override {
    const auto scratch = gauge_.make_scratch();
    for (std::size_t i = 0; i < u.count(); ++i) {
      const Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>> g(grad_x.row(i), static_cast<Index>(dim()));
      VectorXd grad_y = gauge_.basis() * g.template cast<double>();
      const double alpha = -static_cast<double>(*state.row(i));
      if (alpha >= 0) {
        const auto [y, scale] = coordinates(u[i]);
        const VectorXd z = net_.inverse(y + center_);
        const VectorXd normal = gradient(image(alpha * z), *scratch);
        const VectorXd Jg = net_.forward_vjp(alpha * z, grad_y);
        const VectorXd Jn = net_.forward_vjp(alpha * z, normal);
        const VectorXd grad_z = alpha * (Jg - z.dot(Jg) / z.dot(Jn) * Jn);
        grad_y = scale * net_.inverse_vjp(y + center_, grad_z);
      }
      const VectorXd out = gauge_.basis().transpose() * grad_y;
      for (std::size_t j = 0; j < dim(); ++j) grad_u.row(i)[j] = static_cast<T>(out[static_cast<Index>(j)]);
    }
  }

 private:
  [[nodiscard]] VectorXd anchor() const {
    return Eigen::Map<const VectorXd>(gauge_.anchor().data(), static_cast<Index>(gauge_.dim()));
  }
  // u on the hull, times a power of two that is 1 unless |u| is extreme: no square of y overflows. So far out, tanh is
  // saturated: F^-1 is positively homogeneous up to rounding, and x depends on the direction of y alone.
  struct Coordinates {
    VectorXd y;
    double scale;
  };
  [[nodiscard]] Coordinates coordinates(std::span<const T> u) const {
    constexpr int kLargestExponent = 290;
    VectorXd v(static_cast<Index>(dim()));
    for (std::size_t j = 0; j < dim(); ++j) v[static_cast<Index>(j)] = static_cast<double>(u[j]);
    const double largest = v.cwiseAbs().maxCoeff();
    const bool extreme = std::isfinite(largest) && largest > std::ldexp(1.0, kLargestExponent);
    const double scale = extreme ? std::ldexp(1.0, kLargestExponent - std::ilogb(largest)) : 1.0;
    return {gauge_.basis() * (scale * v - scale * anchor()), scale};
  }
  [[nodiscard]] VectorXd image(const VectorXd& z) const { return net_.forward(z) - center_; }
  [[nodiscard]] double gamma(const VectorXd& y, GaugeScratch& scratch) const {
    const VectorXd d = gauge_.basis().transpose() * y;
    return gauge_.evaluate({d.data(), dim()}, scratch).gamma;
  }
  [[nodiscard]] bool inside(const VectorXd& y, GaugeScratch& scratch) const { return gamma(y, scratch) <= 1 - margin_; }
  [[nodiscard]] VectorXd gradient(const VectorXd& y, GaugeScratch& scratch) const {
    const VectorXd d = gauge_.basis().transpose() * y;
    const auto at = gauge_.evaluate({d.data(), dim()}, scratch);
    VectorXd n = VectorXd::Zero(static_cast<Index>(dim()));
    gauge_.add_gradient(1, {d.data(), dim()}, at, {n.data(), dim()}, scratch);
    return gauge_.basis() * n;
  }

  // Trains the image of the ball to fill the set: relu(gamma - 1) of the images keeps them inside, the log-determinant
  // makes them large. The first column of the batch is 0, and its image is subtracted from the others, so that 0 stays
  // the anchor.
  void train(const Hp& method) {
    constexpr double kPenalty = 10;
    MersenneRandom random(method.seed + 1);
    const auto scratch = gauge_.make_scratch();
    const Index k = net_.dim();
    for (int step = 0; step < method.training_steps; ++step) {
      MatrixXd z(k, method.batch + 1);
      z.col(0).setZero();
      for (Index i = 1; i < z.cols(); ++i) {
        for (Index j = 0; j < k; ++j) z(j, i) = random.normal();
        z.col(i) *= std::pow(random.uniform(), 1.0 / static_cast<double>(k)) / z.col(i).norm();
      }
      net_.train_step(
          z,
          [&](const MatrixXd& y) {
            MatrixXd grad = MatrixXd::Zero(y.rows(), y.cols());
            for (Index i = 1; i < y.cols(); ++i) {
              const VectorXd at = y.col(i) - y.col(0);
              if (gamma(at, *scratch) <= 1) continue;
              grad.col(i) = kPenalty / static_cast<double>(method.batch) * gradient(at, *scratch) / gauge_.lipschitz();
              grad.col(0) -= grad.col(i);
            }
            return grad;
          },
          method.learning_rate);
    }
  }

  RayGauge<double> gauge_;
  int bisections_;
  double margin_;
  InvertibleNetwork net_;
  VectorXd center_;  // net(0)
};

}  // namespace

template <class T>
LayerPtr<T> make_hp(const Set& set, const Hp& method, const ProjectionOptions& options) {
  require_at_least("couplings", method.couplings, 1);
  require_at_least("hidden", method.hidden, 1);
  require_at_least("training_steps", method.training_steps, 0);
  require_at_least("batch", method.batch, 1);
  require_positive("learning_rate", method.learning_rate);
  require_at_least("bisections", method.bisections, 1);
  return std::make_unique<HpLayer<T>>(set, method, options);
}
template LayerPtr<float> make_hp<float>(const Set&, const Hp&, const ProjectionOptions&);
template LayerPtr<double> make_hp<double>(const Set&, const Hp&, const ProjectionOptions&);

}  // namespace softradial::layers
