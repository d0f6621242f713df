#include <algorithm>
#include <cmath>

#include "numbers.hpp"
#include "sets/log_barrier.hpp"
#include "sets/margin.hpp"
#include "sets/rows/rows_gauge.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets/polyhedra.hpp"

namespace softradial {
namespace {

constexpr std::string_view kPolyhedron = "polyhedron";

std::vector<LinearSystem::Entry> row_entries(const Eigen::MatrixXd& matrix, Eigen::Index i) {
  std::vector<LinearSystem::Entry> entries;
  for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
    if (matrix(i, j) != 0) entries.push_back({static_cast<std::size_t>(j), matrix(i, j)});
  }
  return entries;
}

std::vector<LinearSystem::Entry> row_entries(const SparseMatrix& matrix, Eigen::Index i) {
  std::vector<LinearSystem::Entry> entries;
  for (SparseMatrix::InnerIterator entry(matrix, i); entry; ++entry) {
    if (entry.value() != 0) entries.push_back({static_cast<std::size_t>(entry.col()), entry.value()});
  }
  return entries;
}

template <class Matrix>
LinearSystem polyhedron_system(const Matrix& A, const Eigen::VectorXd& b, const Matrix& E, const Eigen::VectorXd& f) {
  const std::size_t dim = require_dim(kPolyhedron, static_cast<std::size_t>(A.cols()));
  require_entries(kPolyhedron, "b", b.size(), A.rows(), "rows of A");
  require_entries(kPolyhedron, "f", f.size(), E.rows(), "rows of E");
  if (E.rows() > 0 && E.cols() != A.cols()) {
    reject(kPolyhedron, "E has " + std::to_string(E.cols()) + " columns, A has " + std::to_string(A.cols()));
  }
  require_finite(kPolyhedron, "A", A);
  require_finite(kPolyhedron, "b", b);
  require_finite(kPolyhedron, "E", E);
  require_finite(kPolyhedron, "f", f);

  LinearSystem system(dim);
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    system.add_inequality({.entries = row_entries(A, i), .bound = b[i], .name = "row " + std::to_string(i)});
  }
  for (Eigen::Index k = 0; k < E.rows(); ++k) {
    system.add_equality({.entries = row_entries(E, k), .bound = f[k], .name = "equality " + std::to_string(k)});
  }
  return system;
}

// Adds the rows as a matrix, dense or sparse as they were given, and their bounds.
void add_fields(Description& description, const char* matrix_name, const char* bound_name,
                const std::vector<LinearSystem::Row>& rows, std::size_t dim, bool sparse) {
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd bounds(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const LinearSystem::Entry& e : rows[i].entries) {
      entries.emplace_back(static_cast<int>(i), static_cast<int>(e.column), e.value);
    }
    bounds[static_cast<Eigen::Index>(i)] = rows[i].bound;
  }
  SparseMatrix matrix(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(dim));
  matrix.setFromTriplets(entries.begin(), entries.end());
  if (sparse) {
    description.fields.emplace_back(matrix_name, std::move(matrix));
  } else {
    description.fields.emplace_back(matrix_name, Eigen::MatrixXd(matrix));
  }
  description.fields.emplace_back(bound_name, std::move(bounds));
}

// The guard: with s_i the slack and a chain of at most `terms` products in w_i.d,
//   sigma_i = ulp (8 + sum_j |a_ij u0_j| / s_i),   kappa = ulp (terms / 2 + 2) max_i |w_i|.
template <class T>
ScaledRows scale_rows(const LinearSystem& system, const AnchoredHull& at) {
  ScaledRows out;
  std::size_t terms = 0;
  double largest = 0;
  const HullReach reach(at.hull);
  for (const auto& row : system.inequalities()) {
    if (reach.length(row, at.point) == 0) continue;
    const double slack = residual(row, at.point.data());
    double size = 0;
    double squares = 0;
    for (const auto& e : row.entries) {
      size += std::abs(e.value * at.point[static_cast<Eigen::Index>(e.column)]);
      squares += e.value * e.value;
    }
    constexpr double kExtended = std::numeric_limits<long double>::epsilon();
    const double setup = kExtended * static_cast<double>(row.entries.size()) * (size + std::abs(row.bound));
    const GuardedSlack guarded = guard_slack<T>(slack, kUlp<T> * size + setup, row.name);
    LinearSystem::Row scaled = row;
    for (auto& e : scaled.entries) e.value *= guarded.reciprocal;
    out.rows.push_back(std::move(scaled));
    out.margin.sigma = std::max(out.margin.sigma, guarded.sigma);
    terms = std::max(terms, row.entries.size());
    largest = std::max(largest, std::sqrt(squares) * guarded.reciprocal);
  }
  out.margin.lipschitz = largest;
  out.margin.kappa = guard::kappa_of_unit(kUlp<T>, terms) * largest;
  return out;
}

template <class T>
GaugePtr<T> rows_gauge(const LinearSystem& system, const AnchoredHull& at, bool sparse) {
  const ScaledRows rows = scale_rows<T>(system, at);
  return sparse ? make_sparse_rows_gauge<T>(rows, system.dim()) : make_dense_rows_gauge<T>(rows, system.dim());
}

