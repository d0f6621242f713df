#include "sets/sized_gauge.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "algebra/row_units.hpp"
#include "guard.hpp"
#include "kernels/row_kernels.hpp"
#include "numbers.hpp"
#include "sets/ordinary_size.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets/combinators.hpp"

namespace softradial {
namespace {

// Coordinates count as alike if their sizes differ by no more, or if kappa |d| takes no larger share of gamma(d) along any.
constexpr double kLikeForGauge = 1 << 10;
constexpr double kSmallShare = 1.0 / (1 << 13);

// Equalities count the terms of each coordinate where reaches differ by more.
constexpr double kLikeReaches = 1 << 4;

// Curved sets in other sizes have matrices of dim x dim numbers.
constexpr std::size_t kMostDim = 2048;

// gamma(d) = gamma_y(y) + kappa_y |y|,  y = units d, which is exact: the guard is that of the set in y. So the caller's kappa is 0.
// A unit is 1 / size, or 0 where gamma_y does not depend on y_j. y is brought to ordinary size.
template <class T>
class SizedGauge final : public Gauge<T> {
 public:
  SizedGauge(GaugePtr<T> inner, const Eigen::VectorXd& units)
      : inner_(std::move(inner)), kappa_(guard::rounded_up<T>(inner_->kappa())) {
    for (const double unit : units) units_.push_back(static_cast<T>(unit));
  }

  struct Scratch final : GaugeScratch {
    std::unique_ptr<GaugeScratch> inner;
    std::vector<T> y;            // row by row
    std::vector<int> exponents;  // k of each row
    std::vector<T> gradient;     // of gamma_y
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t max_rows) const override {
    auto scratch = std::make_unique<Scratch>();
    scratch->inner = inner_->make_scratch(max_rows);
    scratch->y.resize(max_rows * units_.size());
    scratch->exponents.resize(max_rows);
    scratch->gradient.resize(units_.size());
    return scratch;
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    auto& s = static_cast<Scratch&>(scratch);
    const Rows<T> y = in_units(d, s);
    inner_->evaluate(y, at, *s.inner);
    for (std::size_t i = 0; i < d.count(); ++i) {
      at[i].gamma = std::ldexp(at[i].gamma + kappa_ * length(y[i]), s.exponents[i]);
    }
  }

  // grad gamma = (grad gamma_y(y) + kappa_y y / |y|) / sizes. What the inner gauge needs to know of y is found again.
  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch& scratch) const noexcept override {
    if (!(at.gamma > 0)) return;
    auto& s = static_cast<Scratch&>(scratch);
    const std::span<const T> y = in_units(Rows<const T>(d), s)[0];
    GaugeAt<T> inner;
    inner_->evaluate(Rows<const T>(y), {&inner, 1}, *s.inner);
    std::fill(s.gradient.begin(), s.gradient.end(), T{0});
    if (inner.gamma > 0) inner_->add_gradient(scale, y, inner, s.gradient, *s.inner);
    const T norm = length(y);
    if (norm > 0) kernels::add_scaled(scale * kappa_ / norm, y.data(), s.gradient.data(), y.size());
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += units_[j] * s.gradient[j];
  }

  [[nodiscard]] std::int32_t num_pieces() const noexcept override { return inner_->num_pieces(); }
  [[nodiscard]] double kappa() const noexcept override { return 0; }
  [[nodiscard]] double sigma() const noexcept override { return inner_->sigma(); }
  [[nodiscard]] double lipschitz() const noexcept override {
    const T largest = *std::max_element(units_.begin(), units_.end());
    return (inner_->lipschitz() + inner_->kappa()) * static_cast<double>(largest);
  }
  [[nodiscard]] std::vector<double> steepness(std::size_t dim) const override {
    std::vector<double> steepest = inner_->steepness(dim);
    for (std::size_t j = 0; j < dim; ++j) {
      steepest[j] = (steepest[j] + inner_->kappa()) * static_cast<double>(units_[j]);
    }
    return steepest;
  }

