// Polyhedra: rows, dense and sparse.
#include <cmath>
#include <limits>

#include "sets/family.hpp"
#include "softradial/sets.hpp"
#include "support/specimen.hpp"
#include "support/vectors.hpp"

namespace softradial::support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using reference::ConstraintPtr;
using reference::LinearRow;
using reference::Translation;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

LinearRow row_of(const MatrixXd& A, Eigen::Index i, double bound) {
  LinearRow row{.terms = {}, .bound = bound};
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    if (A(i, j) != 0) row.terms.push_back({static_cast<std::size_t>(j), A(i, j)});
  }
  return row;
}

// A matrix of the description, whether it is kept sparse or not.
MatrixXd dense(const Translation& t, const std::string& name) {
  const auto* const sparse = std::get_if<SparseMatrix>(&t.value(name));
  return sparse != nullptr ? MatrixXd(*sparse) : t.matrix(name);
}

// A x < b, E x = f.
ConstraintPtr exact_rows(const Translation& t) {
  Eigen::Index dim = t.has("dim") ? static_cast<Eigen::Index>(t.number("dim")) : 0;
  std::vector<LinearRow> rows;
  if (t.has("A")) {
    const MatrixXd A = dense(t, "A");
    dim = A.cols();
    for (Eigen::Index i = 0; i < A.rows(); ++i) t.add_inequality(rows, row_of(A, i, t.vector("b")[i]));
  }
  if (t.has("E")) {
    const MatrixXd E = dense(t, "E");
    dim = E.cols();
    for (Eigen::Index i = 0; i < E.rows(); ++i) {
      rows.push_back(row_of(E, i, t.vector("f")[i]));
      rows.back().kind = LinearRow::Kind::equal;
    }
  }
  return std::make_unique<reference::LinearConstraint>(static_cast<std::size_t>(dim), std::move(rows));
}

std::vector<NamedSet> zoo() {
  std::vector<NamedSet> zoo;
  zoo.push_back({"halfspace", Polyhedron(mat({{1, -2, 0.5}}), vec({1.25}))});
  zoo.push_back({"triangle", Polyhedron(mat({{-1, 0}, {0, -1}, {1, 1}}), vec({0, 0, 1}))});
  zoo.push_back({"cone_of_rays", Polyhedron(mat({{-1, 0.1}, {0.2, -1}}), vec({0, 0}))});

  const MatrixXd A = gaussian(12, 4, 1);
  const VectorXd b = gaussian(12, 1, 2).cwiseAbs().array() + 0.1;
  zoo.push_back({"polyhedron", Polyhedron(A, b)});
  zoo.push_back({"polyhedron_off_centre", Set(Polyhedron(A, b)).with_anchor(VectorXd::Constant(4, 0.01))});
  zoo.push_back({"polyhedron_equalities", Polyhedron(-MatrixXd::Identity(5, 5), vec({0, 0, 0, 0.3, 0.1}),
                                                     mat({{1, 1, 1, 0, 0}, {0.5, 0, -0.3, 1, 2}}), vec({1, 0.25}))});
  // x1 <= 0.3 and -x1 <= -0.3: flat, though nothing says so.
  zoo.push_back({"polyhedron_implicit_equality",
                 Polyhedron(mat({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {1, 1, 1}, {0, 0, -1}}),
                            vec({0.3, -0.3, 1, 0.5, 2, 0.7}))});

  SparseMatrix sparse(12, 6);
  for (int i = 0; i < 12; ++i) {
    sparse.insert(i, i % 6) = i < 6 ? 1.0 : -1.0;
    sparse.insert(i, (i + 2) % 6) = 0.37 * (i % 3 - 1);
  }
  sparse.makeCompressed();
  zoo.push_back({"polyhedron_sparse", Polyhedron(sparse, VectorXd::LinSpaced(12, 0.3, 1.7))});
  return zoo;
}

std::vector<JsonForm> forms() {
  const MatrixXd A = mat({{1, 0}, {0, 1}});
  const SparseMatrix sparse = A.sparseView();
  const VectorXd b = vec({1, 2});
  return {
      {R"({"type": "polyhedron", "A": [[1, 0], [0, 1]], "b": [1, 2]})", Polyhedron(A, b)},
      {R"({"type": "polyhedron", "A": [[1, 0], [0, 1]], "b": [1, 2], "E": [[1, 1]], "f": [0]})",
       Polyhedron(A, b, mat({{1, 1}}), vec({0}))},
      {R"({"type": "polyhedron", "E": [[1, 1]], "f": [0]})",
       Polyhedron(MatrixXd(0, 2), VectorXd(0), mat({{1, 1}}), vec({0}))},
      {R"({"type": "polyhedron", "dim": 3, "A": [], "b": []})", Polyhedron(MatrixXd(0, 3), VectorXd(0))},
      {R"({"type": "polyhedron", "A": {"rows": 2, "cols": 2, "entries": [[1, 1, 1], [0, 0, 1]]}, "b": [1, 2]})",
       Polyhedron(sparse, b)},
      // One sparse matrix makes both sparse.
      {R"({"type": "polyhedron", "A": {"rows": 2, "cols": 2, "entries": [[0, 0, 1], [1, 1, 1]]}, "b": [1, 2],
           "E": [[1, 0], [0, 1]], "f": [1, 2]})",
       Polyhedron(sparse, b, sparse, b)},
  };
}

