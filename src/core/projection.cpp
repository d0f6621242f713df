#include "softradial/projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "finite_rows.hpp"
#include "option_checks.hpp"
#include "sets/number_text.hpp"
#include "sets/sized_gauge.hpp"
#include "softradial/errors.hpp"
#include "softradial/reach.hpp"

namespace softradial {
namespace {

void check_method(const SoftRadial& m) {
  require_positive("lambda", m.lambda);
  require_fraction("epsilon", m.epsilon);
}
void check_method(const HardRadial&) {}
void check_method(const GaugeMap& m) { require_positive("lambda", m.lambda); }

Method checked(Method method, int threads) {
  std::visit([](const auto& m) { check_method(m); }, method);
  require_at_least("threads", threads, 1);
  return method;
}

Anchor anchor_of(const Set& set, const ProjectionOptions& options) {
  if (options.anchor_point) return check_anchor(set, *options.anchor_point);
  return require_anchor(set, options.anchor);
}

}  // namespace

double reach(const Set& set, const Anchor& anchor) {
  // At most 64 axes; fewer if these would have more than kNumbers numbers, but at least 8.
  constexpr std::size_t kNumbers = std::size_t{1} << 22U;
  constexpr std::size_t kFewestAxes = 8;
  constexpr std::size_t kMostAxes = 64;
  const std::size_t dim = set.dim();
  if (dim == anchor.hull.codimension()) return std::numeric_limits<double>::infinity();
  const GaugePtr<double> gauge = sized_gauge<double>(set, {anchor.point, anchor.hull});
  const auto scratch = gauge->make_scratch(2);
  const Eigen::MatrixXd& N = anchor.hull.normals;
  std::vector<double> directions(2 * dim);
  std::array<GaugeAt<double>, 2> at;
  const std::size_t axes = std::min(dim, std::clamp(kNumbers / dim, kFewestAxes, kMostAxes));
  double squares = 0;
  double lengths = 0;
  for (std::size_t j = 0; j < axes; ++j) {
    const auto column = static_cast<Eigen::Index>(j * dim / axes);
    const Eigen::VectorXd along =
        Eigen::VectorXd::Unit(static_cast<Eigen::Index>(dim), column) - N.transpose() * N.col(column);
    for (std::size_t i = 0; i < dim; ++i) {
      directions[i] = along[static_cast<Eigen::Index>(i)];
      directions[dim + i] = -directions[i];
    }
    gauge->evaluate({directions.data(), 2, dim}, at, *scratch);
    for (const GaugeAt<double>& side : at) squares += side.gamma * side.gamma;
    lengths += along.squaredNorm();
  }
  return std::sqrt(2 * lengths / squares);
}

double auto_lambda(const Set& set, const Anchor& anchor) {
  const double length = reach(set, anchor);
  return std::isfinite(length) ? std::clamp(length * length, 0x1p-96, 0x1p96) : 1;
}

SoftRadial with_auto_lambda(SoftRadial method, const Set& set, ProjectionOptions& options) {
  const Anchor anchor = anchor_of(set, options);
  method.lambda = auto_lambda(set, anchor);
  options.anchor_point = anchor.point;
  return method;
}

template <class T>
Projection<T>::Projection(Set set, ProjectionOptions options)
    : set_(std::move(set)),
      dim_(set_.dim()),
      method_(checked(with_auto_lambda({}, set_, options), options.threads)),
      check_finite_(options.check_finite),
      anchor_(anchor_of(set_, options)),
      evaluator_(set_, anchor_, method_, options.threads) {}

template <class T>
Projection<T>::Projection(Set set, Method method, const ProjectionOptions& options)
    : set_(std::move(set)),
      dim_(set_.dim()),
      method_(checked(method, options.threads)),
      check_finite_(options.check_finite),
      anchor_(anchor_of(set_, options)),
      evaluator_(set_, anchor_, method_, options.threads) {}

template <class T>
void Projection<T>::check(Rows<const T> rows, const char* name) const {
  if (rows.dim() != dim()) {
    throw ShapeError(std::string(name) + " has rows of " + std::to_string(rows.dim()) +
                     " numbers, the set has dimension " + std::to_string(dim()));
  }
  if (check_finite_) require_finite(rows, name);
}

namespace {

template <class R>
void check_output(R rows, std::size_t count, std::size_t dim, const char* name) {
  if (rows.dim() != dim || rows.count() != count) {
    throw ShapeError(std::string(name) + " is " + std::to_string(rows.count()) + " x " + std::to_string(rows.dim()) +
                     ", expected " + std::to_string(count) + " x " + std::to_string(dim));
  }
}

void check_size(std::size_t size, std::size_t count, const char* name) {
  if (size != count) {
    throw ShapeError(std::string(name) + " has " + std::to_string(size) + " places for " + std::to_string(count) +
                     " rows");
  }
}

}  // namespace

template <class T>
std::vector<T> Projection<T>::operator()(Rows<const T> u) const {
  std::vector<T> x(u.count() * u.dim());
  Workspace<T> workspace = make_workspace();
  project(u, {x.data(), u.count(), u.dim()}, workspace);
  return x;
}

template <class T>
std::size_t Projection<T>::project(Rows<const T> u, Rows<T> x, Workspace<T>& workspace,
                                   std::span<RowState<T>> state) const {
  check(u, "u");
  check_output(x, u.count(), dim(), "x");
  if (!state.empty()) check_size(state.size(), u.count(), "state");
  return evaluator_.project(u, x, workspace, state);
}

template <class T>
void Projection<T>::project_vjp(Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u, Workspace<T>& workspace,
                                std::span<const RowState<T>> state) const {
  check(u, "u");
  check_output(grad_x, u.count(), dim(), "grad_x");
  check_output(grad_u, u.count(), dim(), "grad_u");
  if (!state.empty()) check_size(state.size(), u.count(), "state");
  evaluator_.project_vjp(u, grad_x, grad_u, workspace, state);
}

template <class T>
void Projection<T>::project_jvp(Rows<const T> u, Rows<const T> tangent_u, Rows<T> tangent_x,
                                Workspace<T>& workspace) const {
  check(u, "u");
  check_output(tangent_u, u.count(), dim(), "tangent_u");
  check_output(tangent_x, u.count(), dim(), "tangent_x");
  evaluator_.project_jvp(u, tangent_u, tangent_x, workspace);
}

template <class T>
void Projection<T>::inverse(Rows<const T> x, Rows<T> u, Workspace<T>& workspace) const {
  check(x, "x");
  check_output(u, x.count(), dim(), "u");
  evaluator_.inverse(x, u, workspace);
}

template <class T>
void Projection<T>::log_abs_det(Rows<const T> u, std::span<T> out, Workspace<T>& workspace) const {
  check(u, "u");
  check_size(out.size(), u.count(), "out");
  evaluator_.log_abs_det(u, out, workspace);
}

template <class T>
void Projection<T>::slack(Rows<const T> u, std::span<T> out, Workspace<T>& workspace) const {
  check(u, "u");
  check_size(out.size(), u.count(), "out");
  evaluator_.slack(u, out, workspace);
}

template <class T>
Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> Projection<T>::jacobian(std::span<const T> u) const {
  check(Rows<const T>(u), "u");
  const std::size_t n = dim();
  Workspace<T> workspace = make_workspace();
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> columns(n, n);
  columns.setIdentity();
  const Rows<T> tangents(columns.data(), n, n);
  evaluator_.project_jvp({u.data(), n, n, 0}, tangents, tangents, workspace);
  return columns;
}

template class Projection<float>;
template class Projection<double>;

}  // namespace softradial
