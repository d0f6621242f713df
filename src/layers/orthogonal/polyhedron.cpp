#include <optional>

#include "eigen_rows.hpp"
#include "orthogonal/parts.hpp"
#include "orthogonal/polyhedron_projector.hpp"

namespace softradial::layers {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// The orthogonal projection onto a polyhedron. The state keeps the duals.
template <class T>
class OrthogonalPolyhedron final : public Layer<T> {
 public:
  OrthogonalPolyhedron(const LinearData& data, int steps)
      : projector_(data.A, data.E), b_(data.b), f_(data.f), steps_(steps > 0 ? std::optional(steps) : std::nullopt) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return static_cast<std::size_t>(projector_.dim()); }
  [[nodiscard]] std::size_t state_dim() const noexcept override {
    return static_cast<std::size_t>(projector_.num_inequalities());
  }
  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T> state) const override {
    const auto batch = static_cast<Index>(u.count());
    const PolyhedronProjector::Nearest nearest =
        projector_.solve(columns<T>(u), b_.replicate(1, batch), f_.replicate(1, batch), steps_);
    write_columns<T>(nearest.x, x);
    if (state.data() != nullptr) write_columns<T>(nearest.duals, state);
    return nearest.iterations;
  }
  void project_vjp(Rows<const T>, Rows<const T>, Rows<const T> state, Rows<const T> grad_x,
                   Rows<T> grad_u) const override {
    write_columns<T>(projector_.through(columns<T>(state), columns<T>(grad_x)).u, grad_u);
  }

 private:
  PolyhedronProjector projector_;
  VectorXd b_;
  VectorXd f_;
  std::optional<int> steps_;
};

}  // namespace

template <class T>
LayerPtr<T> make_orthogonal_polyhedron(const LinearData& data, int steps) {
  return std::make_unique<OrthogonalPolyhedron<T>>(data, steps);
}
template LayerPtr<float> make_orthogonal_polyhedron<float>(const LinearData&, int);
template LayerPtr<double> make_orthogonal_polyhedron<double>(const LinearData&, int);

}  // namespace softradial::layers
