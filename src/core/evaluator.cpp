#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "algebra/as_doubles.hpp"
#include "kernels/ray_kernels.hpp"
#include "kernels/row_kernels.hpp"
#include "option_checks.hpp"
#include "ray_block.hpp"
#include "sets/coordinates/fused_coordinates.hpp"
#include "sets/margin.hpp"
#include "sets/number_text.hpp"
#include "sets/sized_gauge.hpp"
#include "softradial/errors.hpp"
#include "softradial/projection.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace softradial {
namespace {

// Rows that go through a gauge together: enough for a matrix kernel to run at full speed, within the second-level cache.
template <class T>
std::size_t rows_per_block(std::size_t dim) noexcept {
  constexpr std::size_t kBytes = 128 * 1024;
  constexpr std::size_t kTile = 14;
  return std::clamp<std::size_t>(kBytes / (std::max<std::size_t>(dim, 1) * sizeof(T)) / kTile, 1, 8) * kTile;
}

template <class T>
void require_in_range(const Eigen::VectorXd& anchor) {
  for (Eigen::Index j = 0; j < anchor.size(); ++j) {
    if (std::abs(anchor[j]) <= static_cast<double>(guard::kLargestSlack<T>)) continue;
    throw AnchorNotInterior("anchor: entry " + std::to_string(j) + " is " + number_text(anchor[j]) +
                            ", too large for " + precision_name<T>());
  }
}

// Entries below the smallest normal number of T lose digits, or all of them. An equality between such entries alone is lost, too.
template <class T>
void require_equalities(const Anchor& anchor, const Eigen::VectorXd& rounded) {
  constexpr auto kSmallest = static_cast<double>(std::numeric_limits<T>::min());
  const Eigen::ArrayXd sizes = anchor.point.cwiseAbs();
  if (!(sizes > 0 && sizes < kSmallest).any()) return;
  const Eigen::VectorXd lost = anchor.point - rounded;
  const double tolerance = 4 * static_cast<double>(sizes.size()) * guard::kUlp<T>;
  for (Eigen::Index k = 0; k < anchor.hull.normals.rows(); ++k) {
    const auto normal = anchor.hull.normals.row(k);
    if (std::abs(normal.dot(lost)) <= tolerance * normal.cwiseAbs().dot(sizes.matrix())) continue;
    throw AnchorNotInterior("anchor: an equality holds between entries as small as " +
                            number_text((sizes > 0).select(sizes, kSmallest).minCoeff()) + ", too small for " +
                            precision_name<T>());
  }
}

template <class T>
AnchoredSet<T> anchor_set(const Set& set, const Anchor& anchor) {
  const Eigen::VectorXd rounded = anchor.point.cast<T>().template cast<double>();
  require_in_range<T>(anchor.point);
  require_equalities<T>(anchor, rounded);
  GaugePtr<T> gauge = sized_gauge<T>(set, {rounded, anchor.hull});
  require_reach<T>(gauge->lipschitz());
  const T kappa = guard::rounded_up<T>(gauge->kappa());
  std::vector<T> point(static_cast<std::size_t>(rounded.size()));
  for (std::size_t j = 0; j < point.size(); ++j) point[j] = static_cast<T>(rounded[static_cast<Eigen::Index>(j)]);
  HullProjector<T> hull(anchor.hull, units_of(*gauge, set.dim()));
  return {std::move(point), std::move(hull), std::move(gauge), kappa};
}

// phi of a row of ordinary size is neither 0 nor infinite.
template <class T>
void require_lambda(double lambda) {
  require_between<T>("lambda", lambda, guard::kSmallestSlack<T>, guard::kLargestNorm<T>);
}
template <class T>
void require_representable(const SoftRadial& m) {
  require_lambda<T>(m.lambda);
  require_between<T>("epsilon", m.epsilon, std::numeric_limits<T>::min() / std::min(1.0, m.lambda), 1);
}
template <class T>
void require_representable(const HardRadial&) {}
template <class T>
void require_representable(const GaugeMap& m) {
  require_lambda<T>(m.lambda);
}

// The fused backward pass along rays; empty for sets that it does not serve.
template <class T>
std::optional<kernels::RayMap<T>> fuse_rays(const AnchoredSet<T>& set, const Method& method) {
  const bool rows_are_stored = set.gauge->num_pieces() > 0 && set.gauge->gradient_row({T{1}, 0}) != nullptr;
  if (!set.hull.trivial() || !rows_are_stored) return std::nullopt;
  return kernels::RayMap<T>{method, profile_function<T>(method)};
}

template <class T>
void fill_nan(std::span<T> row) noexcept {
  std::fill(row.begin(), row.end(), std::numeric_limits<T>::quiet_NaN());
}

// log e_radial, also where gamma overflows. There it is log(lambda / gamma) for the gauge map, or the logarithm of an
// exponential of gamma, beyond every number; for the other maps it is enough that the point is outside.
template <class M>
double log_radial_at(const M& m, double rho, double log_rho, double gamma, double log_gamma) noexcept {
  if constexpr (std::is_same_v<M, GaugeMap>) {
    constexpr double kFar = std::numeric_limits<double>::max() / 8;
    if (!(gamma / m.lambda < kFar)) {
      return m.contraction == Contraction::rational ? std::log(m.lambda) - log_gamma
                                                    : -std::numeric_limits<double>::infinity();
    }
  }
  return log_radial(m, rho, log_rho, gamma);
}

// One number for each row of a batch.
template <class T>
Rows<T> numbers(std::span<T> values) noexcept {
  return {values.data(), values.size(), 1};
}

}  // namespace

