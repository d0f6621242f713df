#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "softradial/sample_bounds.hpp"
#include "softradial/sample_polyhedra.hpp"
#include "softradial/sets.hpp"
#include "support/batch.hpp"
#include "support/random_points.hpp"

// Batches with a set of its own in each row, and what the maps make of them.
namespace softradial::support {

struct NamedMethod {
  std::string name;
  Method method;
};

inline std::vector<NamedMethod> all_methods() {
  return {{"soft rational", SoftRadial{}},
          {"soft exponential", SoftRadial{.contraction = Contraction::exponential, .lambda = 0.5}},
          {"soft hyperbolic", SoftRadial{.contraction = Contraction::hyperbolic, .lambda = 2, .epsilon = 0.1}},
          {"hard", HardRadial{}},
          {"gauge map rational", GaugeMap{}},
          {"gauge map exponential", GaugeMap{.contraction = Contraction::exponential, .lambda = 2}},
          {"gauge map hyperbolic", GaugeMap{.contraction = Contraction::hyperbolic, .lambda = 0.5}}};
}

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// The rows of `batch` with the indices given.
template <class T>
Batch<T> select(const Batch<T>& batch, const std::vector<std::size_t>& indices) {
  Batch<T> out(indices.size(), batch.dim());
  for (std::size_t r = 0; r < indices.size(); ++r) out.set(r, batch.get(indices[r]));
  return out;
}
template <class T>
std::optional<Batch<T>> select(const std::optional<Batch<T>>& batch, const std::vector<std::size_t>& indices) {
  return batch ? std::optional(select(*batch, indices)) : std::nullopt;
}

// What a forward pass leaves.
template <class T>
struct Projected {
  Batch<T> x;
  std::vector<RowStatus> status;
  std::vector<RowState<T>> state;

  explicit Projected(std::size_t count, std::size_t dim) : x(count, dim), status(count), state(count) {}
};

template <class T>
struct BoundsBatch {
  Batch<T> u;
  Batch<T> lower;
  Batch<T> upper;
  std::optional<Batch<T>> total;
  std::optional<Batch<T>> anchor;
  bool one_lower = false;  // the first row of `lower` is that of all

  BoundsBatch(std::size_t count, std::size_t dim) : u(count, dim), lower(count, dim), upper(count, dim) {}

  [[nodiscard]] std::size_t count() const { return u.count(); }
  [[nodiscard]] std::size_t dim() const { return u.dim(); }
  [[nodiscard]] SampleBounds<T> view() const {
    const Rows<const T> lowers = lower.view();
    return {one_lower ? Rows<const T>(lowers.data(), count(), dim(), 0) : lowers, upper.view(),
            total ? total->view() : Rows<const T>(), anchor ? anchor->view() : Rows<const T>()};
  }
  [[nodiscard]] BoundsBatch rows(const std::vector<std::size_t>& indices) const {
    BoundsBatch out(0, dim());
    out.u = select(u, indices);
    out.lower = select(lower, indices);
    out.upper = select(upper, indices);
    out.total = select(total, indices);
    out.anchor = select(anchor, indices);
    out.one_lower = one_lower;
    return out;
  }
};

template <class T>
Projected<T> project(const Method& method, const BoundsBatch<T>& batch) {
  Projected<T> out(batch.count(), batch.dim());
  BoundsMap<T>(batch.dim(), method).project(batch.view(), batch.u.view(), out.x.rows(), out.status, out.state);
  return out;
}

template <class T>
struct BoundsCotangents {
  Batch<T> u;
  Batch<T> lower;
  Batch<T> upper;
  Batch<T> total;   // no rows where there is no total
  Batch<T> anchor;  // no rows where there is no anchor

  // Not zeros: what is not written shows.
  explicit BoundsCotangents(const BoundsBatch<T>& batch)
      : u(batch.count(), batch.dim()),
        lower(batch.count(), batch.dim()),
        upper(batch.count(), batch.dim()),
        total(batch.total ? batch.count() : 0, 1),
        anchor(batch.anchor ? batch.count() : 0, batch.dim()) {
    for (Batch<T>* part : {&u, &lower, &upper, &total, &anchor}) {
      for (std::size_t i = 0; i < part->count(); ++i) std::ranges::fill((*part)[i], T{12345});
    }
  }
  // Of row i, everything in one vector.
  [[nodiscard]] Eigen::VectorXd row(std::size_t i) const {
    std::vector<double> all;
    for (const Batch<T>* part : {&u, &lower, &upper, &total, &anchor}) {
      if (part->count() > 0) all.insert(all.end(), (*part)[i].begin(), (*part)[i].end());
    }
    return Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
  }
};

// Which of the data's cotangents are asked for; `lower` is left as it was where it is not.
enum class Wanted { everything, all_but_lower };

template <class T>
BoundsCotangents<T> vjp(const Method& method, const BoundsBatch<T>& batch, const Projected<T>& forward,
                        const Batch<T>& grad_x, Wanted wanted = Wanted::everything) {
  BoundsCotangents<T> out(batch);
  BoundsMap<T>(batch.dim(), method)
      .project_vjp(batch.view(), batch.u.view(), grad_x.view(), forward.status, forward.state, out.u.rows(),
                   {wanted == Wanted::everything ? out.lower.rows() : Rows<T>(), out.upper.rows(),
                    batch.total ? out.total.rows() : Rows<T>(), batch.anchor ? out.anchor.rows() : Rows<T>()});
  return out;
}

template <class T>
struct PolyhedraBatch {
  Batch<T> u;
  Batch<T> A;  // num_rows, or count * num_rows where every sample has its own
  Batch<T> slack;
  Batch<T> anchor;
  AffineHull hull;
  bool own_matrices;

