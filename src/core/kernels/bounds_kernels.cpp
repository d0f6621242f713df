#include "kernels/bounds_kernels.hpp"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bounds_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/simd_rows.hpp"
#include "ordinary_size.hpp"

HWY_BEFORE_NAMESPACE();
namespace softradial::kernels::HWY_NAMESPACE {

// Calls body(load, store, mask) for each vector of the row: load(p) reads its lanes, zeros behind the end; store(v, p)
// writes those that exist; mask tells which do.
template <class T, class Body>
HWY_INLINE void for_each_piece(std::size_t n, const Body& body) {
  const RowTag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) {
    body([&](const T* p) HWY_ATTR { return hn::LoadU(tag, p + j); },
         [&](RowVec<T> v, T* p) HWY_ATTR { hn::StoreU(v, tag, p + j); }, hn::FirstN(tag, lanes));
  }
  if (j == n) return;
  const std::size_t rest = n - j;
  body([&](const T* p) HWY_ATTR { return load_first(p + j, rest); },
       [&](RowVec<T> v, T* p) HWY_ATTR { store_first(v, p + j, rest); }, hn::FirstN(tag, rest));
}

template <class T>
HWY_INLINE RowVec<T> reach_of(RowVec<T> lower, RowVec<T> upper, RowVec<T> spare) {
  return hn::Min(hn::Sub(upper, lower), spare);
}

// What the guards of sides and of linear rows share: 1 / guarded with guarded = slack (1 - 8 ulp) - doubt, or 0 where the
// constraint is open; `resolvable` stays true while every constraint is open or has guarded >= 3/4 slack. A slack that
// overflows counts as an eighth of the largest number, whose reciprocal is still normal.
template <class T>
struct SlackGuard {
  RowVec<T> keep;
  RowVec<T> least;
  RowVec<T> smallest;
  RowVec<T> largest;
  hn::Mask<RowTag<T>> resolvable;

  HWY_INLINE SlackGuard()
      : keep(hn::Set(RowTag<T>(), 1 - 8 * std::numeric_limits<T>::epsilon())),
        least(hn::Set(RowTag<T>(), T{0.75})),
        smallest(hn::Set(RowTag<T>(), kSmallestSlack<T>)),
        largest(hn::Set(RowTag<T>(), std::numeric_limits<T>::max() / 8)),
        resolvable(hn::FirstN(RowTag<T>(), hn::Lanes(RowTag<T>()))) {}

  // doubt = ulp size
  HWY_INLINE RowVec<T> reciprocal_slack(RowVec<T> slack, RowVec<T> ulp, RowVec<T> size, hn::Mask<RowTag<T>> open) {
    const auto guarded = hn::MulSub(keep, slack, hn::Mul(ulp, size));
    // A NaN is not greater than anything: it is not resolvable.
    const auto good = hn::Ge(guarded, hn::Max(hn::Mul(least, slack), smallest));
    resolvable = hn::And(resolvable, hn::Or(open, good));
    return hn::IfThenZeroElse(open, reciprocal_of(hn::Min(guarded, largest)));
  }
  HWY_INLINE void require(hn::Mask<RowTag<T>> condition) { resolvable = hn::And(resolvable, condition); }
  HWY_INLINE bool all_resolvable() const { return hn::AllTrue(RowTag<T>(), resolvable); }
};

template <class T>
HWY_INLINE T values_sum_of(const T* values, std::size_t n) {
  const RowTag<T> tag;
  auto total = hn::Zero(tag);
  for_each_piece<T>(n, [&](auto load, auto, auto) HWY_ATTR { total = hn::Add(total, load(values)); });
  return hn::GetLane(hn::SumOfLanes(tag, total));
}

template <class T>
HWY_INLINE T reach_sum_of(const BoundsRow<T>& row) {
  const RowTag<T> tag;
  const auto spare = hn::Set(tag, row.spare);
  auto total = hn::Zero(tag);
  for_each_piece<T>(row.dim, [&](auto load, auto, auto mask) HWY_ATTR {
    total = hn::Add(total, hn::IfThenElseZero(mask, reach_of<T>(load(row.lower), load(row.upper), spare)));
  });
  return hn::GetLane(hn::SumOfLanes(tag, total));
}

template <class T>
HWY_INLINE void reach_anchor_of(const BoundsRow<T>& row, T theta, T* HWY_RESTRICT anchor) {
  const RowTag<T> tag;
  const auto spare = hn::Set(tag, row.spare);
  const auto share = hn::Set(tag, theta);
  for_each_piece<T>(row.dim, [&](auto load, auto store, auto) HWY_ATTR {
    const auto lower = load(row.lower);
    store(hn::MulAdd(share, reach_of<T>(lower, load(row.upper), spare), lower), anchor);
  });
}