template <class T>
struct Evaluator<T>::Impl {
  AnchoredSet<T> set;
  std::size_t hull_dim;
  Method method;
  int threads;
  std::optional<kernels::CoordinateMap<T>> fused;
  std::optional<kernels::RayMap<T>> fused_rays;
  std::size_t block_rows;

  // Calls body(first, count, rays) for consecutive blocks of rows. Blocks are cut by position alone, so that the
  // number of threads cannot change a bit of the result.
  template <class Body>
  void for_each_block(std::size_t rows, typename Workspace<T>::Impl& workspace, const Body& body) const noexcept;

  // Calls body(m, i, ray, d) for the rows of a block that are finite, m being the method; the others are NaN in `out`.
  template <class Body>
  void for_each_ray(RayBlock<T>& rays, Rows<T> out, const Body& body) const noexcept;

  // Does the same for the rows of a whole batch: body(m, i, ray, d, rays) also gets the rays of its block. before(first, count,
  // rays) comes first for every block.
  template <class Body, class Before>
  void for_each_row(Rows<const T> u, Rows<T> out, typename Workspace<T>::Impl& workspace, const Body& body,
                    const Before& before) const noexcept;
  template <class Body>
  void for_each_row(Rows<const T> u, Rows<T> out, typename Workspace<T>::Impl& workspace,
                    const Body& body) const noexcept {
    for_each_row(u, out, workspace, body, [](std::size_t, std::size_t, RayBlock<T>&) {});
  }

  // These return how many rows are not finite.
  std::size_t project_blocks(Rows<const T> u, Rows<T> x, typename Workspace<T>::Impl& workspace,
                             std::span<RowState<T>> state) const noexcept;
  std::size_t project_rays(Rows<const T> u, Rows<T> x, RayBlock<T>& rays, std::span<RowState<T>> state) const noexcept;
  // Saves rho, gamma and the active piece of each ray for the backward pass.
  void save(const RayBlock<T>& rays, std::span<RowState<T>> state) const noexcept;
  void vjp_rays(Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, RayBlock<T>& rays,
                std::span<const RowState<T>> state) const noexcept;

  // Does rows 0, 1, ... by a fused pass, up to the first that it cannot do; returns how many it did.
  std::size_t vjp_fused(Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, RayBlock<T>& rays,
                        std::span<const RowState<T>> state) const noexcept;
};

template <class T>
struct Workspace<T>::Impl {
  std::vector<RayBlock<T>> threads;  // one block of rays for each thread
};

template <class T>
Workspace<T>::Workspace(const Evaluator<T>& evaluator) : impl_(std::make_unique<Impl>()) {
  const auto& e = evaluator.impl();
  impl_->threads.reserve(static_cast<std::size_t>(e.threads));
  for (int t = 0; t < e.threads; ++t) impl_->threads.emplace_back(e.set, e.block_rows);
}
template <class T>
Workspace<T>::Workspace(Workspace&&) noexcept = default;
template <class T>
Workspace<T>& Workspace<T>::operator=(Workspace&&) noexcept = default;
template <class T>
Workspace<T>::~Workspace() = default;

