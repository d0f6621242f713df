#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "softradial/errors.hpp"
#include "softradial/method.hpp"
#include "softradial/projection.hpp"
#include "softradial/rows.hpp"
#include "softradial/set.hpp"

// Every constraint layer that the paper compares, ours among them, behind one interface. Each page of docs/methods/ states
// the formula, what a method guarantees, and when to prefer it.
namespace softradial {

// x = p + phi w with p the nearest point of the set shrunk by delta towards its anchor, w = P_hull(u) - p and
// phi = 1 / (1 / kappa + gamma), gamma the gauge of w seen from p (docs/math/soft_orthogonal.md): an orthogonal projection
// that is a bijection onto the interior. For the same sets as `Orthogonal`.
struct SoftOrthogonal {
  double kappa = 0.03;
  double delta = 0.003;
  int steps = 0;  // for polyhedra: number of splitting steps that replace the exact projection; 0: exact
  bool operator==(const SoftOrthogonal&) const = default;
};

// x_j = lower_j + (upper_j - lower_j) sigmoid((u_j - tau) / temperature), tau from the sum; without upper bounds a softmax
// (docs/math/mirror.md). A smooth bijection of the hull onto the interior. For boxes, simplices, capped simplices, and
// products of these.
struct Mirror {
  double temperature = 1;
  bool operator==(const Mirror&) const = default;
};

// x = total softmax(u / temperature). For simplices.
struct Softmax {
  double temperature = 1;
  bool operator==(const Softmax&) const = default;
};

// x = argmin |x - u| over the set. For boxes, simplices, capped simplices, balls, ellipsoids, quadratics, polyhedra, and
// intersections of these.
struct Orthogonal {
  bool operator==(const Orthogonal&) const = default;
};

// Some coordinates are computed from the others so that the equalities hold; then gradient steps reduce the squared
// violation of the inequalities (paper, appendix on competitors). For sets of linear constraints. With `symmetric`, u is
// first projected orthogonally onto the equalities.
struct Dc3 {
  int steps = 5;
  double learning_rate = 0.01;  // with a sum of n numbers, rates above (1 + momentum) / n diverge: docs/methods/dc3.md
  double momentum = 0.5;
  bool symmetric = true;
  bool operator==(const Dc3&) const = default;
};

// Least-squares corrections of all linear constraints at once, `steps` times (paper, eq. hardnet-lsq). For sets of linear
// constraints.
struct HardNet {
  int steps = 3;
  bool operator==(const HardNet&) const = default;
};

// x = u + A^+ (relu(lower - A u) - relu(A u - upper)), A^+ the right pseudoinverse (paper, eq. hardnet-aff). For linear
// constraints whose rows are independent once opposite ones are merged.
struct HardNetAff {
  bool operator==(const HardNetAff&) const = default;
};

// The orthogonal projection as a differentiable programme, solved by the QP layer. For sets of linear constraints.
struct HardNetCvx {
  bool operator==(const HardNetCvx&) const = default;
};

// x = u0 + min(1, 1/gamma(v)) v, v = P_hull(u): the hard radial map of u0 + u. For every set.
struct Rayen {
  bool operator==(const Rayen&) const = default;
};

// x = u0 + sigmoid(s) / gamma(v) v. The model gives dim + 1 numbers, (v, s). For bounded sets.
struct RayScalar {
  bool operator==(const RayScalar&) const = default;
};

// Polar coordinates in the hull: a radius sigmoid(z_1) of the way to the boundary, along the direction whose angles are
// pi sigmoid(z_2), ..., 2 pi sigmoid(z_k). Input width: the dimension of the hull, at least 2. For bounded sets.
struct Hop {
  bool operator==(const Hop&) const = default;
};

// An invertible network that is trained to map the unit ball of the hull onto the set; a point outside is pulled towards
// the centre along its ray in the ball until its image lies inside, by bisection. For bounded sets.
struct Hp {
  int couplings = 4;
  int hidden = 32;
  int training_steps = 400;
  int batch = 128;
  double learning_rate = 3e-3;
  int bisections = 40;
  std::uint64_t seed = 0;
  bool operator==(const Hp&) const = default;
};

// x = u: nothing is enforced. The loss should include a penalty (softradial/violation.hpp). For every set.
struct SoftPenalty {
  bool operator==(const SoftPenalty&) const = default;
};

using LayerMethod = std::variant<SoftRadial, HardRadial, GaugeMap, SoftOrthogonal, Mirror, Softmax, Orthogonal, Dc3,
                                 HardNet, HardNetAff, HardNetCvx, Rayen, RayScalar, Hop, Hp, SoftPenalty>;

// The method as a map of softradial/projection.hpp; empty if it is none of them.
[[nodiscard]] std::optional<Method> radial_method(const LayerMethod& method) noexcept;

// Whether the method's layers have an inverse, log |det J| and tangents. True for the maps of softradial/projection.hpp,
// soft_orthogonal and mirror.
[[nodiscard]] bool has_inverse(const LayerMethod& method) noexcept;

// Thrown when a method does not have the quantity asked for: the inverse of an orthogonal projection, ...
class NotAvailable : public Error {
 public:
  using Error::Error;
};

// Lists the methods for which `quality` is true, in words: "soft_radial, hard_radial and gauge_map".
[[nodiscard]] std::string methods_with(bool (*quality)(const LayerMethod&));

// Whether the method starts from an interior point. Softmax, orthogonal projections and corrections of violated
// constraints start from u itself.
[[nodiscard]] bool has_anchor(const LayerMethod& method) noexcept;

// The name of the method on the command line and in Python: "soft_radial", "dc3", "hardnet", ...; and the name of its class
// in C++ and Python: "SoftRadial", "Dc3", "HardNet", ...
[[nodiscard]] std::string_view method_name(const LayerMethod& method) noexcept;
[[nodiscard]] std::string_view method_title(const LayerMethod& method) noexcept;
// The method of that name with its default parameters; throws InvalidOption, listing the names.
[[nodiscard]] LayerMethod method_named(std::string_view name);
[[nodiscard]] std::vector<std::string_view> method_names();

// Read and set a method's numbers by the names of its fields ("lambda", "steps", ...; true is 1), and its contraction by
// name. An unknown name, or a fraction where a whole number is needed, throws InvalidOption.
[[nodiscard]] std::vector<std::pair<std::string, double>> method_options(const LayerMethod& method);
void set_option(LayerMethod& method, std::string_view name, double value);
void set_contraction(LayerMethod& method, std::string_view word);
// Name of the method's contraction; empty for methods without one.
[[nodiscard]] std::string_view method_contraction(const LayerMethod& method) noexcept;

// Names of the searches for an anchor: "auto", "chebyshev", "analytic". Any other throws InvalidOption, listing these.
[[nodiscard]] AnchorSearch anchor_search(std::string_view word);
[[nodiscard]] std::string anchor_word(AnchorSearch search);

// A map from a model's outputs to points of a set, compiled for one precision. Immutable: several threads may
// call it at once. Rows do not depend on each other; a row with a NaN or an infinity gives NaN in that row.
template <class T>
class Layer {
 public:
  virtual ~Layer() = default;

