#pragma once

#include <ATen/ATen.h>
#include <torch/custom_class.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "analytic_center.hpp"
#include "cpu/result_memory.hpp"
#include "last_status.hpp"
#include "lazy.hpp"
#include "orthogonal/polyhedron_projector.hpp"
#include "plain_tensors.hpp"
#include "set_object.hpp"
#include "softradial/pool.hpp"
#include "softradial/projection.hpp"
#include "softradial/sample_polyhedra.hpp"
#include "softradial/set_type.hpp"

namespace softradial::composite {
struct RadialSet;
}

namespace softradial::ops {

// The evaluator of one precision with a pool of workspaces. Each call borrows one, so that calls from several threads do not
// share any.
template <class T>
class CompiledMap {
 public:
  CompiledMap(const Set& set, const Anchor& anchor, const Method& method) : evaluator(set, anchor, method, 1) {}

  Evaluator<T> evaluator;

  [[nodiscard]] typename Pool<Workspace<T>>::Lease lend() const {
    return workspaces_->lend([this] { return Workspace<T>(evaluator); });
  }

 private:
  std::unique_ptr<Pool<Workspace<T>>> workspaces_ = std::make_unique<Pool<Workspace<T>>>();
};

// Remembers a function's result for the last tensor it was called with. Tensors are compared by content.
class LastImage {
 public:
  template <class Make>
  at::Tensor get(const at::Tensor& argument, const Make& make) {
    const std::lock_guard lock(mutex_);
    const bool known = argument_.defined() && argument_.device() == argument.device() &&
                       argument_.scalar_type() == argument.scalar_type() && at::equal(argument_, argument);
    if (!known) {
      const PlainTensors plain;
      argument_ = argument.clone();
      image_ = make();
    }
    return image_;
  }

 private:
  std::mutex mutex_;
  at::Tensor argument_;
  at::Tensor image_;
};

// Constants for a device and a dtype. Each is made once, as plain tensors, which outlive the call that made them.
template <class Value>
class TensorCache {
 public:
  template <class Make>
  std::shared_ptr<const Value> get(at::Device device, at::ScalarType type, const Make& make) {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      if (entry.device == device && entry.type == type) return entry.value;
    }
    const PlainTensors plain;
    entries_.push_back({device, type, std::make_shared<const Value>(make())});
    return entries_.back().value;
  }

 private:
  struct Entry {
    at::Device device;
    at::ScalarType type;
    std::shared_ptr<const Value> value;
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
};

// The linear data of a polyhedron {A x <= b, E x = f} as tensors. b is rounded inwards if the dtype is coarser than the data;
// `anchor` is the map's own.
struct LinearTensors {
  at::Tensor A;
  at::Tensor wide_A;  // A in double
  at::Tensor b;
  at::Tensor E;
  at::Tensor f;
  at::Tensor anchor;
  KnownAnchor known;  // the map's anchor, for sets with other data
};

// The data of a box, simplex or capped simplex as tensors, also rounded inwards; sum is undefined without a sum constraint.
struct BoundsTensors {
  at::Tensor lower;
  at::Tensor upper;
  at::Tensor sum;
};

// What a map makes at its first use and then keeps. Every part is thread-safe by construction.
struct MapCaches {
  template <class T>
  struct OfPrecision {
    Lazy<CompiledMap<T>> compiled;
    Lazy<std::shared_ptr<const PolyhedraMap<T>>> own_rows;
  };
  template <class T>
  [[nodiscard]] OfPrecision<T>& of() noexcept {
    return std::get<OfPrecision<T>>(by_precision);
  }

  std::tuple<OfPrecision<float>, OfPrecision<double>> by_precision;
  TensorCache<composite::RadialSet> tensors;
  TensorCache<LinearTensors> linear;
  TensorCache<BoundsTensors> bounds;
  LastImage image;
  Lazy<AffineHull> declared_hull;
  Lazy<layers::PolyhedronProjector> projector;
  Lazy<const SetType*> set_type;
};

// A set with an anchor and a method: torch.classes.softradial.Projection, the argument of every op. Immutable; what a
// precision or a device needs is compiled at its first use.
class MapObject final : public torch::CustomClassHolder {
 public:
  MapObject(SetPtr set, Method method, const ProjectionOptions& options);
  MapObject(SetPtr set, Method method, Anchor anchor);

  // This map with lambda in units of the set (softradial/reach.hpp). Throws InvalidOption for maps that are not soft
  // radial.
  [[nodiscard]] c10::intrusive_ptr<MapObject> with_auto_lambda() const;

  [[nodiscard]] const SetPtr& set() const noexcept { return set_; }
  [[nodiscard]] const Method& method() const noexcept { return method_; }
  [[nodiscard]] const Anchor& anchor() const noexcept { return anchor_; }
  [[nodiscard]] int64_t dim() const noexcept { return static_cast<int64_t>(set_->set().dim()); }
  [[nodiscard]] int64_t hull_dim() const noexcept { return dim() - static_cast<int64_t>(anchor_.hull.codimension()); }

  // The set's type; null for a level set of callables, which the table of types does not list. Determined once, because a set
  // has to describe itself for this, which copies all of its data.
  [[nodiscard]] const SetType* set_type() const;

  template <class T>
  [[nodiscard]] const CompiledMap<T>& compiled() const;

  // The set as the composite ops need it, on a device and for a dtype.
  [[nodiscard]] std::shared_ptr<const composite::RadialSet> tensors(at::Device device, at::ScalarType type) const;

  // The linear data of a polyhedron, on a device and for a dtype.
  [[nodiscard]] std::shared_ptr<const LinearTensors> linear(at::Device device, at::ScalarType type) const;

  // The data of a coordinate set, on a device and for a dtype.
  [[nodiscard]] std::shared_ptr<const BoundsTensors> bounds(at::Device device, at::ScalarType type) const;

  // A u0 for an anchor (dim) and the set's own A: computed in double, rounded to the anchor's dtype. Kept between calls, since
  // callers pass the same anchor again and again; traces and transforms of torch.func see how it is computed.
  [[nodiscard]] at::Tensor image_of(const at::Tensor& anchor) const;

  // The packed map onto polyhedra {A x <= b_i} that share A, (m, dim). Packed only once if A is the set's own (`linear`).
  template <class T>
  [[nodiscard]] std::shared_ptr<const PolyhedraMap<T>> shared_rows(const at::Tensor& A) const;

  // Orthogonal projection onto polyhedra with the set's own rows; and whether A and E are these rows, as tensors of `linear`
  // in double on the CPU. A set without equalities has an E without rows.
  [[nodiscard]] bool owns_rows(const at::Tensor& A, const at::Tensor& E) const;
  [[nodiscard]] const layers::PolyhedronProjector& own_projector() const;

  // The hull of the declared equalities alone, which polyhedra that change from row to row share.
  [[nodiscard]] const AffineHull& declared_hull() const;

  // Where the CPU ops on this map get memory for their results.
  [[nodiscard]] const ResultMemory& results() const noexcept { return results_; }

  // The status of each row of the last result.
  [[nodiscard]] LastStatus& last() const noexcept { return *last_; }

 private:
  SetPtr set_;
  Method method_;
  Anchor anchor_;
  std::unique_ptr<MapCaches> caches_ = std::make_unique<MapCaches>();
  std::unique_ptr<LastStatus> last_ = std::make_unique<LastStatus>();
  ResultMemory results_;
};

using MapPtr = c10::intrusive_ptr<MapObject>;

}  // namespace softradial::ops
