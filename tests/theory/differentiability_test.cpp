// Theorem "Differentiability and invertibility": p is differentiable almost everywhere, and its Jacobian is invertible
// wherever it exists; the orthogonal and the hard radial projection, in contrast, lose rank outside C.

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include "reference/dense_jacobian.hpp"
#include "reference/orthogonal_projection.hpp"
#include "softradial/sets.hpp"
#include "theory/on_several_sets.hpp"

namespace softradial::theory {
namespace {

class DifferentiabilityAndInvertibility : public OnSeveralSets {
 protected:
  [[nodiscard]] MatrixXd on_hull(const MatrixXd& jacobian) const {
    const MatrixXd basis = reference::hull_basis(anchor_.hull);
    return basis.transpose() * jacobian * basis;
  }
};

// At interior points J is symmetric with eigenvalues r (k - 1 times) and r + 2 rho r', along the ray.
TEST_P(DifferentiabilityAndInvertibility, InteriorEigenvalues) {
  for (const SoftRadial& method : contractions()) {
    SCOPED_TRACE(name_of(method.contraction));
    const support::PointLayer soft = layer(method);
    for (int k = 0; k < 20; ++k) {
      const double distance = random_.uniform(0.01, 0.95) * delta_;
      const VectorXd u = point(distance);
      const long double rho = (u - anchor_.point).squaredNorm();
      const auto r = static_cast<double>(reference::contraction(method, rho));
      const auto radial = static_cast<double>(r + 2 * rho * reference::contraction_slope(method, rho));

      const MatrixXd J = on_hull(soft.jacobian(u));
      EXPECT_LT((J - J.transpose()).norm(), 1e-11);
      const VectorXd eigenvalues = Eigen::SelfAdjointEigenSolver<MatrixXd>(J).eigenvalues();
      for (Eigen::Index i = 0; i + 1 < eigenvalues.size(); ++i) EXPECT_NEAR(eigenvalues[i], r, 1e-11);
      EXPECT_NEAR(eigenvalues[eigenvalues.size() - 1], radial, 1e-11);
    }
  }
}

// Outside, full rank as well: |det| = (r/gamma)^(k-1) 2 rho r'/gamma > 0, in the differences of the map itself.
TEST_P(DifferentiabilityAndInvertibility, ExteriorJacobianHasFullRank) {
  support::PointLayer soft = layer(SoftRadial{});
  int exterior = 0;
  for (int k = 0; k < 60; ++k) {
    const VectorXd u = point(random_.uniform(0.5, 4) * std::max(1.0, 2 * delta_));
    const double gamma = gauge_.value(u - anchor_.point);
    if (gamma < 1.01) continue;
    ++exterior;
    const MatrixXd J = on_hull(soft.jacobian(u));
    const long double rho = (u - anchor_.point).squaredNorm();
    const auto r = static_cast<double>(reference::contraction(SoftRadial{}, rho));
    const auto slope = static_cast<double>(reference::contraction_slope(SoftRadial{}, rho));
    const double expected =
        std::pow(r / gamma, static_cast<double>(J.rows() - 1)) * 2 * static_cast<double>(rho) * slope / gamma;
    EXPECT_GT(expected, 0);
    EXPECT_NEAR(std::abs(J.determinant()) / expected, 1, 1e-6) << "u = " << u.transpose();
    EXPECT_EQ(Eigen::FullPivLU<MatrixXd>(J).rank(), J.rows());

    // The hard radial projection has the ray itself in its kernel there.
    const MatrixXd hard = on_hull(layer(HardRadial{}).jacobian(u));
    EXPECT_LT(Eigen::JacobiSVD<MatrixXd>(hard).singularValues().minCoeff(), 1e-10);
  }
  EXPECT_GT(exterior, 5);
}

// Central differences of two sizes agree at almost every random point: kinks are a null set.
TEST_P(DifferentiabilityAndInvertibility, AlmostEverywhere) {
  support::PointLayer soft = layer(SoftRadial{});
  const auto map = [&](const VectorXd& v) { return soft.project(v); };
  int smooth = 0;
  for (int k = 0; k < 40; ++k) {
    const VectorXd u = point(random_.uniform(0.1, 3));
    const MatrixXd J = soft.jacobian(u);
    const double step = 1e-6 * (u - anchor_.point).norm();
    if ((reference::dense_jacobian(map, u, step) - J).norm() < 1e-5 * J.norm()) ++smooth;
  }
  EXPECT_GE(smooth, 39);
}

INSTANTIATE_TEST_SUITE_P(Theory, DifferentiabilityAndInvertibility, ::testing::ValuesIn(several_sets()),
                         support::NameOfSet());

struct Nearest {
  const char* name;
  Set set;
  reference::VectorMap map;
};

void PrintTo(const Nearest& nearest, std::ostream* out) { *out << nearest.name; }

class OrthogonalProjectionBeside : public ::testing::TestWithParam<Nearest> {};

// At points outside C the orthogonal projection's Jacobian is singular: the step along the normal is invisible to it.
TEST_P(OrthogonalProjectionBeside, LosesRankWhereTheSoftRadialOneDoesNot) {
  const Nearest& p = GetParam();
  support::PointLayer soft(p.set);
  support::RandomPoints random(3);
  int outside = 0;
  for (int k = 0; k < 40; ++k) {
    const VectorXd u = soft.anchor() + 2 * random.unit_on(soft.hull());
    if ((p.map(u) - u).norm() < 1e-3) continue;
    ++outside;
    const MatrixXd orthogonal = reference::dense_jacobian(p.map, u, 1e-5);
    EXPECT_LT(reference::singular_values_on_hull(orthogonal, soft.hull()).minCoeff(), 1e-7) << "u = " << u.transpose();
    const VectorXd radial = reference::singular_values_on_hull(soft.jacobian(u), soft.hull());
    EXPECT_GT(radial.minCoeff(), 1e-3) << "u = " << u.transpose();
  }
  EXPECT_GT(outside, 10);
}

INSTANTIATE_TEST_SUITE_P(
    Theory, OrthogonalProjectionBeside,
    ::testing::Values(Nearest{"ball", Ball(VectorXd::Zero(3), 1),
                              [](const VectorXd& u) { return reference::nearest_in_ball(u, VectorXd::Zero(3), 1); }},
                      Nearest{"triangle", Polyhedron((MatrixXd(3, 2) << -1, 0, 0, -1, 1, 1).finished(), vec({0, 0, 1})),
                              [](const VectorXd& u) {
                                return reference::nearest_in_polyhedron(
                                    u, (MatrixXd(3, 2) << -1, 0, 0, -1, 1, 1).finished(), vec({0, 0, 1}));
                              }},
                      Nearest{"capped_simplex", CappedSimplex(5, 0.5),
                              [](const VectorXd& u) {
                                return reference::nearest_in_capped_simplex(u, VectorXd::Constant(5, 0.5), 1);
                              }}),
    [](const auto& nearest) { return nearest.param.name; });

}  // namespace
}  // namespace softradial::theory