// Checks one block M x (<= or =) v of SET.json: both keys or neither. The dimension is that of the block with rows, else "dim".
void require_pair(const Fields& f, std::string_view matrix, std::string_view bounds) {
  const std::string both =
      std::string(kPolyhedron) + ": " + std::string(matrix) + " and " + std::string(bounds) + " go together";
  if (f.has(matrix)) f.require(bounds, both);
  if (f.has(bounds)) f.require(matrix, both);
}

template <class Matrix>
Set make_polyhedron(const Fields& f, Matrix A, Matrix E) {
  Eigen::Index columns = std::max(A.cols(), E.cols());
  if (columns == 0) {
    f.require("dim");
    columns = static_cast<Eigen::Index>(f.count("dim"));
  }
  if (A.cols() == 0) A.resize(0, columns);
  if (E.cols() == 0) E.resize(0, columns);
  if (f.has("dim") && f.count("dim") != static_cast<std::size_t>(A.cols())) {
    throw FieldError("dim", "expected " + std::to_string(A.cols()) + ", the columns of the matrices, got " +
                                std::to_string(f.count("dim")));
  }
  const Eigen::VectorXd none(0);
  return Polyhedron(A, f.has("b") ? f.numbers("b") : none, E, f.has("f") ? f.numbers("f") : none);
}

}  // namespace

Polyhedron::Polyhedron(const Eigen::MatrixXd& A, const Eigen::VectorXd& b)
    : Polyhedron(A, b, Eigen::MatrixXd(0, A.cols()), Eigen::VectorXd(0)) {}

Polyhedron::Polyhedron(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, const Eigen::MatrixXd& E,
                       const Eigen::VectorXd& f)
    : PolyhedralSet(polyhedron_system(A, b, E, f)), sparse_(false) {}

Polyhedron::Polyhedron(const SparseMatrix& A, const Eigen::VectorXd& b)
    : Polyhedron(A, b, SparseMatrix(0, A.cols()), Eigen::VectorXd(0)) {}

Polyhedron::Polyhedron(const SparseMatrix& A, const Eigen::VectorXd& b, const SparseMatrix& E, const Eigen::VectorXd& f)
    : PolyhedralSet(polyhedron_system(A, b, E, f)), sparse_(true) {}

Description Polyhedron::describe() const {
  Description description{std::string(kPolyhedron), {}};
  // A dense matrix without rows does not tell its columns where it is written as a list of rows.
  if (system().inequalities().empty() && !sparse_) description.fields.emplace_back("dim", static_cast<double>(dim()));
  add_fields(description, "A", "b", system().inequalities(), dim(), sparse_);
  if (!system().equalities().empty()) add_fields(description, "E", "f", system().equalities(), dim(), sparse_);
  return description;
}

GaugePtr<float> Polyhedron::gauge_f32(const AnchoredHull& at) const { return rows_gauge<float>(system(), at, sparse_); }
GaugePtr<double> Polyhedron::gauge_f64(const AnchoredHull& at) const {
  return rows_gauge<double>(system(), at, sparse_);
}

std::optional<Set> Polyhedron::in_sizes(const Eigen::VectorXd& sizes) const {
  return Polyhedron(system().in_sizes(sizes), sparse_);
}

TensorGaugeAt Polyhedron::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  const TensorSpace& space = data.space();
  const auto& rows = system().inequalities();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(dim()));
  Eigen::VectorXd b(A.rows());
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    for (const LinearSystem::Entry& e : rows[i].entries) A(i, static_cast<Eigen::Index>(e.column)) = e.value;
    b[i] = rows[i].bound;
  }
  const Tensor rows_of_set = data.value_or("A", A);
  const Tensor slack = data.value_or("b", b) - rows_of_set.value().rows_times(anchor);
  return rows_gauge_in_tensors(rows_of_set, slack, anchor, space);
}

SetType Polyhedron::type() {
  constexpr auto kOptional = Field::Presence::optional;
  return {.name = kPolyhedron,
          .title = "Polyhedron",
          .formula = "{A x <= b, E x = f}; a sparse A makes the gauge sparse",
          .fields = {{.name = "A",
                      .kind = FieldKind::any_matrix,
                      .presence = kOptional,
                      .learned_as = "A",
                      .learned_if_sparse = false,
                      .meaning = "(m, dim), dense or sparse: an inequality in each row"},
                     {.name = "b",
                      .kind = FieldKind::numbers,
                      .presence = kOptional,
                      .learned_as = "b",
                      .meaning = "(m): their right-hand sides"},
                     {.name = "E",
                      .kind = FieldKind::any_matrix,
                      .presence = kOptional,
                      .meaning = "(k, dim), dense or sparse: an equality in each row"},
                     {.name = "f",
                      .kind = FieldKind::numbers,
                      .presence = kOptional,
                      .learned_as = "f",
                      .learned_if_sparse = false,
                      .meaning = "(k): their right-hand sides"},
                     {.name = "dim",
                      .kind = FieldKind::count,
                      .presence = kOptional,
                      .meaning = "the number of coordinates, where neither A nor E says it"}},
          .sample_data = {"A", "b", "E", "f"},
          .example = R"({"type": "polyhedron", "A": [[1, 2], [-1, 0], [0, -1]], "b": [1, 0, 0]})",
          .make = [](const Fields& f) -> Set {
            require_pair(f, "A", "b");
            require_pair(f, "E", "f");
            if ((f.has("A") && f.is_sparse("A")) || (f.has("E") && f.is_sparse("E"))) {
              return make_polyhedron(f, f.has("A") ? f.sparse("A") : SparseMatrix(),
                                     f.has("E") ? f.sparse("E") : SparseMatrix());
            }
            return make_polyhedron(f, f.has("A") ? f.matrix("A") : Eigen::MatrixXd(),
                                   f.has("E") ? f.matrix("E") : Eigen::MatrixXd());
          }};
}

