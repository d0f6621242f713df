#include "support/set_zoo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <random>
#include <stdexcept>

#include "softradial/sets.hpp"

namespace softradial::support {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

VectorXd vec(std::initializer_list<double> values) {
  return Eigen::Map<const VectorXd>(values.begin(), static_cast<Eigen::Index>(values.size()));
}

MatrixXd mat(std::initializer_list<std::initializer_list<double>> rows) {
  MatrixXd result(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows.begin()->size()));
  Eigen::Index i = 0;
  for (const auto& row : rows) result.row(i++) = vec(row).transpose();
  return result;
}

// Standard normal entries; the seed makes each matrix a constant.
MatrixXd gaussian(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  MatrixXd result(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < cols; ++j) result(i, j) = normal(engine);
  }
  return result;
}

void add_coordinate_sets(std::vector<NamedSet>& zoo) {
  zoo.push_back({"simplex", Simplex(3)});
  zoo.push_back({"simplex_sum", Simplex(10, 2.5)});
  zoo.push_back({"simplex_off_centre", Set(Simplex(4)).with_anchor(vec({0.7, 0.2, 0.09, 0.01}))});
  zoo.push_back({"capped_simplex", CappedSimplex(50, 0.05)});
  zoo.push_back({"capped_simplex_thin", CappedSimplex(8, 0.1251)});
  zoo.push_back({"capped_simplex_caps", CappedSimplex(vec({0.4, 0.3, 0.7, 0.2, 0.05}))});
  zoo.push_back({"box", Box(vec({-1, 0.05}), vec({2, 0.1}))});
  zoo.push_back(
      {"box_off_centre", Set(Box(vec({-1, -1, 10}), vec({1, 3, 10.5}))).with_anchor(vec({0.9, -0.9, 10.125}))});
  zoo.push_back({"box_open", Box(vec({-kInfinity, 0, -kInfinity, 0.3}), vec({1, kInfinity, kInfinity, 0.7}))});
  zoo.push_back({"box_fixed_side", Box(vec({0, 0.1, -2}), vec({1, 0.1, 2}))});
}

void add_polyhedra(std::vector<NamedSet>& zoo) {
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
}