template <class T>
HWY_INLINE bool guarded_sides_of(const BoundsRow<T>& row, const T* HWY_RESTRICT anchor, T* HWY_RESTRICT up,
                                 T* HWY_RESTRICT down) {
  const RowTag<T> tag;
  const auto ulp = hn::Set(tag, std::numeric_limits<T>::epsilon());
  const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
  SlackGuard<T> guard;
  for_each_piece<T>(row.dim, [&](auto load, auto store, auto mask) HWY_ATTR {
    const auto at = load(anchor);
    const auto lower = load(row.lower);
    const auto upper = load(row.upper);
    const auto size = hn::Abs(at);
    const auto beyond = hn::Not(mask);
    guard.require(hn::Lt(size, infinity));
    store(guard.reciprocal_slack(hn::Sub(upper, at), ulp, hn::Max(size, hn::Abs(upper)),
                                 hn::Or(beyond, hn::Eq(upper, infinity))),
          up);
    store(guard.reciprocal_slack(hn::Sub(at, lower), ulp, hn::Max(size, hn::Abs(lower)),
                                 hn::Or(beyond, hn::Eq(lower, hn::Neg(infinity)))),
          down);
  });
  return guard.all_resolvable();
}

template <class T>
HWY_INLINE T reach_dot_of(const BoundsRow<T>& row, const T* HWY_RESTRICT h) {
  const RowTag<T> tag;
  const auto spare = hn::Set(tag, row.spare);
  auto total = hn::Zero(tag);
  for_each_piece<T>(row.dim, [&](auto load, auto, auto mask) HWY_ATTR {
    const auto reach = hn::IfThenElseZero(mask, reach_of<T>(load(row.lower), load(row.upper), spare));
    total = hn::MulAdd(load(h), reach, total);
  });
  return hn::GetLane(hn::SumOfLanes(tag, total));
}

template <class T>
HWY_INLINE T reach_vjp_of(const BoundsRow<T>& row, const T* HWY_RESTRICT h, T theta, T mean, T* HWY_RESTRICT grad_lower,
                          T* HWY_RESTRICT grad_upper) {
  const RowTag<T> tag;
  const auto spare = hn::Set(tag, row.spare);
  const auto share = hn::Set(tag, theta);
  const auto center = hn::Set(tag, mean);
  auto rest = hn::Zero(tag);
  for_each_piece<T>(row.dim, [&](auto load, auto store, auto mask) HWY_ATTR {
    const auto at = load(h);
    const auto grad_reach = hn::Mul(share, hn::Sub(at, center));
    const auto capped = hn::Le(hn::Sub(load(row.upper), load(row.lower)), spare);
    const auto of_upper = hn::IfThenElseZero(capped, grad_reach);
    rest = hn::Add(rest, hn::IfThenElseZero(mask, hn::IfThenZeroElse(capped, grad_reach)));
    if (grad_upper != nullptr) store(of_upper, grad_upper);
    if (grad_lower != nullptr) store(hn::Sub(at, of_upper), grad_lower);
  });
  return hn::GetLane(hn::SumOfLanes(tag, rest));
}

template <class T>
HWY_INLINE T guarded_scales_of(const LinearSlack<T>& slack, const T* HWY_RESTRICT norms, T size, std::size_t m,
                               T* HWY_RESTRICT scale) {
  constexpr T kLargest = 1 / kSmallestSlack<T>;
  const RowTag<T> tag;
  const auto doubt = hn::Set(tag, 2 * std::numeric_limits<T>::epsilon() * size);
  const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
  const auto zero = hn::Zero(tag);
  SlackGuard<T> guard;
  auto steepest = zero;
  // Lanes beyond the last row read as 0.x <= 0.
  for_each_piece<T>(m, [&](auto load, auto store, auto) HWY_ATTR {
    const auto at = slack.image != nullptr ? hn::Sub(load(slack.b), load(slack.image)) : load(slack.b);
    const auto norm = load(norms);
    const auto open = hn::Or(hn::Eq(at, infinity), hn::And(hn::Eq(norm, zero), hn::Ge(at, zero)));
    const auto ordinary = hn::And(hn::Ge(norm, guard.smallest), hn::Le(norm, hn::Set(tag, kLargest)));
    guard.require(hn::Or(open, ordinary));
    const auto inverse = guard.reciprocal_slack(at, doubt, norm, open);
    steepest = hn::Max(steepest, hn::IfThenZeroElse(open, hn::Mul(norm, inverse)));
    store(inverse, scale);
  });
  const T bound = hn::GetLane(hn::MaxOfLanes(tag, steepest));
  return guard.all_resolvable() && bound <= kLargest ? bound : T{-1};
}

