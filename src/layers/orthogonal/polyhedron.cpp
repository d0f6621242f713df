#include "eigen_rows.hpp"
#include "orthogonal/parts.hpp"
#include "softradial/qp_layer.hpp"

namespace softradial::layers {
namespace {

using Eigen::MatrixXd;

// The quadratic programme with Q = I and p = -u. The state keeps the duals.
template <class T>
class OrthogonalPolyhedron final : public Layer<T> {
 public:
  explicit OrthogonalPolyhedron(const LinearData& data)
      : qp_(MatrixXd::Identity(data.A.cols(), data.A.cols()), data.A, data.b, data.E, data.f) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return static_cast<std::size_t>(qp_.dim()); }
  [[nodiscard]] std::size_t state_dim() const noexcept override {
    return static_cast<std::size_t>(qp_.num_inequalities());
  }
  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T> state) const override {
    const QpLayer::Solution solution = qp_.solve(-columns<T>(u));
    write_columns<T>(solution.x, x);
    if (state.data() != nullptr) write_columns<T>(solution.duals, state);
    return solution.iterations;
  }
  void project_vjp(Rows<const T>, Rows<const T> x, Rows<const T> state, Rows<const T> grad_x,
                   Rows<T> grad_u) const override {
    QpLayer::Solution at;
    at.x = columns<T>(x);
    at.duals = columns<T>(state);
    at.prices = MatrixXd::Zero(qp_.num_equalities(), at.x.cols());
    write_columns<T>(-qp_.vjp(at, columns<T>(grad_x)).p, grad_u);
  }

 private:
  QpLayer qp_;
};

}  // namespace

template <class T>
LayerPtr<T> make_orthogonal_polyhedron(const LinearData& data) {
  return std::make_unique<OrthogonalPolyhedron<T>>(data);
}
template LayerPtr<float> make_orthogonal_polyhedron<float>(const LinearData&);
template LayerPtr<double> make_orthogonal_polyhedron<double>(const LinearData&);

}  // namespace softradial::layers
