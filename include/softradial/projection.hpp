#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "softradial/anchor.hpp"
#include "softradial/method.hpp"
#include "softradial/rows.hpp"
#include "softradial/set.hpp"

namespace softradial {

// What the forward pass of a row saves for the backward pass of the same map. With it, a polyhedron's VJP reads one row
// instead of running over the constraints again. Four numbers wide. Each map decides what it stores, with one promise:
// rho is finite unless u is not finite or of extreme size.
template <class T>
struct RowState {
  T rho = 0;
  alignas(T) std::array<std::byte, 3 * sizeof(T)> of_map = {};
};

struct ProjectionOptions {
  AnchorSearch anchor = AnchorSearch::automatic;
  std::optional<Eigen::VectorXd> anchor_point = {};  // the user's own anchor; precedes the set's and the search
  int threads = 1;                                   // does not change a bit of the result
  bool check_finite = false;                         // a NaN or an infinity in u is an error that names its row
};

// The numbers of an Evaluator, as doubles. With them and the method, another backend can evaluate the same map.
//
//   d = P_hull(u - u0),   rho = |d|^2,   gamma = gauge(d) + kappa |d|,   x = u0 + phi(rho, gamma) d
struct MapForm {
  Eigen::VectorXd anchor;   // u0, rounded to the precision of the map
  Eigen::MatrixXd normals;  // orthonormal normals of the hull in rows (codimension x dim), rounded likewise
  TensorGauge gauge;        // without kappa |d|
  double kappa;
  double sigma;      // relative shrink of the gauge's set; already in its numbers
  double lipschitz;  // upper bound of the gauge over unit vectors
};

template <class T>
class Evaluator;

// Buffers for the evaluation of one projection; made once, reused for batches of any size. Each calling thread needs its own.
template <class T>
class Workspace {
 public:
  explicit Workspace(const Evaluator<T>& evaluator);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