template <bool kImage, class T>
HWY_INLINE T shared_scales_of(const SharedRows<T>& rows, const T* HWY_RESTRICT b, T* HWY_RESTRICT scale) {
  const RowTag<T> tag;
  const SlackGuard<T> guard;
  const auto infinity = hn::Set(tag, std::numeric_limits<T>::infinity());
  auto resolvable = guard.resolvable;
  auto steepest = hn::Zero(tag);
  for_each_lanes<T>(rows.norms.size(), [&](int, auto lanes) SOFTRADIAL_LANES {
    auto slack = lanes.load(b);
    if constexpr (kImage) slack = hn::Sub(slack, lanes.load(rows.image));
    // Behind the end both are 0. A NaN is not greater than anything.
    resolvable = hn::And(resolvable, hn::Ge(slack, lanes.load(rows.least.data())));
    const auto guarded = hn::MulSub(guard.keep, slack, lanes.load(rows.loss.data()));
    const auto inverse = hn::IfThenZeroElse(hn::Eq(slack, infinity), reciprocal_of(hn::Min(guarded, guard.largest)));
    steepest = hn::Max(steepest, lanes.only(hn::Mul(lanes.load(rows.norms.data()), inverse)));
    lanes.store(inverse, scale);
  });
  const T bound = hn::GetLane(hn::MaxOfLanes(tag, steepest));
  return hn::AllTrue(tag, resolvable) && bound <= 1 / kSmallestSlack<T> ? bound : T{-1};
}

template <class T>
HWY_INLINE void shared_scale_rows(const SharedRows<T>& rows, Rows<const T> b, Rows<T> scales, T* steepest) {
  for (std::size_t i = 0; i < b.count(); ++i) {
    steepest[i] = rows.image != nullptr ? shared_scales_of<true>(rows, b.row(i), scales.row(i))
                                        : shared_scales_of<false>(rows, b.row(i), scales.row(i));
  }
}

void guarded_scale_rows_f32(const SharedRows<float>& rows, Rows<const float> b, Rows<float> scales, float* steepest) {
  shared_scale_rows(rows, b, scales, steepest);
}
void guarded_scale_rows_f64(const SharedRows<double>& rows, Rows<const double> b, Rows<double> scales,
                            double* steepest) {
  shared_scale_rows(rows, b, scales, steepest);
}
float guarded_scales_f32(const LinearSlack<float>& slack, const float* norms, float size, std::size_t m, float* scale) {
  return guarded_scales_of(slack, norms, size, m, scale);
}
double guarded_scales_f64(const LinearSlack<double>& slack, const double* norms, double size, std::size_t m,
                          double* scale) {
  return guarded_scales_of(slack, norms, size, m, scale);
}
float sum_f32(const float* values, std::size_t n) { return values_sum_of(values, n); }
double sum_f64(const double* values, std::size_t n) { return values_sum_of(values, n); }
float reach_sum_f32(const BoundsRow<float>& row) { return reach_sum_of(row); }
double reach_sum_f64(const BoundsRow<double>& row) { return reach_sum_of(row); }
void reach_anchor_f32(const BoundsRow<float>& row, float theta, float* anchor) { reach_anchor_of(row, theta, anchor); }
void reach_anchor_f64(const BoundsRow<double>& row, double theta, double* anchor) {
  reach_anchor_of(row, theta, anchor);
}
bool guarded_sides_f32(const BoundsRow<float>& row, const float* anchor, float* up, float* down) {
  return guarded_sides_of(row, anchor, up, down);
}
bool guarded_sides_f64(const BoundsRow<double>& row, const double* anchor, double* up, double* down) {
  return guarded_sides_of(row, anchor, up, down);
}
float reach_dot_f32(const BoundsRow<float>& row, const float* h) { return reach_dot_of(row, h); }
double reach_dot_f64(const BoundsRow<double>& row, const double* h) { return reach_dot_of(row, h); }
float reach_vjp_f32(const BoundsRow<float>& row, const float* h, float theta, float mean, float* grad_lower,
                    float* grad_upper) {
  return reach_vjp_of(row, h, theta, mean, grad_lower, grad_upper);
}
double reach_vjp_f64(const BoundsRow<double>& row, const double* h, double theta, double mean, double* grad_lower,
                     double* grad_upper) {
  return reach_vjp_of(row, h, theta, mean, grad_lower, grad_upper);
}

}  // namespace softradial::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace softradial::kernels {

HWY_EXPORT(guarded_scale_rows_f32);
HWY_EXPORT(guarded_scale_rows_f64);
HWY_EXPORT(guarded_scales_f32);
HWY_EXPORT(guarded_scales_f64);
HWY_EXPORT(sum_f32);
HWY_EXPORT(sum_f64);
HWY_EXPORT(reach_sum_f32);
HWY_EXPORT(reach_sum_f64);
HWY_EXPORT(reach_anchor_f32);
HWY_EXPORT(reach_anchor_f64);
HWY_EXPORT(guarded_sides_f32);
HWY_EXPORT(guarded_sides_f64);
HWY_EXPORT(reach_dot_f32);
HWY_EXPORT(reach_dot_f64);
HWY_EXPORT(reach_vjp_f32);
HWY_EXPORT(reach_vjp_f64);