bool PolyhedralSet::append_linear(LinearSystem& out) const {
  for (const LinearSystem::Row& row : system_.inequalities()) out.add_inequality(row);
  for (const LinearSystem::Row& row : system_.equalities()) out.add_equality(row);
  return true;
}

void PolyhedralSet::slacks(std::span<const double> x, std::span<double> out) const {
  const auto& rows = system_.inequalities();
  for (std::size_t i = 0; i < rows.size(); ++i) out[i] = residual(rows[i], x.data());
}

// -sum_i log(s_i),  s_i = b_i - a_i.x + t:  gradient sum_i (a_i, -1) / s_i,  Hessian sum_i (a_i, -1)(a_i, -1)' / s_i^2.
std::optional<BarrierTerms> PolyhedralSet::barrier(const Eigen::VectorXd& x, double t) const {
  BarrierTerms terms(dim());
  const Eigen::Index last = x.size();
  for (const LinearSystem::Row& row : system_.inequalities()) {
    const double slack = residual(row, x.data()) + t;
    if (!(slack > 0)) return std::nullopt;
    terms.value -= std::log(slack);
    for (const LinearSystem::Entry& a : row.entries) {
      const double scaled = a.value / slack;
      terms.gradient[a.column] += scaled;
      terms.hessian(last, a.column) -= scaled / slack;
      for (const LinearSystem::Entry& b : row.entries) {
        terms.hessian(b.column, a.column) += scaled * (b.value / slack);
      }
    }
    terms.gradient[last] -= 1 / slack;
    terms.hessian(last, last) += 1 / slack / slack;
  }
  terms.hessian.col(last).head(last) = terms.hessian.row(last).head(last).transpose();
  return if_finite(std::move(terms));
}

std::optional<BarrierTerms> PolyhedralSet::nonlinear_barrier(const Eigen::VectorXd& /*x*/, double /*t*/) const {
  return BarrierTerms(dim());
}

// Bounds and sums: few entries a row.
std::optional<Set> PolyhedralSet::in_sizes(const Eigen::VectorXd& sizes) const {
  return Polyhedron(system_.in_sizes(sizes), true);
}

// Numbers that are not chosen are replaced before the division: their derivatives must stay finite.
TensorGaugeAt rows_gauge_in_tensors(const Tensor& A, const Tensor& slack, const Tensor& anchor,
                                    const TensorSpace& space) {
  if (slack.value().width() == 0) {
    const Tensor none = 0 * norm(frozen(anchor));
    return {[](const Tensor& d) { return 0 * d.value().columns(0, 1); }, space.working(none), all(isfinite(anchor)),
            none.value().in_double()};
  }
  const TensorMath math(space);
  const std::size_t dim = anchor.value().width();
  const Tensor norms = frozen(A).value().row_norms();
  const Tensor open = slack > largest_number(slack) || (!(norms > 0) && slack >= 0);
  const Tensor closed = !open;
  const Tensor room = where_else(closed, slack, 1);
  const Tensor loss = guard::row_loss(math, math.slack_roundings(dim), norm(frozen(anchor)), norms);
  const Tensor left = guard::guarded_slack(math, room, loss);
  const Tensor ordinary = norms >= math.smallest_slack() && !(norms > 1 / math.smallest_slack());
  const Tensor good = open || (ordinary && guard::resolvable(math, room, left));
  const Tensor scale = guard::reciprocal_slack(math, open, where_else(good, left, 1));
  const Tensor steepest = frozen(largest(norms * scale));
  const double kappa = guard::kappa_of_unit(space.ulp(), dim) + space.coarse_ulp();
  return {[rows = space.working(A), scale = space.working(scale)](const Tensor& d) {
            return larger(largest(rows.value().rows_times(d) * scale), 0);
          },
          space.working(kappa * steepest), all(isfinite(anchor)) && all(good), steepest.value().in_double()};
}

TensorGauge rows_in_tensors(const Eigen::MatrixXd& W, const TensorSpace& space) {
  if (W.rows() == 0) return [](const Tensor& d) { return 0 * d.value().columns(0, 1); };
  return [columns = space.working_constant(Eigen::MatrixXd(W.transpose()))](const Tensor& d) {
    return larger(largest(product(columns, d)), 0);
  };
}

}  // namespace softradial
