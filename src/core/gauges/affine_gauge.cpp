#include <Eigen/Core>
#include <vector>

#include "algebra/as_doubles.hpp"
#include "gauges/margin.hpp"
#include "gauges/part_hull.hpp"
#include "kernels/row_kernels.hpp"
#include "softradial/sets/combinators.hpp"

namespace softradial {
namespace {

// gamma(d) = gamma_inner(A d): A a matrix (rows x dim), or a number times the identity.
template <class T>
class AffineGauge final : public GuardedGauge<T> {
 public:
  AffineGauge(GaugePtr<T> inner, const Eigen::MatrixXd& A, Margin margin)
      : GuardedGauge<T>(margin),
        inner_(std::move(inner)),
        rows_(static_cast<std::size_t>(A.rows())),
        dim_(static_cast<std::size_t>(A.cols())),
        grow_(static_cast<T>(1 / (1 - margin.sigma))) {
    for (Eigen::Index k = 0; k < A.rows(); ++k) {
      for (Eigen::Index j = 0; j < A.cols(); ++j) A_.push_back(static_cast<T>(A(k, j)));
    }
  }
  AffineGauge(GaugePtr<T> inner, double factor, std::size_t dim, Margin margin)
      : GuardedGauge<T>(margin),
        inner_(std::move(inner)),
        rows_(dim),
        dim_(dim),
        factor_(static_cast<T>(factor)),
        grow_(static_cast<T>(1 / (1 - margin.sigma))) {}

  struct Scratch final : GaugeScratch {
    std::unique_ptr<GaugeScratch> inner;
    std::vector<T> images;    // A d, row by row
    std::vector<T> gradient;  // of the inner gauge
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t max_rows) const override {
    auto scratch = std::make_unique<Scratch>();
    scratch->inner = inner_->make_scratch(max_rows);
    scratch->images.resize(max_rows * rows_);
    scratch->gradient.resize(rows_);
    return scratch;
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    auto& s = static_cast<Scratch&>(scratch);
    const Rows<T> images(s.images.data(), d.count(), rows_);
    for (std::size_t i = 0; i < d.count(); ++i) map(d[i], images[i]);
    inner_->evaluate(images, at, *s.inner);
    for (auto& a : at) a.gamma *= grow_;
  }

  // n = A' grad gamma_inner(A d)
  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch& scratch) const noexcept override {
    if (!(at.gamma > 0)) return;
    auto& s = static_cast<Scratch&>(scratch);
    const std::span<T> image(s.images.data(), rows_);
    map(d, image);
    std::fill(s.gradient.begin(), s.gradient.end(), T{0});
    inner_->add_gradient(scale * grow_, image, {at.gamma / grow_, at.active}, s.gradient, *s.inner);
    if (A_.empty()) {
      kernels::add_scaled(factor_, s.gradient.data(), out.data(), dim_);
      return;
    }
    for (std::size_t k = 0; k < rows_; ++k) {
      kernels::add_scaled(s.gradient[k], A_.data() + k * dim_, out.data(), dim_);
    }
  }

  [[nodiscard]] std::int32_t num_pieces() const noexcept override { return inner_->num_pieces(); }

  [[nodiscard]] GaugeForm form() const override {
    auto inner = std::make_shared<const GaugeForm>(inner_->form());
    if (A_.empty()) return ScaledForm{std::move(inner), factor_, grow_};
    return AffineForm{std::move(inner), as_doubles<T>(A_, dim_), grow_};
  }

 private:
  void map(std::span<const T> d, std::span<T> image) const noexcept {
    if (A_.empty()) {
      for (std::size_t j = 0; j < dim_; ++j) image[j] = factor_ * d[j];
      return;
    }
    for (std::size_t k = 0; k < rows_; ++k) image[k] = kernels::dot(A_.data() + k * dim_, d.data(), dim_);
  }

  GaugePtr<T> inner_;
  std::size_t rows_;
  std::size_t dim_;
  std::vector<T> A_;  // row by row; empty: factor_ times the identity
  T factor_ = 1;
  T grow_;
};

// An error e of x moves A x by |A| |e|, and A d itself is rounded by at most ulp (terms / 2) |A| |d|; the inner gauge
// turns both into its Lipschitz constant's multiple. `offset` is the size of the terms that make up the inner anchor.
template <class T>
Margin affine_margin(const Gauge<T>& inner, double norm, std::size_t terms, const Eigen::VectorXd& u0, double offset) {
  const double lipschitz = inner.lipschitz() * norm;
  Margin margin = general_margin<T>(lipschitz, terms, u0, 4 * kUlp<double> * inner.lipschitz() * offset);
  margin.kappa += inner.kappa() * norm;
  require_resolvable<T>(margin.sigma, "affine map", 1 / lipschitz);
  return margin;
}

template <class T>
GaugePtr<T> preimage_gauge(const Set& inner, const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                           const AnchoredHull& at) {
  const Eigen::VectorXd point = A * at.point + b;
  const AffineHull hull = image_hull(at.hull, A);
  GaugePtr<T> gauge = inner->gauge<T>({point, hull});
  const double offset = static_cast<double>(A.cols()) * (A.cwiseAbs() * at.point.cwiseAbs() + b.cwiseAbs()).norm();
  const Margin margin = affine_margin<T>(*gauge, A.norm(), static_cast<std::size_t>(A.cols()), at.point, offset);
  return std::make_unique<AffineGauge<T>>(std::move(gauge), A, margin);
}

template <class T>
GaugePtr<T> scaled_gauge(const Set& inner, double factor, const AnchoredHull& at) {
  const Eigen::VectorXd point = at.point / factor;
  GaugePtr<T> gauge = inner->gauge<T>({point, at.hull});
  const Margin margin = affine_margin<T>(*gauge, 1 / factor, 1, at.point, point.norm());
  return std::make_unique<AffineGauge<T>>(std::move(gauge), 1 / factor, inner.dim(), margin);
}

}  // namespace

GaugePtr<float> AffinePreimage::gauge_f32(const AnchoredHull& at) const {
  return preimage_gauge<float>(inner_, A_, b_, at);
}
GaugePtr<double> AffinePreimage::gauge_f64(const AnchoredHull& at) const {
  return preimage_gauge<double>(inner_, A_, b_, at);
}
GaugePtr<float> Scaled::gauge_f32(const AnchoredHull& at) const { return scaled_gauge<float>(inner_, factor_, at); }
GaugePtr<double> Scaled::gauge_f64(const AnchoredHull& at) const { return scaled_gauge<double>(inner_, factor_, at); }

}  // namespace softradial