float sum(const float* values, std::size_t n) noexcept { return HWY_DYNAMIC_DISPATCH(sum_f32)(values, n); }
double sum(const double* values, std::size_t n) noexcept { return HWY_DYNAMIC_DISPATCH(sum_f64)(values, n); }
float reach_sum(const BoundsRow<float>& row) noexcept { return HWY_DYNAMIC_DISPATCH(reach_sum_f32)(row); }
double reach_sum(const BoundsRow<double>& row) noexcept { return HWY_DYNAMIC_DISPATCH(reach_sum_f64)(row); }
void reach_anchor(const BoundsRow<float>& row, float theta, float* anchor) noexcept {
  HWY_DYNAMIC_DISPATCH(reach_anchor_f32)(row, theta, anchor);
}
void reach_anchor(const BoundsRow<double>& row, double theta, double* anchor) noexcept {
  HWY_DYNAMIC_DISPATCH(reach_anchor_f64)(row, theta, anchor);
}
bool guarded_sides(const BoundsRow<float>& row, const float* anchor, float* up, float* down) noexcept {
  return HWY_DYNAMIC_DISPATCH(guarded_sides_f32)(row, anchor, up, down);
}
bool guarded_sides(const BoundsRow<double>& row, const double* anchor, double* up, double* down) noexcept {
  return HWY_DYNAMIC_DISPATCH(guarded_sides_f64)(row, anchor, up, down);
}
float reach_dot(const BoundsRow<float>& row, const float* h) noexcept {
  return HWY_DYNAMIC_DISPATCH(reach_dot_f32)(row, h);
}
double reach_dot(const BoundsRow<double>& row, const double* h) noexcept {
  return HWY_DYNAMIC_DISPATCH(reach_dot_f64)(row, h);
}
float reach_vjp(const BoundsRow<float>& row, const float* h, float theta, float mean, float* grad_lower,
                float* grad_upper) noexcept {
  return HWY_DYNAMIC_DISPATCH(reach_vjp_f32)(row, h, theta, mean, grad_lower, grad_upper);
}
double reach_vjp(const BoundsRow<double>& row, const double* h, double theta, double mean, double* grad_lower,
                 double* grad_upper) noexcept {
  return HWY_DYNAMIC_DISPATCH(reach_vjp_f64)(row, h, theta, mean, grad_lower, grad_upper);
}
float guarded_scales(const LinearSlack<float>& slack, const float* norms, float size, std::size_t m,
                     float* scale) noexcept {
  return HWY_DYNAMIC_DISPATCH(guarded_scales_f32)(slack, norms, size, m, scale);
}
double guarded_scales(const LinearSlack<double>& slack, const double* norms, double size, std::size_t m,
                      double* scale) noexcept {
  return HWY_DYNAMIC_DISPATCH(guarded_scales_f64)(slack, norms, size, m, scale);
}

void guarded_scale_rows(const SharedRows<float>& rows, Rows<const float> b, Rows<float> scales,
                        float* steepest) noexcept {
  HWY_DYNAMIC_DISPATCH(guarded_scale_rows_f32)(rows, b, scales, steepest);
}
void guarded_scale_rows(const SharedRows<double>& rows, Rows<const double> b, Rows<double> scales,
                        double* steepest) noexcept {
  HWY_DYNAMIC_DISPATCH(guarded_scale_rows_f64)(rows, b, scales, steepest);
}

// guarded = keep slack - loss >= 3/4 slack  and  guarded >= kSmallestSlack, solved for the slack; a few ulp above it, so
// that rounding cannot let one through.
template <class T>
SharedRows<T>::SharedRows(std::span<const T> row_norms, T size, const T* image_of_anchor)
    : norms(row_norms), image(image_of_anchor), loss(norms.size()), least(norms.size()) {
  constexpr T kUlp = std::numeric_limits<T>::epsilon();
  constexpr T kKeep = 1 - 8 * kUlp;
  for (std::size_t k = 0; k < norms.size(); ++k) {
    loss[k] = 2 * kUlp * norms[k] * size;
    least[k] = (1 + 8 * kUlp) * std::max(loss[k] / (kKeep - T{0.75}), (kSmallestSlack<T> + loss[k]) / kKeep);
  }
}

template struct SharedRows<float>;
template struct SharedRows<double>;

}  // namespace softradial::kernels
#endif  // HWY_ONCE
