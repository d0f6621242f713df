#include "analytic_center.hpp"

#include <ATen/ATen.h>
#include <ATen/TracerMode.h>
#include <torch/library.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "anchor/center_walk.hpp"
#include "eigen_tensors.hpp"
#include "op_handle.hpp"
#include "reduced_rows.hpp"
#include "roomy_points.hpp"
#include "shapes.hpp"
#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"
#include "softradial/row_status.hpp"
#include "softradial/sets/polyhedra.hpp"

namespace softradial::ops {
namespace {

// Newton matrices are formed for a chunk of samples at a time: the left factor of A' diag(w) A has at most this many numbers.
constexpr int64_t kChunkNumbers = 1 << 23;

// Solves one sample with the core: slower, but the status says why a sample has no centre.
RowStatus find_one(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E, const at::Tensor& f,
                   const at::Tensor& point) {
  const at::Tensor counts = (b < std::numeric_limits<double>::infinity()).nonzero().squeeze(-1);  // the others are open
  const Eigen::MatrixXd rows = to_matrix(A.index_select(0, counts), "A");
  const Eigen::VectorXd bound = to_vector(b.index_select(0, counts), "b");
  if (counts.size(0) < b.size(0) && b.isnan().any().item<bool>()) return RowStatus::no_interior;
  if (!bound.allFinite() || !rows.allFinite()) return RowStatus::no_interior;
  const Polyhedron set = E ? Polyhedron(rows, bound, to_matrix(*E, "E"), to_vector(f, "f")) : Polyhedron(rows, bound);
  const Anchor anchor = find_anchor(set, AnchorSearch::analytic);
  const std::size_t declared = E ? static_cast<std::size_t>(E->size(0)) : 0;
  if (anchor.status != AnchorStatus::found || anchor.hull.codimension() > declared) return RowStatus::no_interior;
  point.copy_(to_tensor(anchor.point));
  return RowStatus::ok;
}

at::DimVector batch_of(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& f, const MaybeTensor& start) {
  at::DimVector batch;
  const auto widen = [&](at::IntArrayRef shape, const char* name) {
    for (std::size_t i = 0; i < std::min(batch.size(), shape.size()); ++i) {
      const int64_t have = batch[batch.size() - 1 - i];
      const int64_t given = shape[shape.size() - 1 - i];
      if (have == given || have == 1 || given == 1) continue;
      throw ShapeError(std::string(name) + ": does not broadcast with the batch of the others");
    }
    const auto wider = at::infer_size(batch, shape);
    batch = at::DimVector(wider.begin(), wider.end());
  };
  widen(A.sizes().slice(0, A.dim() - 2), "A");
  widen(b.sizes().slice(0, b.dim() - 1), "b");
  if (f) widen(f->sizes().slice(0, f->dim() - 1), "f");
  if (start) widen(start->sizes().slice(0, start->dim() - 1), "start");
  return batch;
}

void check_shapes(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E, const MaybeTensor& f,
                  const MaybeTensor& start) {
  if (start && A.dim() >= 2 && (start->dim() < 1 || start->size(-1) != A.size(-1))) {
    throw ShapeError("start: the last dimension must be " + std::to_string(A.size(-1)) + ", got shape " +
                     shape_text(*start));
  }
  if (A.dim() < 2) throw ShapeError("A: expected at least 2 dimensions, got shape " + shape_text(A));
  if (b.dim() < 1 || b.size(-1) != A.size(-2)) {
    throw ShapeError("b: the last dimension must be " + std::to_string(A.size(-2)) +
                     ", the number of rows of A, got shape " + shape_text(b));
  }
  if (E.has_value() != f.has_value()) throw InvalidSet("polyhedron: E and f go together");
  if (E && (E->dim() != 2 || E->size(1) != A.size(-1) || f->dim() < 1 || f->size(-1) != E->size(0))) {
    throw ShapeError("E and f: expected shapes (k, " + std::to_string(A.size(-1)) + ") and (..., k), got " +
                     shape_text(*E) + " and " + shape_text(*f));
  }
}

// The samples, flattened to one batch dimension, in double.
struct Flat {
  at::DimVector batch;
  int64_t samples;

