#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "fused_coordinates.hpp"
#include "kernels/row_kernels.hpp"
#include "ray_block.hpp"
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
AnchoredSet<T> anchor_set(const Set& set, const Anchor& anchor) {
  const Eigen::VectorXd rounded = anchor.point.cast<T>().template cast<double>();
  GaugePtr<T> gauge = set->gauge<T>({rounded, anchor.hull});
  const double exact_kappa = gauge->kappa();
  const T kappa =
      exact_kappa > 0 ? std::nextafter(static_cast<T>(exact_kappa), std::numeric_limits<T>::infinity()) : T{0};
  std::vector<T> point(static_cast<std::size_t>(rounded.size()));
  for (std::size_t j = 0; j < point.size(); ++j) point[j] = static_cast<T>(rounded[static_cast<Eigen::Index>(j)]);
  return {std::move(point), HullProjector<T>(anchor.hull), std::move(gauge), kappa};
}

template <class T>
void fill_nan(std::span<T> row) noexcept {
  std::fill(row.begin(), row.end(), std::numeric_limits<T>::quiet_NaN());
}

}  // namespace

template <class T>
struct Evaluator<T>::Impl {
  AnchoredSet<T> set;
  std::size_t hull_dim;
  Method method;
  int threads;
  std::optional<kernels::CoordinateMap<T>> fused;
  std::size_t block_rows;

  // Calls body(first, count, rays) for consecutive blocks of rows. Blocks are cut by position alone, so that the
  // number of threads cannot change a bit of the result.
  template <class Body>
  void for_each_block(std::size_t rows, typename Workspace<T>::Impl& workspace, const Body& body) const noexcept;

  void project_rays(Rows<const T> u, Rows<T> x, RayBlock<T>& rays, std::span<RowState<T>> state) const noexcept;
  void vjp_rays(Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, RayBlock<T>& rays,
                std::span<const RowState<T>> state) const noexcept;
};

