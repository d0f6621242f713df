#include "softradial/sample_polyhedra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "kernels/ray_kernels.hpp"
#include "kernels/row_kernels.hpp"
#include "ray_block.hpp"
#include "sets/rows/matrix_max_kernels.hpp"
#include "sets/rows/row_slack_kernels.hpp"
#include "softradial/pool.hpp"

namespace softradial {
namespace {

// Rows of a batch that go through the matrix together: a few of the tallest tiles.
constexpr std::size_t kBlockRows = 8 * kernels::kMaxTileRows;

// |v|, also where the squares overflow or vanish; not finite where v is not.
template <class T>
T euclidean_norm(std::span<const T> v) noexcept {
  const T squares = kernels::dot(v.data(), v.data(), v.size());
  constexpr T kFewLost = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();
  if (std::isnan(squares) || (squares >= kFewLost && std::isfinite(squares))) return std::sqrt(squares);
  T largest = 0;
  for (const T x : v) largest = std::max(largest, std::abs(x));
  if (!(largest > 0 && std::isfinite(largest))) return largest;
  T relative = 0;
  for (const T x : v) relative += (x / largest) * (x / largest);
  return largest * std::sqrt(relative);
}

// A block of samples on its way through the map, with its buffers.
template <class T>
struct Block : RayRows<T> {
  Block(std::size_t max_rows, const HullProjector<T>& hull, std::size_t num_rows)
      : RayRows<T>(hull, max_rows),
        padded(kernels::padded_rows<T>(num_rows)),
        scales(max_rows * padded),
        norms(num_rows),
        kappa(max_rows),
        pull(max_rows),
        gamma(max_rows),
        active(max_rows),
        kernel(max_rows) {}

  [[nodiscard]] T* scales_of(std::size_t r) noexcept { return scales.data() + r * padded; }

  std::size_t padded;  // num_rows, filled up to whole panels
  std::vector<T> scales;
  std::vector<T> norms;  // row norms of one sample's own matrix
  std::vector<T> kappa;  // negative: no interior
  std::vector<T> pull;   // gamma(d) times its cotangent
  std::vector<T> gamma;  // without kappa |d|
  std::vector<std::int32_t> active;
  kernels::MatrixMaxScratch<T> kernel;
};

}  // namespace

template <class T>
struct PolyhedraMap<T>::Impl {
  Impl(std::size_t rows, std::size_t columns, HullProjector<T> projector, Method which,
       std::optional<kernels::Panels<T>> packed, std::vector<T> row_norms)
      : num_rows(rows),
        dim(columns),
        hull(std::move(projector)),
        method(which),
        panels(std::move(packed)),
        norms(std::move(row_norms)),
        ordinary_norms(panels && std::all_of(norms.begin(), norms.end(), is_ordinary)) {}

  std::size_t num_rows;
  std::size_t dim;
  HullProjector<T> hull;
  Method method;
  std::optional<kernels::Panels<T>> panels;  // the A that all samples share
  std::vector<T> norms;                      // |a_k| of its rows
  bool ordinary_norms;                       // there are norms, and none is of extreme size
  mutable Pool<Block<T>> blocks = {};

  static bool is_ordinary(T norm) noexcept {
    return norm >= guard::kSmallestSlack<T> && norm <= guard::kLargestNorm<T>;
  }