std::vector<NamedSet> written() {
  const MatrixXd A = mat({{1, 0}, {0, 1}, {-1, -1.0 / 3}});
  const MatrixXd E = mat({{1, -1}});
  const VectorXd b = vec({1, 2, 3});
  const VectorXd f = vec({0.125});
  const SparseMatrix sparse_A = A.sparseView();
  const SparseMatrix sparse_E = E.sparseView();
  return {{"polyhedron_dense", Polyhedron(A, b)},
          {"polyhedron_dense_equalities", Polyhedron(A, b, E, f)},
          {"polyhedron_dense_equalities_only", Polyhedron(MatrixXd(0, 2), VectorXd(0), E, f)},
          {"polyhedron_dense_whole_space", Polyhedron(MatrixXd(0, 4), VectorXd(0))},
          {"polyhedron_sparse", Polyhedron(sparse_A, b)},
          {"polyhedron_sparse_equalities", Polyhedron(sparse_A, b, sparse_E, f)},
          {"polyhedron_sparse_whole_space", Polyhedron(SparseMatrix(0, 4), VectorXd(0))}};
}

std::vector<BadBuild> bad_builds() {
  const MatrixXd A = mat({{1, 2}, {3, 4}, {5, 6}, {7, 8}});
  const VectorXd b = VectorXd::Zero(4);
  const SparseMatrix sparse = A.sparseView();
  const SparseMatrix sparse_infinite = mat({{0, 2}, {kInfinity, 0}}).sparseView();
  return {
      {[=] {
         Polyhedron(A, vec({1, 2, 3}));
       },
       "polyhedron: b has 3 entries for 4 rows of A"},
      {[=] { Polyhedron(MatrixXd(4, 0), b); }, "polyhedron: the dimension is 0"},
      {[=] {
         Polyhedron(mat({{1, 2}, {3, kNaN}}), vec({1, 2}));
       },
       "polyhedron: A[1][1] is nan, not a finite number"},
      {[=] {
         Polyhedron(A, vec({1, 2, kInfinity, 3}));
       },
       "polyhedron: b[2] is inf, not a finite number"},
      {[=] {
         Polyhedron(A, b, mat({{1, 2, 3}}), vec({1}));
       },
       "polyhedron: E has 3 columns, A has 2"},
      {[=] {
         Polyhedron(A, b, mat({{1, 2}}), vec({1, 2}));
       },
       "polyhedron: f has 2 entries for 1 rows of E"},
      {[=] {
         Polyhedron(A, b, mat({{1, kNaN}}), vec({1}));
       },
       "polyhedron: E[0][1] is nan, not a finite number"},
      {[=] {
         Polyhedron(A, b, mat({{1, 1}}), vec({kNaN}));
       },
       "polyhedron: f[0] is nan, not a finite number"},
      {[=] {
         Polyhedron(sparse_infinite, vec({1, 2}));
       },
       "polyhedron: A[1][0] is inf, not a finite number"},
      {[=] { Polyhedron(sparse, vec({1})); }, "polyhedron: b has 1 entries for 4 rows of A"},
  };
}