  [[nodiscard]] TensorGauge in_tensors(const TensorSpace& space) const override {
    Eigen::VectorXd units(static_cast<Eigen::Index>(units_.size()));
    std::copy(units_.begin(), units_.end(), units.begin());
    const TensorGauge gauge = of_any_size([inner = inner_->in_tensors(space), kappa = static_cast<double>(kappa_)](
                                              const Tensor& y) { return inner(y) + kappa * norm(y); });
    return [gauge, units = space.working_constant(units)](const Tensor& d) { return gauge(d * units); };
  }

 private:
  [[nodiscard]] Rows<T> in_units(Rows<const T> d, Scratch& s) const noexcept {
    const Rows<T> y(s.y.data(), d.count(), units_.size());
    for (std::size_t i = 0; i < d.count(); ++i) {
      for (std::size_t j = 0; j < units_.size(); ++j) y.row(i)[j] = units_[j] * d.row(i)[j];
      s.exponents[i] = bring_to_ordinary_size(y[i]);
    }
    return y;
  }
  [[nodiscard]] static T length(std::span<const T> y) noexcept {
    return std::sqrt(kernels::dot(y.data(), y.data(), y.size()));
  }

  GaugePtr<T> inner_;
  T kappa_;
  std::vector<T> units_;
};

// The largest share of gamma(d) that kappa |d| takes along a coordinate.
template <class T>
double share_of_guard(const Gauge<T>& gauge, const std::vector<double>& steepness) {
  if (gauge.kappa() == 0) return 0;
  return gauge.kappa() / *std::min_element(steepness.begin(), steepness.end());
}

// The steepness where no gauge can be made: the anchor lies next to the boundary, or has no margin in these units. The barrier's
// Hessian tells the reach along e_j up to a constant: 1 / sqrt(H_jj) within the set. Empty for sets without a barrier.
std::vector<double> steepness_of_barrier(const Set& set, const Eigen::VectorXd& point) {
  if (set.dim() > kMostDim) return {};
  const std::optional<BarrierTerms> terms = set->barrier(point, 0);
  if (!terms) return {};
  const Eigen::VectorXd steepness = terms->hessian.diagonal().head(point.size()).cwiseMax(0).cwiseSqrt();
  return {steepness.begin(), steepness.end()};
}

// The hull of the points x / sizes.
AffineHull hull_in_sizes(const AffineHull& hull, const Eigen::VectorXd& sizes) {
  if (hull.codimension() == 0) return hull;
  const Eigen::MatrixXd rows = hull.normals * sizes.asDiagonal();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr((row_units(rows).asDiagonal() * rows).transpose());
  const Eigen::MatrixXd normals = qr.householderQ() * Eigen::MatrixXd::Identity(rows.cols(), rows.rows());
  return {normals.transpose(), Eigen::VectorXd::Zero(rows.rows()), hull.rounding};
}

// The gauge of a set whose coordinates have this steepness, in units of each. Null where they are alike, where the set has no form
// of its own in other sizes (a preimage of it would have no better margin), or where there is no margin in these sizes either.
template <class T>
GaugePtr<T> gauge_in_sizes(const Set& set, const AnchoredHull& at, const std::vector<double>& steepness) {
  const std::optional<Eigen::VectorXd> sizes = unlike_sizes(steepness, kLikeForGauge, guard::kLargestNorm<T>);
  const std::optional<Set> in_y = sizes ? set->in_sizes(*sizes) : std::nullopt;
  if (!in_y) return nullptr;
  try {
    const Eigen::VectorXd point = at.point.cwiseQuotient(*sizes);
    const AffineHull hull = hull_in_sizes(at.hull, *sizes);
    return gauge_from_sizes<T>((*in_y)->gauge<T>({point, hull, true}), *sizes);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

std::optional<Eigen::VectorXd> unlike_sizes(std::span<const double> steepness, double like, double longest) {
  double largest = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (const double steepest : steepness) {
    largest = std::max(largest, steepest);
    if (steepest > 0) smallest = std::min(smallest, steepest);
  }
  if (!(largest > like * smallest) || std::isinf(largest)) return std::nullopt;
  Eigen::VectorXd sizes(static_cast<Eigen::Index>(steepness.size()));
  for (std::size_t j = 0; j < steepness.size(); ++j) {
    const double ratio = largest / (steepness[j] > 0 ? steepness[j] : smallest);
    sizes[static_cast<Eigen::Index>(j)] = std::min(std::exp2(std::round(std::log2(ratio))), longest);
  }
  return sizes;
}

// Coordinates that the gauge does not depend on count for nothing in kappa |y|: the hull may tie them to others that are shorter,
// and where it does not, the set reaches along them for ever.
template <class T>
GaugePtr<T> gauge_from_sizes(GaugePtr<T> in_sizes, const Eigen::VectorXd& sizes) {
  const std::vector<double> steepness = in_sizes->steepness(static_cast<std::size_t>(sizes.size()));
  Eigen::VectorXd units = sizes.cwiseInverse();
  for (std::size_t j = 0; j < steepness.size(); ++j) {
    if (steepness[j] == 0) units[static_cast<Eigen::Index>(j)] = 0;
  }
  return std::make_unique<SizedGauge<T>>(std::move(in_sizes), units);
}

Set set_in_sizes(const Set& set, const Eigen::VectorXd& sizes) {
  if ((sizes.array() == sizes[0]).all()) return sizes[0] == 1 ? set : Set(Scaled(set, 1 / sizes[0]));
  if (std::optional<Set> own = set->in_sizes(sizes)) return *std::move(own);
  return AffinePreimage(set, sizes.asDiagonal(), Eigen::VectorXd::Zero(sizes.size()));
}

// A set is tried as it is, then in sizes of its own, then with its parts in theirs.
template <class T>
GaugePtr<T> sized_gauge(const Set& set, const AnchoredHull& at) {
  GaugePtr<T> gauge;
  std::exception_ptr refused;
  std::vector<double> steepness;
  try {
    gauge = set->gauge<T>({at.point, at.hull});
    steepness = gauge->steepness(set.dim());
    if (share_of_guard(*gauge, steepness) <= kSmallShare) return gauge;
  } catch (const AnchorNotInterior&) {
    refused = std::current_exception();
    steepness = steepness_of_barrier(set, at.point);
  }
  if (set.dim() <= kMostDim) {
    if (GaugePtr<T> sized = gauge_in_sizes<T>(set, at, steepness)) return sized;
    GaugePtr<T> of_parts = set->gauge<T>({at.point, at.hull, true});
    if (!gauge || of_parts->kappa() < gauge->kappa()) gauge = std::move(of_parts);
  }
  if (!gauge) std::rethrow_exception(refused);
  const bool has_idle = std::find(steepness.begin(), steepness.end(), 0) != steepness.end();
  return has_idle ? gauge_from_sizes<T>(std::move(gauge), Eigen::VectorXd::Ones(at.point.size())) : std::move(gauge);
}

// A coordinate that the gauge does not depend on reaches as far as an equality lets it.
template <class T>
Units units_of(const Gauge<T>& gauge, std::size_t dim) {
  const std::vector<double> steepness = gauge.steepness(dim);
  const auto [least, most] = std::minmax_element(steepness.begin(), steepness.end());
  return *most <= kLikeReaches * *least ? Units::alike : Units::mixed;
}

template <class T>
GaugePtr<T> gauge_of_part(const Set& part, const AnchoredHull& at) {
  return at.parts_in_sizes ? sized_gauge<T>(part, at) : part->gauge<T>(at);
}

template GaugePtr<float> gauge_from_sizes<float>(GaugePtr<float>, const Eigen::VectorXd&);
template GaugePtr<double> gauge_from_sizes<double>(GaugePtr<double>, const Eigen::VectorXd&);
template GaugePtr<float> sized_gauge<float>(const Set&, const AnchoredHull&);
template GaugePtr<double> sized_gauge<double>(const Set&, const AnchoredHull&);
template Units units_of<float>(const Gauge<float>&, std::size_t);
template Units units_of<double>(const Gauge<double>&, std::size_t);
template GaugePtr<float> gauge_of_part<float>(const Set&, const AnchoredHull&);
template GaugePtr<double> gauge_of_part<double>(const Set&, const AnchoredHull&);

}  // namespace softradial