  // kappa of a set whose gauge is at most `steepest` over unit vectors. Both are negative if there is no interior.
  [[nodiscard]] T kappa(T steepest) const noexcept {
    return static_cast<T>(guard::kappa_of_unit(guard::kUlp<T>, dim)) * steepest;
  }
  [[nodiscard]] kernels::AnchorSize<T> size_of(std::span<const T> anchor) const noexcept {
    return {euclidean_norm(anchor), guard::slack_roundings<T>(dim)};
  }
  [[nodiscard]] typename Pool<Block<T>>::Lease lend() const {
    return blocks.lend([this] { return Block<T>(kBlockRows, hull, num_rows); });
  }
  [[nodiscard]] Rows<const T> matrix(Rows<const T> A, std::size_t sample) const noexcept {
    return panels ? A : A.slice(sample * num_rows, num_rows);
  }
};

namespace {

// gamma(d) = max(0, max_k scale_k a_k.d). The active row is the smallest k among equals, 0 if the maximum is not positive.
template <class T>
GaugeAt<T> matrix_gauge(Rows<const T> A, const T* scales, std::span<const T> d) noexcept {
  GaugeAt<T> at;
  for (std::size_t k = 0; k < A.count(); ++k) {
    const T value = scales[k] * kernels::dot(A.row(k), d.data(), d.size());
    if (value > at.gamma) at = {value, static_cast<std::int32_t>(k)};
  }
  return at;
}

}  // namespace

template <class T>
PolyhedraMap<T>::PolyhedraMap(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
template <class T>
PolyhedraMap<T>::PolyhedraMap(PolyhedraMap&&) noexcept = default;
template <class T>
PolyhedraMap<T>& PolyhedraMap<T>::operator=(PolyhedraMap&&) noexcept = default;
template <class T>
PolyhedraMap<T>::~PolyhedraMap() = default;

template <class T>
PolyhedraMap<T> PolyhedraMap<T>::shared(Rows<const T> A, const AffineHull& hull, Method method) {
  kernels::Panels<T> panels(A.count(), A.dim());
  std::vector<T> norms(A.count());
  for (std::size_t k = 0; k < A.count(); ++k) {
    for (std::size_t j = 0; j < A.dim(); ++j) panels.set(k, j, A[k][j]);
    norms[k] = euclidean_norm(A[k]);
  }
  return PolyhedraMap(std::make_unique<const Impl>(A.count(), A.dim(), HullProjector<T>(hull), method,
                                                   std::move(panels), std::move(norms)));
}

template <class T>
PolyhedraMap<T> PolyhedraMap<T>::own(std::size_t num_rows, std::size_t dim, const AffineHull& hull, Method method) {
  return PolyhedraMap(
      std::make_unique<const Impl>(num_rows, dim, HullProjector<T>(hull), method, std::nullopt, std::vector<T>()));
}

template <class T>
void PolyhedraMap<T>::project(const SamplePolyhedra<T>& sets, Rows<const T> A, Rows<const T> u, Rows<T> x,
                              std::span<RowStatus> status, std::span<RowState<T>> state) const {
  if (u.count() == 0) return;
  const Impl& e = *impl_;
  const auto lease = e.lend();
  Block<T>& block = *lease;
  const bool one_anchor = sets.anchor.stride() == 0;
  const kernels::AnchorSize<T> shared_size = e.size_of(sets.anchor[0]);
  std::optional<kernels::SharedRows<T>> shared;
  if (one_anchor && e.ordinary_norms && std::isfinite(shared_size.norm))
    shared.emplace(e.norms, shared_size, sets.image);
  const auto stride = static_cast<std::ptrdiff_t>(block.padded);
  for (std::size_t first = 0; first < u.count(); first += kBlockRows) {
    const std::size_t count = std::min(kBlockRows, u.count() - first);
    block.load(u.slice(first, count), sets.anchor.slice(first, count), e.hull);
    if (shared) {
      kernels::guarded_scale_rows<T>(*shared, sets.b.slice(first, count),
                                     {block.scales.data(), count, e.num_rows, stride}, block.kappa.data());
      for (std::size_t r = 0; r < count; ++r) block.kappa[r] = e.kappa(block.kappa[r]);
    }
    for (std::size_t r = 0; r < count && !shared; ++r) {
      const std::size_t i = first + r;
      const Rows<const T> matrix = e.matrix(A, i);
      const T* norms = e.norms.data();
      if (!e.panels) {
        for (std::size_t k = 0; k < e.num_rows; ++k) block.norms[k] = euclidean_norm(matrix[k]);
        norms = block.norms.data();
      }
      const kernels::AnchorSize<T> size = one_anchor ? shared_size : e.size_of(sets.anchor[i]);
      const T steepest =
          kernels::guarded_scales<T>({sets.b.row(i), sets.image}, norms, size, e.num_rows, block.scales_of(r));
      block.kappa[r] = std::isfinite(size.norm) ? e.kappa(steepest) : T{-1};
      if (e.panels) continue;
      const GaugeAt<T> at = matrix_gauge<T>(matrix, block.scales_of(r), block.direction(r));
      block.gamma[r] = at.gamma;
      block.active[r] = at.active;
    }
    if (e.panels) {
      kernels::scaled_matrix_max(*e.panels, {block.directions(), count, e.dim},
                                 {block.scales.data(), count, block.padded}, block.gamma.data(), block.active.data(),
                                 block.kernel);
    }
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t i = first + r;
      Ray<T>& ray = block.ray(r);
      status[i] = block.kappa[r] < 0 ? RowStatus::no_interior : ray.finite ? RowStatus::ok : RowStatus::not_finite;
      T& step = block.numbers()[r];
      step = std::numeric_limits<T>::quiet_NaN();
      if (!state.empty()) state[i] = {.rho = std::numeric_limits<T>::infinity()};
      if (status[i] != RowStatus::ok) continue;
      ray.gamma = block.gamma[r] + block.kappa[r] * ray.norm();
      step = std::visit([&](const auto& m) { return scale_ray<T>(m, ray, block.direction(r)).step; }, e.method);
      if (state.empty()) continue;
      // The backward pass cannot get kappa from the active row alone.
      state[i] = pack(kernels::RayState<T>{.rho = ray.exponent == 0 ? ray.rho : std::numeric_limits<T>::infinity(),
                                           .gamma = block.gamma[r],
                                           .kappa = block.kappa[r],
                                           .active = std::max(0, block.active[r])});
    }
    block.step(sets.anchor.slice(first, count), x.slice(first, count));
  }
}

// With a_k the active row, w its guarded reciprocal slack, gamma(d) = w a_k.d, and p = gamma(d) times the cotangent of gamma(d),
// which stays of the size of x where the cotangent itself overflows (large sets):
//   grad_u = P ( phi g + radial d + normal w a_k ),   grad_u0 = g - grad_u  (x = u0 + phi d, d = P (u - u0)),
//   grad_b_k = -p w,   grad_a_k = p w / gamma(d) d.
template <class T>
void PolyhedraMap<T>::project_vjp(const SamplePolyhedra<T>& sets, Rows<const T> A, Rows<const T> u,
                                  Rows<const T> grad_x, std::span<const RowStatus> status,
                                  std::span<const RowState<T>> state, Rows<T> grad_u,
                                  const SamplePolyhedraGradient<T>& gradient) const {
  if (u.count() == 0) return;
  const Impl& e = *impl_;
  const auto lease = e.lend();
  Block<T>& block = *lease;
  const bool one_anchor = sets.anchor.stride() == 0;
  const kernels::AnchorSize<T> shared_size = e.size_of(sets.anchor[0]);
  const kernels::RayMap<T> rays{e.method, profile_function<T>(e.method)};

  // a_k and w of sample i; the row is null where gamma(d) = 0.
  const auto normal_of = [&](std::size_t i) -> kernels::RayNormal<T> {
    const auto at = unpack<kernels::RayState>(state[i]);
    if (!(at.gamma > 0)) return {};
    const auto k = static_cast<std::size_t>(at.active);
    const std::span<const T> row = e.matrix(A, i)[k];
    const T row_norm = e.panels ? e.norms[k] : euclidean_norm(row);
    const T slack = sets.b.row(i)[k] - (sets.image != nullptr ? sets.image[k] : T{0});
    const kernels::AnchorSize<T> size = one_anchor ? shared_size : e.size_of(sets.anchor[i]);
    return {row.data(), kernels::guarded_scale(slack, row_norm, size)};
  };
  // Does rows first, first + 1, ... by separate passes, whatever the rows are.
  const auto in_passes = [&](std::size_t first, std::size_t count) {
    const Rows<const T> g = grad_x.slice(first, count);
    block.load(u.slice(first, count), sets.anchor.slice(first, count), e.hull);
    kernels::dot_rows(block.directions(), g, block.numbers().data());
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t i = first + r;
      kernels::CotangentRow<T>& terms = block.cotangents()[r];
      terms = {};
      block.pull[r] = 0;
      if (status[i] != RowStatus::ok) continue;
      const std::span<const T> d = block.direction(r);
      const auto left = unpack<kernels::RayState>(state[i]);
      Ray<T>& ray = block.ray(r);
      ray.at = {left.gamma, left.active};
      ray.gamma = left.gamma + left.kappa * ray.norm();
      const RayCotangent<T> at = std::visit(
          [&](const auto& m) { return cotangent_of<T>(m, ray, d, block.numbers()[r], left.kappa); }, e.method);
      const kernels::RayNormal<T>& normal = block.normals()[r];
      terms = {at.phi, at.radial, at.normal * normal.weight, normal.row};
      block.pull[r] = ray.gamma > 0 ? at.pull * (left.gamma / ray.gamma) : T{0};
    }
    kernels::cotangent_rows(block.cotangents().data(), block.directions(), g, grad_u.slice(first, count));
    e.hull.project(grad_u.slice(first, count), block.hull_scratch());
    for (std::size_t i = first; i < first + count; ++i) {
      if (status[i] != RowStatus::ok) std::fill_n(grad_u.row(i), grad_u.dim(), T{0});
    }
  };