Specimen polyhedron() {
  Specimen s{.type = "polyhedron"};
  s.zoo = zoo();
  s.exemplars = {"triangle", "halfspace", "polyhedron_off_centre", "polyhedron_implicit_equality"};
  // Away from the boundary and along it.
  s.recessions = {{"halfspace", vec({-1, 2, 0})}, {"halfspace", vec({2, 1, 0})}, {"cone_of_rays", vec({1, 2})}};
  const MatrixXd corner = mat({{-1, 0}, {0, -1}, {1, 1}});
  const VectorXd b = corner * vec({100, -70.3}) + VectorXd::Constant(3, 0.1);
  s.far_away = {{"polyhedron", Polyhedron(corner, b)},
                {"polyhedron_sparse", Polyhedron(SparseMatrix(corner.sparseView()), b)}};
  const MatrixXd units = vec({512, 1, 1.0 / 512}).asDiagonal();
  s.mixed_units = {{"polyhedron", Polyhedron(gaussian(12, 3, 4) * units, gaussian(12, 1, 2).cwiseAbs().array() + 0.1)},
                   {"polyhedron_equality",
                    Polyhedron(gaussian(12, 3, 4) * units, VectorXd::Ones(12), mat({{512, 1, 0.5}}), vec({0.1}))}};
  s.empty = {Polyhedron(mat({{1, 0}, {-1, 0}}), vec({0, -1})), Polyhedron(MatrixXd::Zero(1, 2), vec({-1}))};
  s.around = [](Draw& draw, const VectorXd& x0, double scale, double delta) -> Set {
    const MatrixXd A = draw.matrix(2 * x0.size(), x0.size());
    return Polyhedron(A, A * x0 + VectorXd::Constant(A.rows(), delta * scale));
  };
  s.forms = forms();
  s.written = written();
  const MatrixXd I = MatrixXd::Identity(2, 2);
  const VectorXd z = VectorXd::Zero(2);
  s.lines = {{Polyhedron(mat({{1, 1}}), vec({1})), "polyhedron(A=[1x2], b=[1])"},
             {Polyhedron(mat({{1, 1}}), vec({1}), I, z), "polyhedron(A=[1x2], b=[1], E=[2x2], f=[0, 0])"},
             {Polyhedron(SparseMatrix(I.sparseView()), z), "polyhedron(A=[sparse 2x2], b=[0, 0])"}};
  s.bad_builds = bad_builds();
  s.bad_json = {
      {R"({"type": "polyhedron", "A": [[1, 0]], "b": [1, 2]})", "polyhedron: b has 2 entries for 1 rows of A"},
      {R"({"type": "polyhedron", "A": [[1, 0]], "b": [1], "E": [[1]], "f": [1]})",
       "polyhedron: E has 1 columns, A has 2"},
  };
  const Polyhedron mixed(mat({{1, 0, -2}, {0, 0, 0}}), vec({3, 5}), mat({{1, 1, 1}}), vec({1}));
  s.slacks = {
      {mixed, vec({1, 7, 2}), {6, 5}},
      // A zero row with a negative bound is an empty set, not an error.
      {Polyhedron(mat({{0, 0}}), vec({-1})), vec({3, 4}), {-1}},
      {Polyhedron(MatrixXd(0, 3), VectorXd(0)), vec({1, 2, 3}), {}},
      // Rounded once: 1e16 + 1 - 1e16 loses the 1 in doubles.
      {Polyhedron(mat({{1, 1, 1}}), vec({0})), vec({1e16, 1, -1e16}), {-1}},
  };
  s.constraints = {{mixed, {"row 0", "row 1"}, {"row 0", "row 1"}, {"equality 0"}, true}};
  s.gauges = {{"polyhedron",
               Polyhedron(mat({{1, 1}, {-1, 0}, {0, -2}}), vec({4, 0, 0})),
               vec({1, 1}),
               {{vec({1, 3}), 2, vec({0.5, 0.5})}, {vec({-3, 1}), 3, vec({-1, 0})}, {vec({1, -2}), 2, vec({0, -1})}}}};
  s.barriers = {{"polyhedron", Polyhedron(mat({{1, 2}, {-1, 0.5}, {0, -1}, {0, 0}}), vec({1, 2, 3, 1})),
                 vec({0.5, -0.25}), vec({30, 40})}};
  s.exact = exact_rows;
  s.boundary_points = {{"polyhedron", Polyhedron(mat({{1, 1}}), vec({1})), {0.25, 0.75}, 1, false}};
  const double below = std::nextafter(0.2, 0.0);
  s.judged = {
      // 0.1 + 0.2 > 0.3 in exact arithmetic on the doubles, by 2.8e-17: one third of an ulp of the sum.
      {Polyhedron(mat({{1, 1}}), vec({0.3})), {0.1, 0.2}, false},
      {Polyhedron(mat({{1, 1}}), vec({0.3})), {0.1, std::nextafter(below, 0.0)}, true},
      // 1e16 + 1 - 1e16 = 1: a double loses the 1, and a long double cannot bound its own error well enough.
      {Polyhedron(mat({{1, 1, 1}}), vec({1})), {1e16, 1, -1e16}, false},
      {Polyhedron(mat({{1, 1, 1}}), vec({std::nextafter(1.0, 2.0)})), {1e16, 1, -1e16}, true},
  };
  return s;
}

}  // namespace

std::vector<Specimen> row_specimens() { return {polyhedron()}; }

}  // namespace softradial::support