void add_quadratic_sets(std::vector<NamedSet>& zoo) {
  zoo.push_back({"ball", Ball(vec({1, -2, 0.5}), 1.5)});
  zoo.push_back({"ball_off_centre", Set(Ball(vec({0, 0, 0}), 1)).with_anchor(vec({0.6, -0.3, 0.7}))});
  zoo.push_back({"ball_far_away", Ball(vec({100, -70.3}), 0.01)});
  zoo.push_back({"ellipsoid", Ellipsoid(vec({0.3, -0.2}), mat({{4, 1.2}, {1.2, 0.7}}))});
  zoo.push_back({"ellipsoid_off_centre",
                 Set(Ellipsoid(vec({0.3, -0.2}), mat({{4, 1.2}, {1.2, 0.7}}))).with_anchor(vec({0.5, -0.9}))});
  // A cylinder: its axis is the null space of the shape.
  zoo.push_back({"ellipsoid_singular", Ellipsoid(vec({0, 0, 1}), mat({{1, 1, 0}, {1, 1, 0}, {0, 0, 4}}))});
  zoo.push_back({"quadratic", Quadratic(mat({{2, 0.3, 0}, {0.3, 1, -0.2}, {0, -0.2, 3}}), vec({0.1, -1, 0.7}), -0.8)});
  zoo.push_back({"parabola", Quadratic(mat({{2, 0}, {0, 0}}), vec({0, -1}), 0.25)});
  // P = v v' in decimals: singular only up to the rounding of its entries.
  zoo.push_back({"quadratic_slab", Quadratic(mat({{0.01, 0.07, -0.03}, {0.07, 0.49, -0.21}, {-0.03, -0.21, 0.09}}),
                                             vec({0, 0, 0}), -0.125)});

  zoo.push_back({"cone", SecondOrderCone(mat({{1, 0, 0}, {0, 1, 0}}), vec({0, 0}), vec({0, 0, 1}), 0)});
  zoo.push_back({"cone_tilted",
                 Set(SecondOrderCone(mat({{1, 0.2, 0}, {0, 0.7, 0.1}}), vec({0.1, -0.3}), vec({0.2, 0.1, 0.9}), 0.5))
                     .with_anchor(vec({0.1, 0.4, 2}))});
  zoo.push_back({"cone_as_ellipsoid", SecondOrderCone(mat({{1, 0.5}, {0, 2}}), vec({0.3, -1}), vec({0.1, 0.2}), 1.7)});
  zoo.push_back({"cone_as_halfspace", SecondOrderCone(MatrixXd(0, 2), VectorXd(0), vec({0.3, -1}), 0.4)});

  zoo.push_back({"lmi_disc", Lmi({mat({{1, 0}, {0, 1}}), mat({{1, 0}, {0, -1}}), mat({{0, 1}, {1, 0}})})});
  zoo.push_back(
      {"lmi_elliptope", Lmi({MatrixXd::Identity(3, 3), mat({{0, 1, 0}, {1, 0, 0}, {0, 0, 0}}),
                             mat({{0, 0, 1}, {0, 0, 0}, {1, 0, 0}}), mat({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}})})});
  const auto symmetric = [](unsigned seed) {
    const MatrixXd G = gaussian(4, 4, seed);
    return MatrixXd(0.1 * (G + G.transpose()));
  };
  zoo.push_back({"lmi_unbounded", Lmi({MatrixXd(0.7 * MatrixXd::Identity(4, 4)), symmetric(3),
                                       MatrixXd(vec({1, 0.1, 0.5, 0}).asDiagonal())})});
}

void add_level_sets(std::vector<NamedSet>& zoo) {
  const VectorXd centre = vec({0.1, -0.2, 0.3});
  const VectorXd off_centre = vec({0.3, -0.35, 0.5});
  const std::vector<std::pair<std::string, double>> exponents = {
      {"1", 1}, {"1_5", 1.5}, {"2", 2}, {"4", 4}, {"inf", kInfinity}};
  for (const auto& [text, p] : exponents) {
    zoo.push_back({"lp_ball_" + text, LpBall(centre, 0.7, p)});
    zoo.push_back({"lp_ball_" + text + "_off_centre", Set(LpBall(centre, 0.7, p)).with_anchor(off_centre)});
  }
  zoo.push_back({"log_sum_exp", LogSumExp(4, 1.5)});
  zoo.push_back({"log_sum_exp_off_centre", Set(LogSumExp(3, 0.3)).with_anchor(vec({-0.5, -3, -1.7}))});
  zoo.push_back({"kl_ball", KlBall(vec({0.1, 0.2, 0.3, 0.4}), 0.15)});
  zoo.push_back({"kl_ball_wide", KlBall(vec({0.25, 0.25, 0.5}), 1.2)});

  // x1^4 + x2^4 + x1^2 / 2 + 0.3 x1 x2 + 0.2 x2^2 <= 1.
  const auto value = [](std::span<const double> x) {
    return std::pow(x[0], 4) + std::pow(x[1], 4) + x[0] * x[0] / 2 + 0.3 * x[0] * x[1] + 0.2 * x[1] * x[1] - 1;
  };
  const auto gradient = [](std::span<const double> x, std::span<double> out) {
    out[0] = 4 * std::pow(x[0], 3) + x[0] + 0.3 * x[1];
    out[1] = 4 * std::pow(x[1], 3) + 0.3 * x[0] + 0.4 * x[1];
  };
  zoo.push_back({"level_set", LevelSet(2, value, gradient)});
}