template <class T>
Evaluator<T>::Evaluator(Set set, const Anchor& anchor, Method method, int threads) {
  std::visit([](const auto& m) { require_representable<T>(m); }, method);
  AnchoredSet<T> anchored = anchor_set<T>(set, anchor);
  auto fused = fuse_coordinates<T>(anchored, method);
  auto fused_rays = fuse_rays<T>(anchored, method);
  const std::size_t hull_dim = anchored.dim() - anchored.hull.codimension();
  const std::size_t block_rows = rows_per_block<T>(anchored.dim());
  impl_ = std::make_unique<Impl>(Impl{std::move(anchored), hull_dim, method, threads, fused, fused_rays, block_rows});
}
template <class T>
Evaluator<T>::Evaluator(Evaluator&&) noexcept = default;
template <class T>
Evaluator<T>& Evaluator<T>::operator=(Evaluator&&) noexcept = default;
template <class T>
Evaluator<T>::~Evaluator() = default;

template <class T>
std::size_t Evaluator<T>::dim() const noexcept {
  return impl_->set.dim();
}

template <class T>
MapForm Evaluator<T>::form(const TensorSpace& space) const {
  const AnchoredSet<T>& set = impl_->set;
  return {.anchor = as_doubles<T>(set.anchor),
          .normals = set.hull.normals(),
          .gauge = set.gauge->in_tensors(space),
          .kappa = set.kappa,
          .sigma = set.gauge->sigma(),
          .lipschitz = set.gauge->lipschitz()};
}

template <class T>
template <class Body>
void Evaluator<T>::Impl::for_each_block(std::size_t rows, typename Workspace<T>::Impl& workspace,
                                        const Body& body) const noexcept {
  const std::size_t block = block_rows;
  if (rows <= block) {
    if (rows > 0) body(std::size_t{0}, rows, workspace.threads[0]);
    return;
  }
  const std::size_t blocks = (rows + block - 1) / block;
#ifdef _OPENMP
  if (threads > 1) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t b = 0; b < blocks; ++b) {
      body(b * block, std::min(block, rows - b * block),
           workspace.threads[static_cast<std::size_t>(omp_get_thread_num())]);
    }
    return;
  }
#endif
  for (std::size_t b = 0; b < blocks; ++b) body(b * block, std::min(block, rows - b * block), workspace.threads[0]);
}

template <class T>
template <class Body>
void Evaluator<T>::Impl::for_each_ray(RayBlock<T>& rays, Rows<T> out, const Body& body) const noexcept {
  std::visit(
      [&](const auto& m) {
        for (std::size_t i = 0; i < out.count(); ++i) {
          if (rays.ray(i).finite) {
            body(m, i, rays.ray(i), rays.direction(i));
          } else {
            fill_nan(out[i]);
          }
        }
      },
      method);
}

template <class T>
template <class Body, class Before>
void Evaluator<T>::Impl::for_each_row(Rows<const T> u, Rows<T> out, typename Workspace<T>::Impl& workspace,
                                      const Body& body, const Before& before) const noexcept {
  for_each_block(u.count(), workspace, [&](std::size_t first, std::size_t count, RayBlock<T>& rays) {
    rays.load(set, u.slice(first, count));
    before(first, count, rays);
    const auto at_row = [&](const auto& m, std::size_t i, const Ray<T>& ray, std::span<const T> d) {
      body(m, first + i, ray, d, rays);
    };
    for_each_ray(rays, out.slice(first, count), at_row);
  });
}

template <class T>
void Evaluator<T>::Impl::save(const RayBlock<T>& rays, std::span<RowState<T>> state) const noexcept {
  for (std::size_t i = 0; i < state.size(); ++i) {
    const Ray<T>& ray = rays.ray(i);
    const bool ordinary = ray.finite && ray.exponent == 0;
    state[i] = pack(kernels::RayState<T>{.rho = ordinary ? ray.rho : std::numeric_limits<T>::infinity(),
                                         .gamma = ray.at.gamma,
                                         .kappa = set.kappa,
                                         .active = ray.at.active});
  }
}