  [[nodiscard]] virtual std::size_t dim() const noexcept = 0;
  // Width of u.
  [[nodiscard]] virtual std::size_t input_dim() const noexcept { return dim(); }
  // How many numbers per row the forward pass saves for the backward pass.
  [[nodiscard]] virtual std::size_t state_dim() const noexcept { return 0; }

  // The layer as it is trained. Returns the inner iterations that it took, summed over the rows: 0 for a closed form.
  // `state` has a row of state_dim() numbers for each row of u, or no rows.
  virtual std::size_t project(Rows<const T> u, Rows<T> x, Rows<T> state) const = 0;
  // grad_u = J' grad_x, with x and state as `project` left them.
  virtual void project_vjp(Rows<const T> u, Rows<const T> x, Rows<const T> state, Rows<const T> grad_x,
                           Rows<T> grad_u) const = 0;
  // The layer as it is evaluated: methods that only approach the set end with an exact projection (paper, appendix).
  virtual std::size_t evaluate(Rows<const T> u, Rows<T> x) const;

  // The rest is for methods with has_inverse(); others throw NotAvailable.
  // tangent_x = J tangent_u.
  virtual void project_jvp(Rows<const T> u, Rows<const T> tangent_u, Rows<T> tangent_x) const;
  // The u on the hull with project(u) = x. NaN in rows that lie outside the set or off the hull by more than rounding.
  virtual void inverse(Rows<const T> x, Rows<T> u) const;
  // log |det J| on the hull's directions; -infinity where J is singular.
  virtual void log_abs_det(Rows<const T> u, std::span<T> out) const;
};

template <class T>
using LayerPtr = std::unique_ptr<const Layer<T>>;

// Throws InvalidSet if the method does not support the set, saying what it supports, and InvalidOption for parameters
// out of their domain.
template <class T>
[[nodiscard]] LayerPtr<T> make_layer(const Set& set, const LayerMethod& method, const ProjectionOptions& options = {});

// A set of linear constraints as lower <= A x <= upper: opposite rows share one row, equalities have lower = upper.
// Throws InvalidSet for other sets.
struct TwoSidedRows {
  Eigen::MatrixXd A;
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;
};
[[nodiscard]] TwoSidedRows two_sided_rows(const Set& set);

extern template LayerPtr<float> make_layer<float>(const Set&, const LayerMethod&, const ProjectionOptions&);
extern template LayerPtr<double> make_layer<double>(const Set&, const LayerMethod&, const ProjectionOptions&);

}  // namespace softradial
