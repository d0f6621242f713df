// Theorem "Equivalence of optimal values": inf f = inf over Int(C) of l = inf over C of l for f = l o p; f has a minimiser
// if and only if one of l over C is interior, and then they correspond.

#include "softradial/sets.hpp"
#include "theory/on_several_sets.hpp"

namespace softradial::theory {
namespace {

// A linear loss c.x over a bounded set, with its minimiser on the boundary, known by hand.
struct LinearProgramme {
  const char* name;
  Set set;
  VectorXd cost;
  VectorXd minimiser;
};

void PrintTo(const LinearProgramme& p, std::ostream* out) { *out << p.name; }

class EquivalenceOfOptimalValues : public ::testing::TestWithParam<LinearProgramme> {};

TEST_P(EquivalenceOfOptimalValues, BoundaryMinimumIsTheInfimumAndIsNotAttained) {
  const LinearProgramme& p = GetParam();
  const double optimum = p.cost.dot(p.minimiser);
  for (const SoftRadial& method : contractions()) {
    SCOPED_TRACE(name_of(method.contraction));
    support::PointLayer soft(p.set, method);
    support::RandomPoints random(1);
    // Never below nor at the optimum ...
    for (int k = 0; k < 500; ++k) {
      const VectorXd u = soft.anchor() + std::exp(random.uniform(-3, 2)) * random.gaussian(p.set.dim());
      EXPECT_GT(p.cost.dot(soft.project(u)), optimum);
    }
    // ... but as close as one likes, along the ray to the minimiser, with |u| growing: (1 - r) times the gap at the anchor.
    const double gap_at_anchor = p.cost.dot(soft.anchor()) - optimum;
    for (double t : {3.0, 10.0, 100.0, 1e4, 1e6}) {
      const VectorXd direction = (p.minimiser - soft.anchor()).normalized();
      const double gap = p.cost.dot(soft.project(soft.anchor() + t * direction)) - optimum;
      const auto r = static_cast<double>(reference::contraction(method, static_cast<long double>(t) * t));
      EXPECT_NEAR(gap, (1 - r) * gap_at_anchor, 1e-12);
    }
  }
}

// Minimising sequences diverge: a descent on f drives |u| up and the value down to the infimum.
TEST_P(EquivalenceOfOptimalValues, MinimisingSequencesDiverge) {
  const LinearProgramme& p = GetParam();
  const double optimum = p.cost.dot(p.minimiser);
  support::PointLayer soft(p.set);
  VectorXd u = soft.anchor();
  const double gap_at_anchor = p.cost.dot(u) - optimum;
  double early_distance = 0;
  for (int k = 0; k < 2000; ++k) {
    const VectorXd gradient = soft.vjp(u, p.cost);
    EXPECT_GT(gradient.norm(), 0);
    u -= 0.1 / gradient.norm() * gradient;
    if (k == 20) early_distance = (u - soft.anchor()).norm();
  }
  EXPECT_LT(p.cost.dot(soft.project(u)) - optimum, 0.02 * gap_at_anchor);
  EXPECT_GT((u - soft.anchor()).norm(), 3 * early_distance);
}

INSTANTIATE_TEST_SUITE_P(
    Theory, EquivalenceOfOptimalValues,
    ::testing::Values(
        LinearProgramme{"ball", Ball(vec({1, 2}), 2), vec({3, 4}), vec({1 - 1.2, 2 - 1.6})},
        LinearProgramme{"box", Box(vec({-1, 0, 2}), vec({1, 2, 3})), vec({1, -1, 0.5}), vec({-1, 2, 2})},
        LinearProgramme{"triangle", Polyhedron((MatrixXd(3, 2) << -1, 0, 0, -1, 1, 1).finished(), vec({0, 0, 1})),
                        vec({-1, -2}), vec({0, 1})},
        // The two cheapest assets hold their caps, the third the rest.
        LinearProgramme{"capped_simplex", CappedSimplex(4, 0.4), vec({3, 1, 2, 4}), vec({0.2, 0.4, 0.4, 0})},
        LinearProgramme{"lmi_disc", support::from_zoo({"lmi_disc"}).front().set, vec({0.6, -0.8}), vec({-0.6, 0.8})}),
    [](const auto& p) { return p.param.name; });

class InteriorMinimisers : public OnSeveralSets {};

// l(x) = |x - b|^2 with b interior: u* = p^-1(b) attains the infimum, and nothing else does.
TEST_P(InteriorMinimisers, CorrespondToMinimisersOfTheComposition) {
  support::PointLayer soft = layer(SoftRadial{});
  const VectorXd b = point(0.6 * delta_);
  const VectorXd minimiser = soft.inverse(b);
  EXPECT_LT((soft.project(minimiser) - b).squaredNorm(), 1e-24 * (1 + b.squaredNorm()));
  for (int k = 0; k < 200; ++k) {
    const VectorXd u = minimiser + std::exp(random_.uniform(-8, 3)) * random_.unit_on(anchor_.hull);
    EXPECT_GT((soft.project(u) - b).squaredNorm(), 1e-22);
  }
}

INSTANTIATE_TEST_SUITE_P(Theory, InteriorMinimisers, ::testing::ValuesIn(several_sets()), support::NameOfSet());

}  // namespace
}  // namespace softradial::theory