template <class T>
struct Workspace<T>::Impl {
  std::vector<RayBlock<T>> threads;  // one for each
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
  AnchoredSet<T> anchored = anchor_set<T>(set, anchor);
  auto fused = fuse_coordinates<T>(anchored, method);
  const std::size_t hull_dim = anchored.dim() - anchored.hull.codimension();
  const std::size_t block_rows = rows_per_block<T>(anchored.dim());
  impl_ = std::make_unique<Impl>(Impl{std::move(anchored), hull_dim, method, threads, fused, block_rows});
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

// x = u0 + step d
template <class T>
void Evaluator<T>::Impl::project_rays(Rows<const T> u, Rows<T> x, RayBlock<T>& rays,
                                      std::span<RowState<T>> state) const noexcept {
  rays.load(set, u);
  std::visit(
      [&](const auto& m) {
        for (std::size_t i = 0; i < u.count(); ++i) {
          const Ray<T>& ray = rays.ray(i);
          if (!state.empty()) state[i] = {ray.rho, ray.at.gamma, 0, ray.at.active};
          if (!ray.finite) {
            fill_nan(x[i]);
            continue;
          }
          const std::span<T> d = rays.direction(i);
          const T step = scale_ray(m, ray, std::span<const T>(d)).step;
          kernels::combine(T{1}, set.anchor.data(), step, d.data(), x.row(i), d.size());
        }
      },
      method);
}

// J'g = P_hull( phi (g + (d.g) (e_rho / rho d + e_gamma / gamma n)) ),  n = grad gamma(d) + kappa d / |d|.
// rho = 0 (u is the anchor) and gamma = 0 (the ray never leaves C) leave their terms out.
template <class T>
void Evaluator<T>::Impl::vjp_rays(Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, RayBlock<T>& rays,
                                  std::span<const RowState<T>> state) const noexcept {
  rays.load(set, u, state);
  std::visit(
      [&](const auto& m) {
        for (std::size_t i = 0; i < u.count(); ++i) {
          const Ray<T>& ray = rays.ray(i);
          const std::span<T> out = grad_u[i];
          if (!ray.finite) {
            fill_nan(out);
            continue;
          }
          const std::span<T> d = rays.direction(i);
          const auto scale = scale_ray(m, ray, std::span<const T>(d)).at;
          const T along = kernels::dot(d.data(), grad_x.row(i), d.size());
          T radial = ray.rho > 0 ? scale.phi * (along / ray.rho) * scale.e_rho : T{0};
          T normal = 0;
          if (ray.gamma > 0 && scale.e_gamma != 0) {
            normal = scale.phi * (along / ray.gamma) * scale.e_gamma;
            if (ray.rho > 0) radial += normal * set.kappa / ray.norm();
          }
          kernels::combine(scale.phi, grad_x.row(i), radial, d.data(), out.data(), d.size());
          if (normal != 0) set.gauge->add_gradient(normal, d, ray.at, out, rays.gauge_scratch());
          set.hull.project(out);
        }
      },
      method);
}

// A fused pass stops at a row of extreme size or with a NaN: that one goes through the rays, and the pass goes on behind.
template <class T>
void Evaluator<T>::project(Rows<const T> u, Rows<T> x, Workspace<T>& workspace,
                           std::span<RowState<T>> state) const noexcept {
  const Impl& e = *impl_;
  e.for_each_block(u.count(), workspace.impl(), [&](std::size_t first, std::size_t count, RayBlock<T>& rays) {
    const auto states = state.empty() ? state : state.subspan(first, count);
    if (!e.fused) {
      e.project_rays(u.slice(first, count), x.slice(first, count), rays, states);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t rest = count - i;
      i += kernels::project(*e.fused, u.slice(first + i, rest), x.slice(first + i, rest),
                            states.empty() ? nullptr : &states[i]);
      if (i == count) break;
      e.project_rays(u.slice(first + i, 1), x.slice(first + i, 1), rays, {});
      if (!states.empty()) states[i].rho = std::numeric_limits<T>::infinity();
    }
  });
}

template <class T>
void Evaluator<T>::project_vjp(Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, Workspace<T>& workspace,
                               std::span<const RowState<T>> state) const noexcept {
  const Impl& e = *impl_;
  e.for_each_block(u.count(), workspace.impl(), [&](std::size_t first, std::size_t count, RayBlock<T>& rays) {
    const auto states = state.empty() ? state : state.subspan(first, count);
    if (!e.fused) {
      e.vjp_rays(u.slice(first, count), grad_x.slice(first, count), grad_u.slice(first, count), rays, states);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t rest = count - i;
      i += kernels::project_vjp(*e.fused, u.slice(first + i, rest), grad_x.slice(first + i, rest),
                                states.empty() ? nullptr : &states[i], grad_u.slice(first + i, rest));
      if (i == count) break;
      e.vjp_rays(u.slice(first + i, 1), grad_x.slice(first + i, 1), grad_u.slice(first + i, 1), rays, {});
    }
  });
}

// J v = phi (P v + d (e_rho / rho (d.Pv) + e_gamma / gamma (n.Pv)))
template <class T>
void Evaluator<T>::project_jvp(Rows<const T> u, Rows<const T> tangent_u, Rows<T> tangent_x,
                               Workspace<T>& workspace) const noexcept {
  const Impl& e = *impl_;
  e.for_each_block(u.count(), workspace.impl(), [&](std::size_t first, std::size_t count, RayBlock<T>& rays) {
    rays.load(e.set, u.slice(first, count));
    std::visit(
        [&](const auto& m) {
          for (std::size_t i = 0; i < count; ++i) {
            const Ray<T>& ray = rays.ray(i);
            const std::span<T> out = tangent_x[first + i];
            if (!ray.finite) {
              fill_nan(out);
              continue;
            }
            const std::span<T> d = rays.direction(i);
            const auto scale = scale_ray(m, ray, std::span<const T>(d)).at;
            const std::span<const T> v = tangent_u[first + i];
            std::copy(v.begin(), v.end(), out.begin());
            e.set.hull.project(out);
            const T along = kernels::dot(d.data(), out.data(), d.size());
            T radial = ray.rho > 0 ? along / ray.rho * scale.e_rho : T{0};
            if (ray.gamma > 0 && scale.e_gamma != 0) {
              const std::span<T> n = rays.spare();
              std::fill(n.begin(), n.end(), T{0});
              e.set.gauge->add_gradient(T{1}, d, ray.at, n, rays.gauge_scratch());
              T across = kernels::dot(n.data(), out.data(), d.size());
              if (ray.rho > 0) across += e.set.kappa * along / ray.norm();
              radial += across / ray.gamma * scale.e_gamma;
            }
            kernels::combine(scale.phi, out.data(), scale.phi * radial, d.data(), out.data(), d.size());
          }
        },
        e.method);
  });
}

// x = u0 + e: u = u0 + t e with t from the profile's inverse. x may lie in the shell that the guard leaves out, between
// the guarded set and C, or seem to, because e is rounded when x is projected onto the hull again: it is taken for the
// outermost point of the guarded set.
template <class T>
void Evaluator<T>::inverse(Rows<const T> x, Rows<T> u, Workspace<T>& workspace) const noexcept {
  const Impl& e = *impl_;
  constexpr T kUlp = std::numeric_limits<T>::epsilon();
  const double sigma = e.set.gauge->sigma() + 8 * static_cast<double>(kUlp);
  const double reprojection = e.set.hull.trivial() ? 0 : 4 * static_cast<double>(kUlp) * e.set.gauge->lipschitz();
  T anchor_size = 0;
  for (const T v : e.set.anchor) anchor_size = std::max(anchor_size, std::abs(v));
  e.for_each_block(x.count(), workspace.impl(), [&](std::size_t first, std::size_t count, RayBlock<T>& rays) {
    rays.load(e.set, x.slice(first, count));
    std::visit(
        [&](const auto& m) {
          for (std::size_t i = 0; i < count; ++i) {
            const Ray<T>& ray = rays.ray(i);
            const std::span<T> d = rays.direction(i);
            const double size = std::ldexp(1.0, ray.exponent);
            const double eta = static_cast<double>(ray.gamma) * size;
            const double length = size * static_cast<double>(ray.norm());
            const double shell = 2 * (sigma + static_cast<double>(e.set.kappa) * length) +
                                 reprojection * (static_cast<double>(anchor_size) + length);
            const double off_hull = static_cast<double>(ray.off_hull) * size;
            const double on_hull = 64 * static_cast<double>(kUlp) * static_cast<double>(d.size()) *
                                   (static_cast<double>(anchor_size) + length);
            if (!ray.finite || !(eta < 1 + shell) || off_hull > on_hull) {
              fill_nan(u[first + i]);
              continue;
            }
            const double t = inverse_scale(m, static_cast<double>(ray.rho) * size * size, std::min(eta, 1.0));
            kernels::combine(T{1}, e.set.anchor.data(), static_cast<T>(t * size), d.data(), u.row(first + i), d.size());
          }
        },
        e.method);
  });
}

// k log phi + log e_radial
template <class T>
void Evaluator<T>::log_abs_det(Rows<const T> u, std::span<T> out, Workspace<T>& workspace) const noexcept {
  const Impl& e = *impl_;
  e.for_each_block(u.count(), workspace.impl(), [&](std::size_t first, std::size_t count, RayBlock<T>& rays) {
    rays.load(e.set, u.slice(first, count));
    std::visit(
        [&](const auto& m) {
          for (std::size_t i = 0; i < count; ++i) {
            const Ray<T>& ray = rays.ray(i);
            if (!ray.finite) {
              out[first + i] = std::numeric_limits<T>::quiet_NaN();
              continue;
            }
            if (e.hull_dim == 0) {
              out[first + i] = 0;
              continue;
            }
            const double log_size = ray.exponent * std::log(2.0);
            const double size = std::ldexp(1.0, ray.exponent);
            const double rho = static_cast<double>(ray.rho) * size * size;
            const auto scale = scale_ray(m, ray, std::span<const T>(rays.direction(i)));
            const double log_rho = std::log(static_cast<double>(ray.rho)) + 2 * log_size;
            const double log_phi = std::log(static_cast<double>(scale.step)) - log_size;
            const double radial = log_radial(m, rho, log_rho, static_cast<double>(ray.gamma) * size);
            out[first + i] = static_cast<T>(static_cast<double>(e.hull_dim) * log_phi + radial);
          }
        },
        e.method);
  });
}

template <class T>
void Evaluator<T>::slack(Rows<const T> u, std::span<T> out, Workspace<T>& workspace) const noexcept {
  const Impl& e = *impl_;
  e.for_each_block(u.count(), workspace.impl(), [&](std::size_t first, std::size_t count, RayBlock<T>& rays) {
    rays.load(e.set, u.slice(first, count));
    std::visit(
        [&](const auto& m) {
          for (std::size_t i = 0; i < count; ++i) {
            const Ray<T>& ray = rays.ray(i);
            const T slack = scale_ray(m, ray, std::span<const T>(rays.direction(i))).at.slack;
            // The guard keeps x inside by more than any slack that underflows.
            out[first + i] =
                ray.finite ? std::max(slack, std::numeric_limits<T>::min()) : std::numeric_limits<T>::quiet_NaN();
          }
        },
        e.method);
  });
}

template class Workspace<float>;
template class Workspace<double>;
template class Evaluator<float>;
template class Evaluator<double>;

}  // namespace softradial