  PolyhedraBatch(std::size_t count, std::size_t dim, std::size_t num_rows, bool own)
      : u(count, dim),
        A(own ? count * num_rows : num_rows, dim),
        slack(count, num_rows),
        anchor(count, dim),
        hull(AffineHull::whole_space(dim)),
        own_matrices(own) {}

  [[nodiscard]] std::size_t count() const { return u.count(); }
  [[nodiscard]] std::size_t dim() const { return u.dim(); }
  [[nodiscard]] std::size_t num_rows() const { return slack.dim(); }
  [[nodiscard]] SamplePolyhedra<T> view() const { return {slack.view(), anchor.view()}; }
  [[nodiscard]] PolyhedraMap<T> map(const Method& method) const {
    return own_matrices ? PolyhedraMap<T>::own(num_rows(), dim(), hull, method)
                        : PolyhedraMap<T>::shared(A.view(), hull, method);
  }
  [[nodiscard]] Eigen::MatrixXd matrix(std::size_t i) const {
    Eigen::MatrixXd out(num_rows(), dim());
    for (std::size_t k = 0; k < num_rows(); ++k) {
      out.row(static_cast<Eigen::Index>(k)) = A.get(own_matrices ? i * num_rows() + k : k).transpose();
    }
    return out;
  }
  [[nodiscard]] PolyhedraBatch rows(const std::vector<std::size_t>& indices) const {
    PolyhedraBatch out(0, dim(), num_rows(), own_matrices);
    out.u = select(u, indices);
    out.slack = select(slack, indices);
    out.anchor = select(anchor, indices);
    out.hull = hull;
    std::vector<std::size_t> matrix_rows;
    for (const std::size_t i : indices) {
      for (std::size_t k = 0; k < num_rows(); ++k) matrix_rows.push_back(i * num_rows() + k);
    }
    out.A = own_matrices ? select(A, matrix_rows) : A;
    return out;
  }
};

template <class T>
Projected<T> project(const Method& method, const PolyhedraBatch<T>& batch) {
  Projected<T> out(batch.count(), batch.dim());
  batch.map(method).project(batch.view(), batch.A.view(), batch.u.view(), out.x.rows(), out.status, out.state);
  return out;
}

template <class T>
struct PolyhedraCotangents {
  Batch<T> u;
  Batch<T> slack;
  Batch<T> anchor;
  Batch<T> A;  // starts at zero: it is added to

  explicit PolyhedraCotangents(const PolyhedraBatch<T>& batch)
      : u(batch.count(), batch.dim()),
        slack(batch.count(), batch.num_rows()),
        anchor(batch.count(), batch.dim()),
        A(batch.A.count(), batch.dim()) {}
};

template <class T>
PolyhedraCotangents<T> vjp(const Method& method, const PolyhedraBatch<T>& batch, const Projected<T>& forward,
                           const Batch<T>& grad_x) {
  PolyhedraCotangents<T> out(batch);
  batch.map(method).project_vjp(batch.view(), batch.A.view(), batch.u.view(), grad_x.view(), forward.status,
                                forward.state, out.u.rows(), {out.slack.rows(), out.anchor.rows(), out.A.rows()});
  return out;
}

template <class T>
Batch<T> gaussian_rows(RandomPoints& random, std::size_t count, std::size_t dim) {
  Batch<T> out(count, dim);
  for (std::size_t i = 0; i < count; ++i) out.set(i, random.gaussian(dim));
  return out;
}

// What the sets of a batch have in common: whether there is a sum, whose the anchors are, and whether they are capped
// simplices, all lower bounds being one row of zeros.
struct BoundsKind {
  std::string name;
  bool sum;
  bool own_anchor;
  bool caps = false;
};

inline std::vector<BoundsKind> bounds_kinds() {
  return {{"boxes", false, false},
          {"boxes with anchors", false, true},
          {"bounds with sums", true, false},
          {"bounds with sums and anchors", true, true},
          {"caps", true, false, true}};
}
inline const BoundsKind kBoxes = bounds_kinds()[0];
inline const BoundsKind kBoundsWithSums = bounds_kinds()[2];
inline const BoundsKind kCaps = bounds_kinds()[4];

// Random bounds for every row, of the size given; every fourth upper bound is open, of boxes every fourth lower one too.
// The caller's anchor goes a random share of the way from bound to bound, coordinate by coordinate; the total is its sum,
// or a random share of the way itself. u is left to the caller.
template <class T>
BoundsBatch<T> random_bounds(RandomPoints& random, std::size_t count, std::size_t dim, const BoundsKind& kind,
                             double size = 1) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  BoundsBatch<T> out(count, dim);
  out.one_lower = kind.caps;
  if (kind.sum) out.total.emplace(count, 1);
  if (kind.own_anchor) out.anchor.emplace(count, dim);
  for (std::size_t i = 0; i < count; ++i) {
    Eigen::VectorXd lower(dim);
    Eigen::VectorXd width(dim);
    Eigen::VectorXd anchor(dim);
    for (Eigen::Index j = 0; j < lower.size(); ++j) {
      lower[j] = kind.caps ? 0 : static_cast<T>(size * random.uniform(-3, 3));
      width[j] = size * random.uniform(0.2, 1.5);
      anchor[j] = lower[j] + random.uniform(0.2, 0.8) * width[j];
    }
    Eigen::VectorXd upper = lower + width;
    for (Eigen::Index j = 1; j < lower.size(); j += 4) upper[j] = kInfinity;
    if (kind.sum) {
      const double share = random.uniform(0.1, 0.9);
      (*out.total)[i][0] = static_cast<T>(kind.own_anchor ? anchor.sum() : lower.sum() + share * width.sum());
    } else {
      for (Eigen::Index j = 2; j < lower.size(); j += 4) lower[j] = -kInfinity;
    }
    out.lower.set(i, lower);
    out.upper.set(i, upper);
    if (kind.own_anchor) out.anchor->set(i, anchor);
  }
  return out;
}