  for (std::size_t first = 0, count = 0; first < u.count(); first += count) {
    count = std::min(kBlockRows, u.count() - first);
    for (std::size_t r = 0; r < count; ++r) {
      block.normals()[r] = status[first + r] == RowStatus::ok ? normal_of(first + r) : kernels::RayNormal<T>{};
    }
    const std::size_t done = e.hull.trivial()
                                 ? kernels::rays_vjp(rays, sets.anchor.slice(first, count), u.slice(first, count),
                                                     grad_x.slice(first, count), &state[first], block.normals().data(),
                                                     grad_u.slice(first, count), block.pull.data())
                                 : 0;
    if (done == 0) {
      count = e.hull.trivial() ? 1 : count;
      in_passes(first, count);
    } else {
      count = done;
      if (gradient.A.given()) block.load(u.slice(first, count), sets.anchor.slice(first, count), e.hull);
    }
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t i = first + r;
      const bool ok = status[i] == RowStatus::ok;
      const T of_row = block.pull[r] * block.normals()[r].weight;  // p w
      const bool binds = block.normals()[r].row != nullptr;
      const auto left = unpack<kernels::RayState>(state[i]);
      if (gradient.b.given()) {
        std::fill_n(gradient.b.row(i), gradient.b.dim(), T{0});
        if (binds) gradient.b.row(i)[left.active] = -of_row;
      }
      if (gradient.A.given() && binds) {
        const std::size_t place = (e.panels ? 0 : i * e.num_rows) + static_cast<std::size_t>(left.active);
        kernels::add_scaled(of_row / left.gamma, block.direction(r).data(), gradient.A.row(place), e.dim);
      }
      if (!gradient.anchor.given()) continue;
      if (ok) {
        kernels::combine(T{1}, grad_x.row(i), T{-1}, grad_u.row(i), gradient.anchor.row(i), e.dim);
      } else {
        std::fill_n(gradient.anchor.row(i), gradient.anchor.dim(), T{0});
      }
    }
  }
}

template class PolyhedraMap<float>;
template class PolyhedraMap<double>;

}  // namespace softradial