void add_combinators(std::vector<NamedSet>& zoo) {
  zoo.push_back(
      {"intersection_box_ball", Intersection({Box(vec({-1, -1, 0}), vec({1, 0.5, 2})), Ball(vec({0, 0, 1}), 1.2)})});
  // Sector limits on a portfolio: two groups of five assets hold at most 60 % and at least 20 %.
  MatrixXd groups = MatrixXd::Zero(4, 10);
  groups.row(0).head(5).setOnes();
  groups.row(1).tail(5).setOnes();
  groups.bottomRows(2) = -groups.topRows(2);
  zoo.push_back({"intersection_portfolio",
                 Intersection({CappedSimplex(10, 0.15), Polyhedron(groups, vec({0.6, 0.6, -0.2, -0.2}))})});
  zoo.push_back({"intersection_polyhedron_ellipsoid",
                 Intersection({Polyhedron(mat({{1, 1}, {-1, 0.2}, {0.1, -1}}), vec({1, 0.6, 0.5})),
                               Ellipsoid(vec({0.1, 0}), mat({{2, 0.3}, {0.3, 1}}))})});
  // Smooth sets cut by a plane: the curved gauges see directions of the hull only.
  zoo.push_back({"intersection_ball_plane",
                 Intersection({Ball(vec({0.2, 0.1, -0.1}), 1),
                               Polyhedron(MatrixXd(0, 3), VectorXd(0), mat({{1, 2, -0.5}}), vec({0.7}))})});
  zoo.push_back({"intersection_lmi_plane",
                 Intersection({Lmi({MatrixXd::Identity(3, 3), mat({{0, 1, 0}, {1, 0, 0}, {0, 0, 0}}),
                                    mat({{0, 0, 1}, {0, 0, 0}, {1, 0, 0}}), mat({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}})}),
                               Polyhedron(mat({{1, 0, 0}}), vec({0.6}), mat({{1, 1, 1}}), vec({0.3}))})});
  zoo.push_back({"product", Product({Simplex(3), Ball(vec({1, 1}), 0.3), Box(vec({-kInfinity, 0}), vec({0, 0.05}))})});
  zoo.push_back(
      {"affine_preimage_ball",
       AffinePreimage(Ball(vec({0, 0, 0}), 1), mat({{1, 0.3}, {0.2, -0.7}, {0.1, 0.9}}), vec({0.1, 0.2, -0.3}))});
  // Ax + b on the simplex: flat, by an equality that the inner set brings along.
  zoo.push_back(
      {"affine_preimage_simplex",
       AffinePreimage(Simplex(3), mat({{1, 0.3, 0}, {0.2, 0.7, 0.1}, {0.1, 0.4, 1.1}}), vec({0.05, 0.1, -0.05}))});
  zoo.push_back({"scaled_capped_simplex", Scaled(CappedSimplex(6, 0.3), 37.1)});
  zoo.push_back({"scaled_product", Scaled(Product({Simplex(2), Ellipsoid(vec({1, 0}), mat({{3, 1}, {1, 2}}))}), 1e3)});
  zoo.push_back({"scaled_ball", Scaled(Ball(vec({0.1, 0.2}), 0.7), 0.1)});
}

}  // namespace

std::vector<NamedSet> set_zoo() {
  std::vector<NamedSet> zoo;
  add_coordinate_sets(zoo);
  add_polyhedra(zoo);
  add_quadratic_sets(zoo);
  add_level_sets(zoo);
  add_combinators(zoo);
  return zoo;
}

std::vector<NamedSet> from_zoo(const std::vector<std::string>& names) {
  const std::vector<NamedSet> zoo = set_zoo();
  std::vector<NamedSet> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(zoo.begin(), zoo.end(), [&](const NamedSet& s) { return s.name == name; });
    if (found == zoo.end()) throw std::invalid_argument("the zoo has no set called " + name);
    chosen.push_back(*found);
  }
  return chosen;
}

void PrintTo(const NamedSet& named, std::ostream* out) { *out << named.name; }

}  // namespace softradial::support