// x = u0 + step d
template <class T>
std::size_t Evaluator<T>::Impl::project_rays(Rows<const T> u, Rows<T> x, RayBlock<T>& rays,
                                             std::span<RowState<T>> state) const noexcept {
  rays.load(set, u);
  save(rays, state);
  const std::span<T> steps = rays.numbers();
  std::size_t marked = 0;
  std::visit(
      [&](const auto& m) {
        for (std::size_t i = 0; i < u.count(); ++i) {
          const Ray<T>& ray = rays.ray(i);
          marked += ray.finite ? 0 : 1;
          steps[i] = ray.finite ? scale_ray<T>(m, ray, rays.direction(i)).step : std::numeric_limits<T>::quiet_NaN();
        }
      },
      method);
  rays.step(set.anchors(u.count()), x);
  return marked;
}

// J'g = P_hull( phi g + radial d + normal grad gamma(d) )
template <class T>
void Evaluator<T>::Impl::vjp_rays(Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, RayBlock<T>& rays,
                                  std::span<const RowState<T>> state) const noexcept {
  rays.load(set, u, state);
  const std::span<T> along = rays.numbers();
  const auto terms = rays.cotangents();
  kernels::dot_rows(rays.directions(), grad_x, along.data());
  std::visit(
      [&](const auto& m) {
        for (std::size_t i = 0; i < u.count(); ++i) {
          const Ray<T>& ray = rays.ray(i);
          const RayCotangent<T> at = cotangent_of<T>(m, ray, rays.direction(i), along[i], set.kappa);
          terms[i] = {at.phi, at.radial, at.normal, set.gauge->gradient_row(ray.at)};
        }
      },
      method);
  kernels::cotangent_rows(terms.data(), rays.directions(), grad_x, grad_u);
  for (std::size_t i = 0; i < u.count(); ++i) {
    const Ray<T>& ray = rays.ray(i);
    if (ray.finite && terms[i].normal != 0 && terms[i].row == nullptr) {
      set.gauge->add_gradient(terms[i].normal, rays.direction(i), ray.at, grad_u[i], rays.gauge_scratch());
    }
  }
  set.hull.project(grad_u, rays.hull_scratch());
  for (std::size_t i = 0; i < u.count(); ++i) {
    if (!rays.ray(i).finite) fill_nan(grad_u[i]);
  }
}

template <class T>
std::size_t Evaluator<T>::Impl::vjp_fused(Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, RayBlock<T>& rays,
                                          std::span<const RowState<T>> state) const noexcept {
  if (fused) return kernels::project_vjp(*fused, u, grad_x, state.empty() ? nullptr : state.data(), grad_u);
  const std::span<kernels::RayNormal<T>> normals = rays.normals();
  for (std::size_t i = 0; i < u.count(); ++i) {
    const auto left = unpack<kernels::RayState>(state[i]);
    normals[i].row = set.gauge->gradient_row({left.gamma, left.active});
  }
  return kernels::rays_vjp(*fused_rays, set.anchors(u.count()), u, grad_x, state.data(), normals.data(), grad_u);
}

// A fused pass stops at a row of extreme size or with a NaN. That row goes through the rays, and the pass goes on behind it.
template <class T>
std::size_t Evaluator<T>::Impl::project_blocks(Rows<const T> u, Rows<T> x, typename Workspace<T>::Impl& workspace,
                                               std::span<RowState<T>> state) const noexcept {
  std::atomic<std::size_t> marked = 0;  // blocks run on several threads
  for_each_block(u.count(), workspace, [&](std::size_t first, std::size_t count, RayBlock<T>& rays) {
    const auto states = state.empty() ? state : state.subspan(first, count);
    if (!fused) {
      marked += project_rays(u.slice(first, count), x.slice(first, count), rays, states);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t rest = count - i;
      i += kernels::project(*fused, u.slice(first + i, rest), x.slice(first + i, rest),
                            states.empty() ? nullptr : &states[i]);
      if (i == count) break;
      marked += project_rays(u.slice(first + i, 1), x.slice(first + i, 1), rays, {});
      if (!states.empty()) states[i] = {.rho = std::numeric_limits<T>::infinity()};
    }
  });
  return marked;
}

