#include "map_object.hpp"

#include <ATen/ATen.h>
#include <ATen/TracerMode.h>

#include <Eigen/QR>
#include <algorithm>
#include <string>
#include <string_view>

#include "algebra/row_units.hpp"
#include "anchor/equality_hull.hpp"
#include "composite/radial_map.hpp"
#include "cpu/tensor_rows.hpp"
#include "eigen_tensors.hpp"
#include "softradial/errors.hpp"
#include "softradial/reach.hpp"
#include "softradial/row_status.hpp"
#include "softradial/sets/coordinates.hpp"

namespace softradial::ops {

MapObject::MapObject(SetPtr set, Method method, const ProjectionOptions& options)
    : set_(std::move(set)), method_(method), anchor_(Projection<double>(set_->set(), method, options).anchor()) {}

MapObject::MapObject(SetPtr set, Method method, Anchor anchor)
    : set_(std::move(set)), method_(method), anchor_(std::move(anchor)) {}

c10::intrusive_ptr<MapObject> MapObject::with_auto_lambda() const {
  const auto* const soft = std::get_if<SoftRadial>(&method_);
  if (soft == nullptr) throw InvalidOption("lambda: only that of soft_radial can be auto");
  SoftRadial scaled = *soft;
  scaled.lambda = auto_lambda(set_->set(), anchor_);
  return c10::make_intrusive<MapObject>(set_, scaled, anchor_);
}

const SetType* MapObject::set_type() const {
  return caches_->set_type.get([&]() -> const SetType* {
    const std::string name = set_->set()->describe().type;
    const auto& types = set_types();
    const auto found = std::ranges::find(types, std::string_view(name), &SetType::name);
    return found == types.end() ? nullptr : &*found;
  });
}

template <class T>
const CompiledMap<T>& MapObject::compiled() const {
  return caches_->of<T>().compiled.get([&] { return CompiledMap<T>(set_->set(), anchor_, method_); });
}

std::shared_ptr<const composite::RadialSet> MapObject::tensors(at::Device device, at::ScalarType type) const {
  return caches_->tensors.get(device, type, [&] { return composite::make_radial_set(*this, device, type); });
}

namespace {

Eigen::MatrixXd dense(const std::vector<LinearSystem::Row>& rows, std::size_t dim) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(dim));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& e : rows[i].entries) {
      out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(e.column)) += e.value;
    }
  }
  return out;
}

Eigen::VectorXd bounds_of(const std::vector<LinearSystem::Row>& rows) {
  Eigen::VectorXd out(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) out[static_cast<Eigen::Index>(i)] = rows[i].bound;
  return out;
}

KnownAnchor known_anchor(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::MatrixXd& E,
                         const Eigen::VectorXd& point, at::Device device) {
  Eigen::VectorXd distances = b - A * point;
  for (Eigen::Index i = 0; i < distances.size(); ++i) {
    const double norm = A.row(i).norm();
    distances[i] = norm > 0 ? std::max(0.0, distances[i]) / norm : 0;
  }
  KnownAnchor known{to_tensor(point).to(device), to_tensor(distances).to(device), c10::nullopt};
  if (E.rows() > 0) {
    // With D E of rows of length 1 and of full rank, E^+ = (D E)^+ D.
    const Eigen::VectorXd units = row_units(E);
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors(units.asDiagonal() * E);
    if (factors.rank() == E.rows()) {
      known.shift = to_tensor(Eigen::MatrixXd(factors.pseudoInverse() * units.asDiagonal())).to(device);
    }
  }
  return known;
}

}  // namespace

std::shared_ptr<const LinearTensors> MapObject::linear(at::Device device, at::ScalarType type) const {
  return caches_->linear.get(device, type, [&] {
    LinearSystem system(set_->set().dim());
    set_->set()->append_linear(system);
    const at::TensorOptions options = at::TensorOptions().device(device).dtype(type);
    const Eigen::MatrixXd A = dense(system.inequalities(), system.dim());
    const Eigen::VectorXd b = bounds_of(system.inequalities());
    const Eigen::MatrixXd E = dense(system.equalities(), system.dim());
    const at::Tensor wide_A = to_tensor(A).to(device);
    return LinearTensors{wide_A.to(options),
                         wide_A,
                         rounded_inwards(b, Inwards::down, options),
                         to_tensor(E).to(options),
                         to_tensor(bounds_of(system.equalities())).to(options),
                         to_tensor(anchor_.point).to(options),
                         known_anchor(A, b, E, anchor_.point, device)};
  });
}

std::shared_ptr<const BoundsTensors> MapObject::bounds(at::Device device, at::ScalarType type) const {
  return caches_->bounds.get(device, type, [&] {
    const auto& set = dynamic_cast<const CoordinateSet&>(*set_->set());
    const at::TensorOptions options = at::TensorOptions().device(device).dtype(type);
    return BoundsTensors{rounded_inwards(set.lower(), Inwards::up, options),
                         rounded_inwards(set.upper(), Inwards::down, options),
                         set.total() ? at::scalar_tensor(*set.total(), options) : at::Tensor()};
  });
}

at::Tensor MapObject::image_of(const at::Tensor& anchor) const {
  const auto image = [&] {
    const auto data = linear(anchor.device(), anchor.scalar_type());
    return data->wide_A.mv(anchor.to(at::kDouble)).to(anchor.scalar_type());
  };
  if (at::tracer::impl::is_dispatch_enabled() || in_transform()) return image();
  return caches_->image.get(anchor, image);
}

const AffineHull& MapObject::declared_hull() const {
  return caches_->declared_hull.get([&] {
    LinearSystem system(set_->set().dim());
    set_->set()->append_linear(system);
    AffineHull hull = equality_hull(system.dim(), system.equalities()).hull;
    hull.offsets = hull.normals * anchor_.point;
    return hull;
  });
}

bool MapObject::owns_rows(const at::Tensor& A, const at::Tensor& E) const {
  const auto own = linear(at::kCPU, at::kDouble);
  return A.is_same(own->A) && (E.is_same(own->E) || (E.size(-2) == 0 && own->E.size(0) == 0));
}

const layers::PolyhedronProjector& MapObject::own_projector() const {
  return caches_->projector.get([&] {
    const auto own = linear(at::kCPU, at::kDouble);
    return layers::PolyhedronProjector(to_columns(own->A).transpose(), to_columns(own->E).transpose());
  });
}

template <class T>
std::shared_ptr<const PolyhedraMap<T>> MapObject::shared_rows(const at::Tensor& A) const {
  const auto pack = [&] {
    const at::Tensor rows = as_matrix(A);
    return std::make_shared<const PolyhedraMap<T>>(
        PolyhedraMap<T>::shared(const_rows<T>(rows), declared_hull(), method_));
  };
  // Only the set's own matrix cannot change unnoticed: a tensor's version does not count changes through .data.
  if (!A.is_same(linear(A.device(), A.scalar_type())->A)) return pack();
  return caches_->of<T>().own_rows.get(pack);
}

template class CompiledMap<float>;
template class CompiledMap<double>;
template std::shared_ptr<const PolyhedraMap<float>> MapObject::shared_rows(const at::Tensor&) const;
template std::shared_ptr<const PolyhedraMap<double>> MapObject::shared_rows(const at::Tensor&) const;
template const CompiledMap<float>& MapObject::compiled<float>() const;
template const CompiledMap<double>& MapObject::compiled<double>() const;

}  // namespace softradial::ops
