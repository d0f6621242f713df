#include "ray_gauge.hpp"

#include <Eigen/QR>
#include <cmath>
#include <limits>

#include "guard.hpp"
#include "sets/sized_gauge.hpp"

namespace softradial::layers {
namespace {

// An orthonormal basis of the complement of orthonormal rows.
Eigen::MatrixXd complement(const Eigen::MatrixXd& normals) {
  const Eigen::Index n = normals.cols();
  if (normals.rows() == 0) return Eigen::MatrixXd::Identity(n, n);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(normals.transpose());
  const Eigen::MatrixXd Q = qr.householderQ();
  return Q.rightCols(n - normals.rows()).transpose();
}

Anchor anchor_of(const Set& set, const ProjectionOptions& options) {
  return Projection<double>(set, HardRadial{}, options).anchor();
}

template <class T>
std::vector<T> rounded(const Eigen::VectorXd& point) {
  std::vector<T> out;
  for (const double v : point) out.push_back(static_cast<T>(v));
  return out;
}

template <class T>
GaugePtr<T> gauge_at(const Set& set, const Anchor& anchor) {
  const Eigen::VectorXd point = anchor.point.cast<T>().template cast<double>();
  return sized_gauge<T>(set, {point, anchor.hull});
}

}  // namespace

template <class T>
RayGauge<T>::RayGauge(const Set& set, const ProjectionOptions& options) : hull_(AffineHull::whole_space(set.dim())) {
  const Anchor found = anchor_of(set, options);
  anchor_ = rounded<T>(found.point);
  gauge_ = gauge_at<T>(set, found);
  hull_ = HullProjector<T>(found.hull, units_of(*gauge_, set.dim()));
  kappa_ = guard::rounded_up<T>(gauge_->kappa());
  basis_ = complement(found.hull.normals);
}

template <class T>
typename RayGauge<T>::At RayGauge<T>::evaluate(std::span<const T> d, GaugeScratch& scratch) const noexcept {
  At out;
  gauge_->evaluate(Rows<const T>(d), {&out.at, 1}, scratch);
  T squares = 0;
  for (const T v : d) squares += v * v;
  out.norm = std::sqrt(squares);
  out.gamma = out.at.gamma + kappa_ * out.norm;
  return out;
}

template <class T>
void RayGauge<T>::add_gradient(T scale, std::span<const T> d, const At& at, std::span<T> out,
                               GaugeScratch& scratch) const noexcept {
  if (at.at.gamma > 0) gauge_->add_gradient(scale, d, at.at, out, scratch);
  if (!(at.norm > 0)) return;
  const T along = scale * kappa_ / at.norm;
  for (std::size_t j = 0; j < d.size(); ++j) out[j] += along * d[j];
}

template class RayGauge<float>;
template class RayGauge<double>;

}  // namespace softradial::layers