// Blocks serve threads and gauges that store results. A fused pass on one thread needs none, which saves a single row a
// quarter of its time; the blocks begin at the first row that it cannot do.
template <class T>
std::size_t Evaluator<T>::project(Rows<const T> u, Rows<T> x, Workspace<T>& workspace,
                                  std::span<RowState<T>> state) const noexcept {
  const Impl& e = *impl_;
  if (!e.fused || e.threads > 1) return e.project_blocks(u, x, workspace.impl(), state);
  const std::size_t done = kernels::project(*e.fused, u, x, state.empty() ? nullptr : state.data());
  if (done == u.count()) return 0;
  const std::size_t rest = u.count() - done;
  return e.project_blocks(u.slice(done, rest), x.slice(done, rest), workspace.impl(),
                          state.empty() ? state : state.subspan(done));
}

template <class T>
void Evaluator<T>::project_vjp(Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, Workspace<T>& workspace,
                               std::span<const RowState<T>> state) const noexcept {
  const Impl& e = *impl_;
  e.for_each_block(u.count(), workspace.impl(), [&](std::size_t first, std::size_t count, RayBlock<T>& rays) {
    auto states = state.empty() ? state : state.subspan(first, count);
    if (!e.fused && !e.fused_rays) {
      e.vjp_rays(u.slice(first, count), grad_x.slice(first, count), grad_u.slice(first, count), rays, states);
      return;
    }
    if (e.fused_rays && states.empty()) {
      rays.load(e.set, u.slice(first, count));
      e.save(rays, rays.states().first(count));
      states = rays.states().first(count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t rest = count - i;
      i += e.vjp_fused(u.slice(first + i, rest), grad_x.slice(first + i, rest), grad_u.slice(first + i, rest), rays,
                       states.empty() ? states : states.subspan(i));
      if (i == count) break;
      e.vjp_rays(u.slice(first + i, 1), grad_x.slice(first + i, 1), grad_u.slice(first + i, 1), rays, {});
    }
  });
}

// With P v = c d + w, c = d.Pv / rho, w across d, and n.d = gamma:
//   J v = phi (w + d (c e_radial + e_gamma / gamma (n.w)))
// Along the ray that is phi e_radial d at once. The sum of P v and its two corrections would lose e_radial to rounding where
// it is below an ulp: with lambda = 1 and float from |d| of some thousands on.
template <class T>
void Evaluator<T>::project_jvp(Rows<const T> u, Rows<const T> tangent_u, Rows<T> tangent_x,
                               Workspace<T>& workspace) const noexcept {
  const AnchoredSet<T>& set = impl_->set;
  const auto project_tangents = [&](std::size_t first, std::size_t count, RayBlock<T>& rays) {
    for (std::size_t i = first; i < first + count; ++i) std::copy_n(tangent_u.row(i), set.dim(), tangent_x.row(i));
    set.hull.project(tangent_x.slice(first, count), rays.hull_scratch());
  };
  const auto jvp = [&](const auto& m, std::size_t i, const Ray<T>& ray, std::span<const T> d, RayBlock<T>& rays) {
    const auto scale = scale_ray(m, ray, d).at;
    const std::span<T> out = tangent_x[i];
    const T along = kernels::dot(d.data(), out.data(), d.size());
    const T c = ray.rho > 0 ? along / ray.rho : T{0};
    kernels::combine(T{1}, out.data(), -c, d.data(), out.data(), d.size());
    T radial = c * scale.e_radial;
    if (ray.gamma > 0 && scale.e_gamma != 0) {
      const std::span<T> n = rays.spare();
      std::fill(n.begin(), n.end(), T{0});
      set.gauge->add_gradient(T{1}, d, ray.at, n, rays.gauge_scratch());
      const T across = kernels::dot(n.data(), out.data(), d.size());
      radial += elasticity_term(T{1}, across, ray.gamma, scale.e_gamma);
    }
    kernels::combine(scale.phi, out.data(), scale.phi * radial, d.data(), out.data(), d.size());
  };
  impl_->for_each_row(u, tangent_x, workspace.impl(), jvp, project_tangents);
}

// x = u0 + e: u = u0 + t e with t from the profile's inverse. x may lie in the shell that the guard leaves out, between
// the guarded set and C, or seem to, because e is rounded when x is projected onto the hull again: it is taken for the
// outermost point of the guarded set.
template <class T>
void Evaluator<T>::inverse(Rows<const T> x, Rows<T> u, Workspace<T>& workspace) const noexcept {
  const AnchoredSet<T>& set = impl_->set;
  constexpr double kUlp = std::numeric_limits<T>::epsilon();
  const double sigma = set.gauge->sigma() + 8 * kUlp;
  const double reprojection = set.hull.trivial() ? 0 : 4 * kUlp * set.gauge->lipschitz();
  double anchor_size = 0;
  for (const T v : set.anchor) anchor_size = std::max(anchor_size, std::abs(static_cast<double>(v)));
  const auto invert = [&](const auto& m, std::size_t i, const Ray<T>& ray, std::span<const T> d, RayBlock<T>&) {
    const double size = std::ldexp(1.0, ray.exponent);
    const double eta = static_cast<double>(ray.gamma) * size;
    const double length = size * static_cast<double>(ray.norm());
    // phi is largest at the anchor. This bounds how much it can have enlarged the rounding of u - u0.
    const double steepest = std::max(1.0, profile(m, 0.0, 0.0).phi);
    const double extent = steepest * anchor_size + length;
    const double shell = 2 * (sigma + static_cast<double>(set.kappa) * length) + reprojection * extent;
    const double on_hull = 64 * kUlp * static_cast<double>(d.size()) * extent;
    if (!(eta < 1 + shell) || ray.off_hull > on_hull) {
      fill_nan(u[i]);
      return;
    }
    const double t = inverse_scale(m, static_cast<double>(ray.rho) * size * size, std::min(eta, 1.0));
    kernels::combine(T{1}, set.anchor.data(), static_cast<T>(t * size), d.data(), u.row(i), d.size());
  };
  impl_->for_each_row(x, u, workspace.impl(), invert);
}

// k log phi + log e_radial
template <class T>
void Evaluator<T>::log_abs_det(Rows<const T> u, std::span<T> out, Workspace<T>& workspace) const noexcept {
  const auto hull_dim = static_cast<double>(impl_->hull_dim);
  const auto log_det = [&](const auto& m, std::size_t i, const Ray<T>& ray, std::span<const T> d, RayBlock<T>&) {
    if (hull_dim == 0) {
      out[i] = 0;
      return;
    }
    const double log_size = ray.exponent * std::log(2.0);
    const double size = std::ldexp(1.0, ray.exponent);
    const double rho = static_cast<double>(ray.rho) * size * size;
    const double log_rho = std::log(static_cast<double>(ray.rho)) + 2 * log_size;
    // phi of a huge row underflows, and so does the step of a row of denormals.
    const RayScale<T> scale = scale_ray(m, ray, d);
    const double log_phi = ray.exponent < 0 ? std::log(static_cast<double>(scale.at.phi))
                                            : std::log(static_cast<double>(scale.step)) - log_size;
    const double gamma = static_cast<double>(ray.gamma) * size;
    const double log_gamma = std::log(static_cast<double>(ray.gamma)) + log_size;
    const double radial = log_radial_at(m, rho, log_rho, gamma, log_gamma);
    out[i] = static_cast<T>(hull_dim * log_phi + radial);
  };
  impl_->for_each_row(u, numbers(out), workspace.impl(), log_det);
}

template <class T>
void Evaluator<T>::slack(Rows<const T> u, std::span<T> out, Workspace<T>& workspace) const noexcept {
  const auto slack = [&](const auto& m, std::size_t i, const Ray<T>& ray, std::span<const T> d, RayBlock<T>&) {
    // The guard keeps x inside by more than any slack that underflows.
    out[i] = std::max(scale_ray(m, ray, d).at.slack, std::numeric_limits<T>::min());
  };
  impl_->for_each_row(u, numbers(out), workspace.impl(), slack);
}

template class Workspace<float>;
template class Workspace<double>;
template class Evaluator<float>;
template class Evaluator<double>;

}  // namespace softradial
