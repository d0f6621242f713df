#include "softradial/sets/polyhedron.hpp"

#include "sets/validation.hpp"

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

// The rows again as a dense matrix and their bounds.
void add_fields(Description& description, const char* matrix_name, const char* bound_name,
                const std::vector<LinearSystem::Row>& rows, std::size_t dim) {
  const auto num_rows = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(num_rows, static_cast<Eigen::Index>(dim));
  Eigen::VectorXd bounds(num_rows);
  for (Eigen::Index i = 0; i < num_rows; ++i) {
    for (const LinearSystem::Entry& entry : rows[i].entries) matrix(i, entry.column) = entry.value;
    bounds[i] = rows[i].bound;
  }
  description.fields.emplace_back(matrix_name, std::move(matrix));
  description.fields.emplace_back(bound_name, std::move(bounds));
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
  add_fields(description, "A", "b", system().inequalities(), dim());
  if (!system().equalities().empty()) add_fields(description, "E", "f", system().equalities(), dim());
  if (sparse_) description.fields.emplace_back("storage", "sparse");
  return description;
}

}  // namespace softradial