  struct Impl;
  [[nodiscard]] Impl& impl() noexcept { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// A set, an anchor and a method, compiled for one precision. With d = P_hull(u) - u0, rho = |d|^2, gamma = gamma(d):
//
//   x   = u0 + phi(rho, gamma) d
//   J'g = P_hull( phi g + (d.g) (2 phi_rho d + phi_gamma n) ),    n = grad gamma(d)
//   J v = phi P v + (2 phi_rho (d.v) + phi_gamma (n.v)) d,        P v the projection of v onto the hull's directions
//   log|det J| = (k - 1) log phi + log(phi + 2 rho phi_rho + gamma phi_gamma),    k = dimension of the hull
//
// Evaluation is noexcept, does not allocate, and assumes that the shapes fit. Projection is the same with checks.
// A row with a NaN or an infinity gives NaN in that row of the result and nowhere else.
template <class T>
class Evaluator {
 public:
  Evaluator(Set set, const Anchor& anchor, Method method, int threads);
  Evaluator(Evaluator&&) noexcept;
  Evaluator& operator=(Evaluator&&) noexcept;
  ~Evaluator();

  [[nodiscard]] std::size_t dim() const noexcept;
  // The map for evaluation by tensors. Unlike the other functions, this one allocates.
  [[nodiscard]] MapForm form(const TensorSpace& space) const;

  // x_i = p(u_i). `state` is empty or has a place for each row. x may be u itself. Returns how many rows are NaN because
  // their u is not finite.
  std::size_t project(Rows<const T> u, Rows<T> x, Workspace<T>& workspace,
                      std::span<RowState<T>> state = {}) const noexcept;

  // grad_u = J' grad_x. `state` is empty, or holds what `project` saved for the same u.
  void project_vjp(Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, Workspace<T>& workspace,
                   std::span<const RowState<T>> state = {}) const noexcept;

  // tangent_x = J tangent_u.
  void project_jvp(Rows<const T> u, Rows<const T> tangent_u, Rows<T> tangent_x, Workspace<T>& workspace) const noexcept;

  // The u on the hull with p(u) = x. NaN in rows that lie outside the set or off the hull by more than rounding.
  void inverse(Rows<const T> x, Rows<T> u, Workspace<T>& workspace) const noexcept;

  // log |det J| on the hull's directions; -infinity where J is singular.
  void log_abs_det(Rows<const T> u, std::span<T> out, Workspace<T>& workspace) const noexcept;

  // 1 - gamma(p(u) - u0): 1 at the anchor, 0 at the boundary; evaluated without cancellation, so that it stays positive
  // far beyond the point where x itself rounds to its last value; never below the smallest normal number.
  void slack(Rows<const T> u, std::span<T> out, Workspace<T>& workspace) const noexcept;

  struct Impl;
  [[nodiscard]] const Impl& impl() const noexcept { return *impl_; }

 private:
  std::unique_ptr<const Impl> impl_;
};

// The layer: an Evaluator that checks shapes (ShapeError) and, on request, finiteness (NonFiniteInput) before anything
// is computed.
//
//   Projection<float> layer(CappedSimplex(50, 0.05));
//   Eigen::VectorXf x = layer(u);                  // allocates
//   auto workspace = layer.make_workspace();
//   layer.project(u, x, workspace);                // does not
template <class T>
class Projection {
 public:
  // Soft radial, rational, with lambda in units of the set (softradial/reach.hpp).
  explicit Projection(Set set, ProjectionOptions options = {});
  Projection(Set set, Method method, const ProjectionOptions& options = {});

  [[nodiscard]] const Set& set() const noexcept { return set_; }
  [[nodiscard]] const Method& method() const noexcept { return method_; }
  [[nodiscard]] const Anchor& anchor() const noexcept { return anchor_; }
  [[nodiscard]] std::size_t dim() const noexcept { return dim_; }
  [[nodiscard]] std::size_t hull_dim() const noexcept { return dim() - anchor_.hull.codimension(); }
  [[nodiscard]] const Evaluator<T>& evaluator() const noexcept { return evaluator_; }
  [[nodiscard]] Workspace<T> make_workspace() const { return Workspace<T>(evaluator_); }

  // Returns x as a value. An Eigen matrix is a batch, one point in each row. A vector of either orientation, of fixed or
  // dynamic size, is one point, and so is a span. Allocates the result and a workspace.
  template <class Derived>
  [[nodiscard]] auto operator()(const Eigen::MatrixBase<Derived>& u) const;
  [[nodiscard]] std::vector<T> operator()(std::span<const T> u) const { return (*this)(Rows<const T>(u)); }
  [[nodiscard]] std::vector<T> operator()(Rows<const T> u) const;

  std::size_t project(Rows<const T> u, Rows<T> x, Workspace<T>& workspace, std::span<RowState<T>> state = {}) const;
  void project_vjp(Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, Workspace<T>& workspace,
                   std::span<const RowState<T>> state = {}) const;
  void project_jvp(Rows<const T> u, Rows<const T> tangent_u, Rows<T> tangent_x, Workspace<T>& workspace) const;
  void inverse(Rows<const T> x, Rows<T> u, Workspace<T>& workspace) const;
  void log_abs_det(Rows<const T> u, std::span<T> out, Workspace<T>& workspace) const;
  void slack(Rows<const T> u, std::span<T> out, Workspace<T>& workspace) const;

  // The dense dim x dim Jacobian at one point, for study: column j is J e_j. Allocates.
  [[nodiscard]] Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> jacobian(std::span<const T> u) const;

 private:
  void check(Rows<const T> rows, const char* name) const;

  Set set_;
  std::size_t dim_;
  Method method_;
  bool check_finite_;
  Anchor anchor_;
  Evaluator<T> evaluator_;
};

template <class T>
template <class Derived>
auto Projection<T>::operator()(const Eigen::MatrixBase<Derived>& u) const {
  static_assert(std::is_same_v<typename Derived::Scalar, T>, "u has another precision than the projection");
  constexpr bool kPoint = Derived::IsVectorAtCompileTime;
  using Batch = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::conditional_t<kPoint, typename Derived::PlainObject, Batch> x = u;
  const auto size = [](Eigen::Index n) { return static_cast<std::size_t>(n); };
  const Rows<T> rows =
      kPoint ? Rows<T>(x.data(), 1, size(x.size())) : Rows<T>(x.data(), size(x.rows()), size(x.cols()));
  Workspace<T> workspace = make_workspace();
  project(rows, rows, workspace);
  return x;
}

extern template class Evaluator<float>;
extern template class Evaluator<double>;
extern template class Workspace<float>;
extern template class Workspace<double>;
extern template class Projection<float>;
extern template class Projection<double>;

}  // namespace softradial
