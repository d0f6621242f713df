#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

// The closed forms of gauges as plain data: what another backend needs to evaluate the same guarded gauge by operations
// of its own. The numbers are those that the compiled gauge uses, sigma included, in double (a float is cast exactly);
// kappa |d| is not in them, as it is not in Gauge<T>::evaluate. d has `dim` entries; every gauge of d = 0 is 0.
namespace softradial {

class ConvexFunction;

// gamma(d) = max_j max(d_j up_j, -d_j down_j, 0). Shapes: (dim); 0 on an open side.
struct SidesForm {
  Eigen::VectorXd up;
  Eigen::VectorXd down;
};

// gamma(d) = max(0, max_i w_i.d). W: (rows x dim), dense for sparse polyhedra too; no rows: gamma = 0.
struct RowsForm {
  Eigen::MatrixXd W;
};

// gamma(d) = b + sqrt(c + b^2),   b = beta.d,   c = |V d|^2 + inflation |d|^2.
// Where b < 0 the sum cancels: there gamma(d) = c / (sqrt(c + b^2) - b). V: (rank x dim), maybe no rows; beta: (dim).
struct QuadraticForm {
  Eigen::MatrixXd V;
  Eigen::VectorXd beta;
  double inflation;
};

// gamma(d) = max(0, |W d| - tau.d). W: (rows x dim), maybe no rows; tau: (dim).
struct ConeForm {
  Eigen::MatrixXd W;
  Eigen::VectorXd tau;
};

// gamma(d) = max(0, largest eigenvalue of sum_i d_i G_i). G: dim symmetric matrices of one order.
struct LmiForm {
  std::vector<Eigen::MatrixXd> G;
};

// gamma(d) = scale |d|_p, 1 <= p <= infinity. To be evaluated in double, like LevelForm.
struct NormForm {
  double scale;
  double p;
};

// h(x) = |x - center|_p - radius, 1 <= p <= infinity
struct LpDistanceForm {
  Eigen::VectorXd center;
  double radius;
  double p;
};

// h(x) = log sum_j exp(x_j) - bound
struct LogSumExpForm {
  double bound;
};

// h(x) = sum_j k_j(x_j) - radius,   k_j(x) = x log(x / reference_j)                     for x >= edge reference_j
//                                            x (log(edge) + 1) - edge reference_j       below: the tangent
struct DivergenceForm {
  Eigen::VectorXd reference;
  double radius;
  double edge;
};

// h of a level set {h <= 0}; a function that is known by its values and gradients alone is given as itself.
using LevelFunction =
    std::variant<LpDistanceForm, LogSumExpForm, DivergenceForm, std::shared_ptr<const ConvexFunction>>;

// gamma(d) = grow |d| / t,   t = sup { t : h(u0 + t d / |d|) <= 0 };   0 where t >= longest. A NaN of h counts as outside.
// To be evaluated in double whatever the precision of d, as the guard assumes.
struct LevelForm {
  LevelFunction function;
  Eigen::VectorXd u0;
  double grow;
  double longest;
};

struct GaugeForm;
struct PartForm;

// gamma(d) = max(0, max over the parts); ties take the first.
struct MaxForm {
  std::vector<PartForm> parts;
};

// gamma(d) = grow gamma_inner(A d). A: (inner dim x dim).
struct AffineForm {
  std::shared_ptr<const GaugeForm> inner;
  Eigen::MatrixXd A;
  double grow;
};

// gamma(d) = grow gamma_inner(factor d)
struct ScaledForm {
  std::shared_ptr<const GaugeForm> inner;
  double factor;
  double grow;
};

// A value: inner forms are immutable, so that copies may share them.
struct GaugeForm : std::variant<SidesForm, RowsForm, QuadraticForm, ConeForm, LmiForm, NormForm, LevelForm, MaxForm,
                                AffineForm, ScaledForm> {
  using variant::variant;
};

// A gauge of d[first_column ... first_column + dim - 1].
struct PartForm {
  GaugeForm form;
  std::size_t first_column;
  std::size_t dim;
};

}  // namespace softradial