  explicit Flat(at::DimVector shape) : batch(std::move(shape)), samples(c10::multiply_integers(batch)) {}

  [[nodiscard]] at::DimVector with(at::IntArrayRef widths) const {
    at::DimVector shape(batch.begin(), batch.end());
    shape.insert(shape.end(), widths.begin(), widths.end());
    return shape;
  }
  [[nodiscard]] at::Tensor vectors(const at::Tensor& data) const {
    const int64_t width = data.size(-1);
    return data.to(at::kDouble).expand(with({width})).reshape({samples, width});
  }
  [[nodiscard]] at::Tensor matrices(const at::Tensor& A) const {
    if (A.dim() == 2) return A.to(at::kDouble);
    return A.to(at::kDouble).expand(with({A.size(-2), A.size(-1)})).reshape({samples, A.size(-2), A.size(-1)});
  }
};

struct Problem {
  at::Tensor rows;    // A
  at::Tensor bound;   // b
  at::Tensor levels;  // f; undefined without equalities
  Reduced reduced;
};

Problem reduce(const Flat& flat, const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E, const MaybeTensor& f) {
  const int64_t n = A.size(-1);
  const at::Tensor rows = flat.matrices(A);
  const at::Tensor bound = flat.vectors(b);
  Problem problem{rows, bound, {}, {rows, bound, at::zeros({flat.samples, n}, bound.options()), {}}};
  if (E) {
    problem.levels = flat.vectors(*f);
    // E' = Q R: the first columns of Q span the normals, the others the directions.
    const at::Tensor normals = E->detach().to(at::kDouble);
    const at::Tensor Q = std::get<0>(at::linalg_qr(normals.t(), "complete"));
    Reduced& p = problem.reduced;
    p.Z = Q.narrow(1, normals.size(0), n - normals.size(0));
    p.origin = problem.levels.matmul(at::linalg_pinv(normals).t());
    p.h = bound - Reduced{rows, {}, {}, {}}.times_rows(p.origin);
    p.G = rows.matmul(p.Z);
  }
  return problem;
}

using Found = std::tuple<at::Tensor, at::Tensor>;
using FindSignature = Found(const at::Tensor&, const at::Tensor&, const MaybeTensor&, const MaybeTensor&,
                            const MaybeTensor&);

// Where the walk of each sample ended.
struct Walked {
  at::Tensor y;        // (B, k)
  at::Tensor arrived;  // (B)
};

// Walks all samples of a problem, as many at a time as the memory for the Newton matrices allows.
Walked walk(const Reduced& problem, const at::Tensor& from, double close) {
  const int64_t samples = from.size(0);
  // Without rows every point is a centre.
  if (samples == 0 || problem.h.size(1) == 0) return {from, at::ones({samples}, from.options().dtype(at::kBool))};
  const int64_t chunk = std::max<int64_t>(1, kChunkNumbers / std::max<int64_t>(1, problem.h.size(1) * from.size(1)));
  std::vector<at::Tensor> ys;
  std::vector<at::Tensor> flags;
  for (int64_t first = 0; first < samples; first += chunk) {
    const int64_t count = std::min(chunk, samples - first);
    const auto walked = walk_to_center(problem.samples(first, count), wrap(from.narrow(0, first, count)), close);
    ys.push_back(unwrap(walked.y));
    flags.push_back(unwrap(walked.arrived).squeeze(-1));
  }
  return {at::cat(ys), at::cat(flags)};
}

// The problem within a box around each sample's start: |y_j - start_j| <= reach, with room for the rows that the start
// violates. Unbounded sets have a centre there.
Reduced boxed(const Reduced& problem, const at::Tensor& from) {
  const at::Tensor norms = (problem.G * problem.G).sum(-1).sqrt().clamp_min(std::numeric_limits<double>::min());
  const at::Tensor violation = (-(problem.h - problem.times_rows(from)) / norms).amax(-1, true).clamp_min(0);
  constexpr double kRoom = 4;
  const at::Tensor reach = 1 + from.abs().amax(-1, true) + kRoom * violation;
  const at::Tensor identity = at::eye(from.size(1), from.options());
  at::Tensor sides = at::cat({identity, -identity});
  if (problem.G.dim() == 3) sides = sides.expand({from.size(0), sides.size(0), sides.size(1)});
  return {at::cat({problem.G, sides}, -2), at::cat({problem.h, reach + from, reach - from}, -1), problem.origin,
          problem.Z};
}

// What a search looks for: the exact centre, or any point well inside.
enum class Wanted {
  center,    // to rounding
  interior,  // a point well inside
};

// Replaces open rows, h = inf, by rows that no y violates: 0.y <= the largest distance of the other rows.
Reduced with_closed_rows(const Reduced& problem) {
  const at::Tensor open = problem.h == std::numeric_limits<double>::infinity();
  if (at::tracer::impl::is_dispatch_enabled() || !open.any().item<bool>()) return problem;
  const at::Tensor norms = (problem.G * problem.G).sum(-1).sqrt().clamp_min(std::numeric_limits<double>::min());
  const at::Tensor farthest = (problem.h.masked_fill(open, 0).abs() / norms).amax(-1, true);
  const at::Tensor distance = at::where(farthest > 0, farthest, at::ones_like(farthest));
  const at::Tensor G = problem.G.expand({problem.h.size(0), problem.h.size(1), problem.G.size(-1)});
  return {G.masked_fill(open.unsqueeze(-1), 0), at::where(open, distance, problem.h), problem.origin, problem.Z};
}

// Finds a point well inside each sample's set: a point with room (roomy_points.hpp); else one near the centre; else one near
// the centre of the part of the set in a box around the start.
Walked walk_inside(const Reduced& problem, const at::Tensor& from) {
  constexpr double kNear = 0.25;  // Newton decrement
  // A trace cannot leave samples out.
  if (at::tracer::impl::is_dispatch_enabled() || from.size(1) == 0 || problem.h.size(1) == 0)
    return walk(problem, from, kNear);
  Walked walked{from, at::zeros({from.size(0)}, from.options().dtype(at::kBool))};
  const auto those_left = [&](const auto& go) {
    const at::Tensor rest = walked.arrived.logical_not().nonzero().squeeze(-1);
    if (rest.size(0) == 0) return;
    const Walked next = go(problem.select(rest), from.index_select(0, rest));
    walked = {walked.y.index_copy(0, rest, next.y), walked.arrived.index_copy(0, rest, next.arrived)};
  };
  those_left([](const Reduced& part, const at::Tensor& start) {
    RoomyPoints roomy = roomy_points(part, start);
    return Walked{std::move(roomy.y), std::move(roomy.found)};
  });
  those_left([](const Reduced& part, const at::Tensor& start) { return walk(part, start, kNear); });
  those_left([](const Reduced& part, const at::Tensor& start) { return walk(boxed(part, start), start, kNear); });
  return walked;
}

// The search without derivatives. Returns points (..., n) in double, NaN where a sample has none, and the status of each.
Found search(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E, const MaybeTensor& f,
             const MaybeTensor& start, Wanted wanted) {
  constexpr double kRounding = 1e-11;
  const int64_t n = A.size(-1);
  const Flat flat(batch_of(A, b, f, start));
  const auto [rows, bound, levels, given] = reduce(flat, A, b, E, f);
  const Reduced problem = with_closed_rows(given);
  at::Tensor from = start ? flat.vectors(*start) - problem.origin : at::zeros({flat.samples, n}, bound.options());
  if (problem.Z.defined()) from = from.matmul(problem.Z);
  const auto [y, arrived] = wanted == Wanted::center ? walk(problem, from, kRounding) : walk_inside(problem, from);
  at::Tensor found = problem.point(y);
  at::Tensor status = at::where(arrived, at::zeros_like(arrived, at::kChar),
                                at::full_like(arrived, static_cast<int64_t>(RowStatus::no_interior), at::kChar));
  at::Tensor open = arrived.logical_not();
  if (E) {
    // Equalities that contradict each other have no solution: even the origin misses them by more than rounding.
    constexpr double kMiss = 1e-9;
    const at::Tensor miss = (problem.origin.matmul(E->to(at::kDouble).t()) - levels).abs().amax(-1);
    const at::Tensor none = miss > kMiss * (1 + levels.abs().amax(-1));
    status = at::where(none, at::full_like(status, static_cast<int64_t>(RowStatus::no_interior)), status);
    open = open.logical_and(none.logical_not());
  }
  const at::Tensor missing = open.nonzero().squeeze(-1);
  for (int64_t i = 0; i < missing.size(0); ++i) {
    const int64_t row = missing[i].item<int64_t>();
    const RowStatus one = find_one(rows.dim() == 2 ? rows : rows[row], bound[row], E,
                                   levels.defined() ? levels[row] : levels, found[row]);
    status[row] = static_cast<int64_t>(one);
  }
  const at::Tensor lost = (status != 0).unsqueeze(-1);
  found = at::where(lost, at::full_like(found, std::numeric_limits<double>::quiet_NaN()), found);
  return {found.reshape(flat.with({n})), status.reshape(flat.batch)};
}

// This is an op so that it runs below every transform of torch.func: it takes decisions that depend on numbers.
Found find_centers_kernel(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E, const MaybeTensor& f,
                          const MaybeTensor& start) {
  return search(A, b, E, f, start, Wanted::center);
}

using InteriorSignature = Found(const at::Tensor&, const at::Tensor&, const MaybeTensor&, const MaybeTensor&,
                                const at::Tensor&, const at::Tensor&, const MaybeTensor&);

// An op for the same reason. A trace cannot leave samples out: it searches for all of them and then chooses.
Found find_interior_kernel(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E, const MaybeTensor& f,
                           const at::Tensor& point, const at::Tensor& distances, const MaybeTensor& shift) {
  constexpr double kShare = 0.25;  // of the known anchor's distances
  const Flat flat(batch_of(A, b, f, c10::nullopt));
  at::Tensor moved = point;
  if (shift) moved = point + (f->to(at::kDouble) - E->to(at::kDouble).mv(point)).matmul(shift->t());
  const at::Tensor wide_A = A.to(at::kDouble);
  const at::Tensor image = A.dim() == 2 ? moved.matmul(wide_A.t()) : wide_A.matmul(moved.unsqueeze(-1)).squeeze(-1);
  const at::Tensor slack = b.to(at::kDouble) - image;
  const at::Tensor enough = kShare * distances * wide_A.norm(2, -1);
  at::Tensor known = (slack >= enough).logical_and(slack > 0).all(-1);
  if (E && !shift) known = at::zeros_like(known);
  known = known.expand(flat.batch).reshape({flat.samples});
  const at::Tensor points = moved.expand(flat.with({A.size(-1)})).reshape({flat.samples, A.size(-1)});
  const auto answer = [&](const at::Tensor& found, const at::Tensor& status) {
    return Found{found.reshape(flat.with({A.size(-1)})), status.reshape(flat.batch)};
  };
  if (at::tracer::impl::is_dispatch_enabled()) {
    const auto [found, status] = search(A, b, E, f, points.reshape(flat.with({A.size(-1)})), Wanted::interior);
    return answer(at::where(known.unsqueeze(-1), points, found.reshape({flat.samples, A.size(-1)})),
                  at::where(known, at::zeros_like(known, at::kChar), status.reshape({flat.samples})));
  }
  const at::Tensor status = at::zeros({flat.samples}, known.options().dtype(at::kChar));
  if (known.all().item<bool>()) return answer(points, status);
  const at::Tensor rest = known.logical_not().nonzero().squeeze(-1);
  const MaybeTensor levels = f ? MaybeTensor(flat.vectors(*f).index_select(0, rest)) : f;
  const auto [found, one_status] =
      search(A.dim() == 2 ? A : flat.matrices(A).index_select(0, rest), flat.vectors(b).index_select(0, rest), E,
             levels, points.index_select(0, rest), Wanted::interior);
  return answer(points.index_copy(0, rest, found), status.index_copy(0, rest, one_status));
}

MaybeTensor frozen(const MaybeTensor& tensor) { return tensor ? MaybeTensor(tensor->detach()) : tensor; }

}  // namespace

Centers analytic_center(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E, const MaybeTensor& f,
                        const MaybeTensor& start, bool differentiable) {
  check_shapes(A, b, E, f, start);
  static const auto find = find_op<FindSignature>("softradial::find_centers");
  const auto [found, status] = find.call(A.detach(), b.detach(), frozen(E), frozen(f), frozen(start));
  const Flat flat(batch_of(A, b, f, start));
  if (!differentiable || flat.samples == 0) return {found.to(b.scalar_type()), status};

  // Newton steps at the centre. They do not move the point; each adds one order of derivatives to it.
  constexpr int kOrders = 2;
  const Reduced problem = reduce(flat, A, b, E, f).reduced;
  const at::Tensor center = flat.vectors(found);
  const at::Tensor ok = (status.reshape({flat.samples}) == 0).unsqueeze(-1);
  at::Tensor at_center = at::where(ok, center - problem.origin.detach(), at::zeros_like(center));
  if (problem.Z.defined()) at_center = at_center.matmul(problem.Z);
  at_center = at_center.detach();
  // Samples without a centre are taken out: their entries may be NaN.
  Reduced safe = problem;
  if (safe.G.dim() == 3) safe.G = safe.G.masked_fill(ok.logical_not().unsqueeze(-1), 0);
  safe.h = safe.h.masked_fill(ok.logical_not(), 1);
  const auto weights_at = [&](const at::Tensor& y) {
    return 1 / (safe.h - safe.times_rows(y)).masked_fill(ok.logical_not(), 1);
  };
  // An unbounded sample has no centre and perhaps no invertible H: its point is not stationary and gets no such step.
  const at::Tensor step = at::linalg_pinv(safe.gram(weights_at(at_center).square()).detach(), 1e-12, true);
  at::Tensor moved = at_center;
  for (int i = 0; i < kOrders; ++i) {
    const at::Tensor slope = safe.times_columns(weights_at(moved));
    moved = moved - step.matmul((slope - slope.detach()).unsqueeze(-1)).squeeze(-1);
  }
  const at::Tensor point = at::where(ok, problem.point(moved), center);
  return {point.reshape(flat.with({A.size(-1)})).to(b.scalar_type()), status};
}

Centers interior_point(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E, const MaybeTensor& f,
                       const KnownAnchor& known) {
  check_shapes(A, b, E, f, c10::nullopt);
  static const auto find = find_op<InteriorSignature>("softradial::find_interior");
  const auto [found, status] =
      find.call(A.detach(), b.detach(), frozen(E), frozen(f), known.point, known.distances, known.shift);
  return {found.to(b.scalar_type()), status};
}

TORCH_LIBRARY_IMPL(softradial, CompositeExplicitAutograd, m) {
  m.impl("find_centers", find_centers_kernel);
  m.impl("find_interior", find_interior_kernel);
}
TORCH_LIBRARY_IMPL(softradial, Autograd, m) {
  m.impl("find_centers", torch::CppFunction::makeFallthrough());
  m.impl("find_interior", torch::CppFunction::makeFallthrough());
}
// A trace records the walk itself.
TORCH_LIBRARY_IMPL(softradial, Tracer, m) {
  m.impl("find_centers", find_centers_kernel);
  m.impl("find_interior", find_interior_kernel);
}

}  // namespace softradial::ops