// The closed-form anchor of row i in double: lower + theta reach with a sum constraint, the middles without.
template <class T>
Eigen::VectorXd closed_form_anchor(const BoundsBatch<T>& batch, std::size_t i) {
  const Eigen::VectorXd lower = batch.lower.get(i);
  const Eigen::VectorXd upper = batch.upper.get(i);
  if (batch.total) {
    const double spare = (*batch.total)[i][0] - lower.sum();
    const Eigen::VectorXd reach = (upper - lower).cwiseMin(spare);
    return lower + spare / reach.sum() * reach;
  }
  Eigen::VectorXd out = Eigen::VectorXd::Zero(lower.size());
  for (Eigen::Index j = 0; j < out.size(); ++j) {
    if (std::isfinite(lower[j]) && std::isfinite(upper[j])) {
      out[j] = (lower[j] + upper[j]) / 2;
    } else if (std::isfinite(lower[j])) {
      out[j] = lower[j] + std::max(1.0, std::abs(lower[j]));
    } else if (std::isfinite(upper[j])) {
      out[j] = upper[j] - std::max(1.0, std::abs(upper[j]));
    }
  }
  return out;
}

// The set of row i as the library's own.
template <class T>
Set set_of_row(const BoundsBatch<T>& batch, std::size_t i) {
  const Eigen::VectorXd lower = batch.lower.get(i);
  const Eigen::VectorXd upper = batch.upper.get(i);
  if (!batch.total) return Box(lower, upper);
  const auto dim = lower.size();
  const auto closed = static_cast<Eigen::Index>((upper.array() < std::numeric_limits<double>::infinity()).count());
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(dim + closed, dim);
  Eigen::VectorXd b(dim + closed);
  A.topRows(dim) = -Eigen::MatrixXd::Identity(dim, dim);
  b.head(dim) = -lower;
  Eigen::Index k = dim;
  for (Eigen::Index j = 0; j < dim; ++j) {
    if (!std::isfinite(upper[j])) continue;
    A(k, j) = 1;
    b[k++] = upper[j];
  }
  return Polyhedron(A, b, Eigen::MatrixXd::Ones(1, dim), batch.total->get(i));
}

inline AffineHull sum_hull(std::size_t dim) {
  const auto n = static_cast<Eigen::Index>(dim);
  return {Eigen::MatrixXd::Constant(1, n, 1 / std::sqrt(static_cast<double>(dim))), Eigen::VectorXd::Zero(1)};
}

// A hull of two random normals through the origin's directions.
inline AffineHull random_hull(RandomPoints& random, std::size_t dim) {
  Eigen::VectorXd first = random.unit(dim);
  Eigen::VectorXd second = random.unit(dim);
  second = (second - first.dot(second) * first).normalized();
  Eigen::MatrixXd normals(2, static_cast<Eigen::Index>(dim));
  normals.row(0) = first.transpose();
  normals.row(1) = second.transpose();
  return {normals, Eigen::VectorXd::Zero(2)};
}

// Random rows, anchors of the size given and positive slacks. u is left to the caller.
template <class T>
PolyhedraBatch<T> random_polyhedra(RandomPoints& random, std::size_t count, std::size_t dim, std::size_t num_rows,
                                   bool own_matrices, double anchor_size = 1) {
  PolyhedraBatch<T> out(count, dim, num_rows, own_matrices);
  out.A = gaussian_rows<T>(random, out.A.count(), dim);
  for (std::size_t i = 0; i < count; ++i) {
    out.anchor.set(i, anchor_size * random.gaussian(dim));
    for (T& slack : out.slack[i]) slack = static_cast<T>(random.uniform(0.1, 2));
  }
  return out;
}

}  // namespace softradial::support
