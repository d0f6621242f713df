// Balls, ellipsoids and other quadratic inequalities.
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
using reference::DotProduct;
using reference::Enclosure;
using reference::Finding;
using reference::Point;
using reference::Translation;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// |x - center|^2 < radius^2.
class BallConstraint final : public reference::InBothPrecisions<BallConstraint> {
 public:
  BallConstraint(VectorXd center, double radius)
      : InBothPrecisions(static_cast<std::size_t>(center.size())), center_(std::move(center)), radius_(radius) {}

  template <class R>
  Finding test(Point<R> x) const {
    Enclosure<R> slack = square(Enclosure<R>(radius_));
    for (std::size_t j = 0; j < dim(); ++j) slack = slack - square(x[j] - Enclosure<R>(center_[Eigen::Index(j)]));
    return positive(slack);
  }

 private:
  VectorXd center_;
  double radius_;
};

// 1/2 y'Py + q'y + c < 0 with y = x - center.
class QuadraticConstraint final : public reference::InBothPrecisions<QuadraticConstraint> {
 public:
  QuadraticConstraint(MatrixXd P, VectorXd q, double c, VectorXd center)
      : InBothPrecisions(static_cast<std::size_t>(center.size())),
        P_(std::move(P)),
        q_(std::move(q)),
        c_(c),
        center_(std::move(center)) {}

  template <class R>
  Finding test(Point<R> x) const {
    std::vector<Enclosure<R>> y(dim());
    for (std::size_t j = 0; j < y.size(); ++j) y[j] = x[j] - Enclosure<R>(center_[Eigen::Index(j)]);
    Enclosure<R> value(c_);
    for (std::size_t i = 0; i < y.size(); ++i) {
      DotProduct<R> row;
      for (std::size_t j = 0; j < y.size(); ++j) row.add(P_(Eigen::Index(i), Eigen::Index(j)) / 2, y[j]);
      value = value + (row.value() + Enclosure<R>(q_[Eigen::Index(i)])) * y[i];
    }
    return positive(-value);
  }

 private:
  MatrixXd P_;
  VectorXd q_;
  double c_;
  VectorXd center_;
};

Specimen ball() {
  Specimen s{.type = "ball"};
  s.zoo = {{"ball", Ball(vec({1, -2, 0.5}), 1.5)},
           {"ball_off_centre", Set(Ball(vec({0, 0, 0}), 1)).with_anchor(vec({0.6, -0.3, 0.7}))},
           {"ball_far_away", Ball(vec({100, -70.3}), 0.01)}};
  s.exemplars = {"ball_off_centre"};
  s.around = [](Draw& draw, const VectorXd& x0, double scale, double delta) -> Set {
    const VectorXd center = x0 + scale * draw.vector(x0.size());
    return Ball(center, (center - x0).norm() + delta * scale);
  };
  const Set small = Ball(vec({0.1, -2.5e-7}), 0.75);
  s.forms = {{R"({"type": "ball", "center": [1, 2], "radius": 1})", Ball(vec({1, 2}), 1)}};
  s.written = {{"ball", small}, {"ball_with_anchor", small.with_anchor(vec({0.1, 0.2}))}};
  s.lines = {{Ball(vec({0.1, 1e300}), 2), "ball(center=[0.1, 1e+300], radius=2)"}};
  const VectorXd z = VectorXd::Zero(2);
  s.bad_builds = {
      {[] { Ball(vec({}), 1); }, "ball: the dimension is 0"},
      {[] {
         Ball(vec({0, kNaN}), 1);
       },
       "ball: center[1] is nan, not a finite number"},
      {[z] { Ball(z, 0); }, "ball: radius is 0, not positive"},
      {[z] { Ball(z, kInfinity); }, "ball: radius is inf, not a finite number"},
  };
  s.bad_json = {
      {R"({"type": "ball", "center": [0], "radius": 0})", "ball: radius is 0, not positive"},
      {R"({"type": "ball", "center": [], "radius": 1})", "ball: the dimension is 0"},
      {R"({"type": "ball", "center": 1, "radius": 1})", "center: expected a list of numbers, got 1"},
      {R"({"type": "ball", "center": [null], "radius": 1})", "center[0]: expected a number, got null"},
  };
  // The distance to the sphere; it does not overflow.
  s.slacks = {{Ball(vec({1, 2}), 6), vec({4, 6}), {1}},
              {Ball(vec({1, 2}), 6), vec({1, 12}), {-4}},
              {Ball(vec({0, 0}), 6e300), vec({3e300, 4e300}), {1e300}}};
  s.anchors = {{Ball(vec({1, 2}), 6), vec({1, 2})}};
  s.constraints = {{Ball(vec({1, 2}), 6), {"ball"}, {}, {}, false}};
  s.gauges = {
      // |d| / R from the centre.
      {"ball", Ball(vec({1, 1}), 5), vec({1, 1}), {{vec({3, 4}), 1, vec({0.12, 0.16})}}},
      // From (3, 0) in the ball of radius 5: right 2, left 8, up 4. At (3, 4) the normal is (3, 4) / 5 and
      // grad gamma = n / (n.q') with q' = (0, 4).
      {"ball_off_centre",
       Ball(vec({0, 0}), 5),
       vec({3, 0}),
       {{vec({1, 0}), 0.5, vec({0.5, 0})}, {vec({-8, 0}), 1, vec({-0.125, 0})}, {vec({0, 8}), 2, vec({0.1875, 0.25})}}},
  };
  s.barriers = {{"ball", Ball(vec({1, -1}), 2), vec({0.5, -0.25}), vec({30, 40})}};
  s.exact = [](const Translation& t) -> ConstraintPtr {
    return std::make_unique<BallConstraint>(t.vector("center"), t.number("radius"));
  };
  s.boundary_points = {{"ball", Ball(vec({1, 1}), 5), {4, 5}, 0, false}};
  return s;
}

Specimen ellipsoid() {
  const Set tilted = Ellipsoid(vec({0.3, -0.2}), mat({{4, 1.2}, {1.2, 0.7}}));
  Specimen s{.type = "ellipsoid"};
  s.zoo = {{"ellipsoid", tilted},
           {"ellipsoid_off_centre", tilted.with_anchor(vec({0.5, -0.9}))},
           // A cylinder: its axis is the null space of the shape.
           {"ellipsoid_singular", Ellipsoid(vec({0, 0, 1}), mat({{1, 1, 0}, {1, 1, 0}, {0, 0, 4}}))}};
  s.exemplars = {"ellipsoid"};
  s.mixed_units = {{"ellipsoid", Ellipsoid(vec({1e-3, 200}), mat({{0x1p20, 0.5}, {0.5, 0x1p-20}}))}};
  s.recessions = {{"ellipsoid_singular", vec({3, -3, 0}), 4e-7}};
  const MatrixXd R = mat({{0.6, -0.8}, {0.8, 0.5}});
  s.far_away = {
      {"ellipsoid", Set(Ellipsoid(vec({100, -70.3}), 100 * R.transpose() * R)).with_anchor(vec({100.01, -70.32}))}};
  s.around = [](Draw& draw, const VectorXd& x0, double scale, double delta) -> Set {
    const VectorXd center = x0 + scale * draw.vector(x0.size());
    const MatrixXd root = draw.matrix(x0.size(), x0.size()) / scale;
    const MatrixXd shape = root.transpose() * root;
    return Ellipsoid(center, (1 - delta / 2) / (center - x0).dot(shape * (center - x0)) * shape);
  };
  const MatrixXd I = MatrixXd::Identity(2, 2);
  const VectorXd z = VectorXd::Zero(2);
  s.forms = {{R"({"type": "ellipsoid", "center": [1, 2], "shape": [[1, 0], [0, 1]]})", Ellipsoid(vec({1, 2}), I)}};
  s.written = {{"ellipsoid", Ellipsoid(vec({0.1, -2.5e-7}), mat({{2, 0.5}, {0.5, 1}}))}};
  s.lines = {{Ellipsoid(z, I), "ellipsoid(center=[0, 0], shape=[2x2])"}};
  s.bad_builds = {
      {[z] {
         Ellipsoid(z, mat({{1, 0}}));
       },
       "ellipsoid: shape is 1x2, not square"},
      {[I] { Ellipsoid(vec({0}), I); }, "ellipsoid: center has 1 entries for 2 rows of shape"},
      {[z] {
         Ellipsoid(z, mat({{1, 0.5}, {0.25, 1}}));
       },
       "ellipsoid: shape is not symmetric: shape[0][1] is 0.5 and shape[1][0] is 0.25"},
      {[z] {
         Ellipsoid(z, mat({{1, 0}, {0, -2}}));
       },
       "ellipsoid: shape is not positive semidefinite: its smallest eigenvalue is -2"},
  };
  s.bad_json = {{R"({"type": "ellipsoid", "center": [0, 0], "shape": [[1, 0], [0, -1]]})",
                 "ellipsoid: shape is not positive semidefinite: its smallest eigenvalue is -1"}};
  const MatrixXd B = mat({{0.1, 0.7, -0.3, 1.1, 0.9}, {1.3, -0.2, 0.4, 0.6, -0.8}});
  const VectorXd origin = VectorXd::Zero(5);
  s.slacks = {{Ellipsoid(vec({1, 0}), mat({{4, 1}, {1, 2}})), vec({1.5, 1}), {1 - (4 * 0.25 + 2 * 0.5 + 2)}},
              // A shape that was computed is semidefinite up to rounding, and accepted.
              {Ellipsoid(origin, B.transpose() * B), origin, {1}},
              {Ellipsoid(origin, MatrixXd::Zero(5, 5)), origin, {1}}};
  s.anchors = {{Ellipsoid(vec({1, 0}), mat({{4, 1}, {1, 2}})), vec({1, 0})}};
  s.constraints = {{Ellipsoid(z, I), {"ellipsoid"}, {}, {}, false}};
  // Half axes 1/2 and 1.
  s.gauges = {{"ellipsoid",
               Ellipsoid(vec({1, 2}), mat({{4, 0}, {0, 1}})),
               vec({1, 2}),
               {{vec({1, 0}), 2, vec({2, 0})}, {vec({0.3, 0.8}), 1, vec({1.2, 0.8})}}}};
  s.barriers = {{"ellipsoid", Ellipsoid(vec({0.25, 0}), mat({{2, 0.5}, {0.5, 1}})), vec({0.5, -0.25}), vec({30, 40})}};
  // (x - center)' shape (x - center) < 1; doubling the shape is exact.
  s.exact = [](const Translation& t) -> ConstraintPtr {
    const VectorXd& center = t.vector("center");
    return std::make_unique<QuadraticConstraint>(2 * t.matrix("shape"), VectorXd::Zero(center.size()), -1.0, center);
  };
  s.boundary_points = {{"ellipsoid", Ellipsoid(z, I / 25), {0, 5}, 1, false}};
  return s;
}

std::vector<BadBuild> bad_quadratics() {
  const MatrixXd I = MatrixXd::Identity(2, 2);
  const VectorXd z = VectorXd::Zero(2);
  return {
      {[z] {
         Quadratic(mat({{1, 0}, {0, -1e-9}}), z, 0);
       },
       "quadratic: P is not positive semidefinite: its smallest eigenvalue is -1e-09"},
      {[z] {
         Quadratic(mat({{1, 2}, {3, 4}}), z, 0);
       },
       "quadratic: P is not symmetric: P[0][1] is 2 and P[1][0] is 3"},
      {[I] {
         Quadratic(I, vec({1, 2, 3}), 0);
       },
       "quadratic: q has 3 entries for 2 rows of P"},
      {[I] {
         Quadratic(I, vec({1, kNaN}), 0);
       },
       "quadratic: q[1] is nan, not a finite number"},
      {[z] {
         Quadratic(mat({{kNaN, 0}, {0, 1}}), z, 0);
       },
       "quadratic: P[0][0] is nan, not a finite number"},
      {[I, z] { Quadratic(I, z, kNaN); }, "quadratic: c is nan, not a finite number"},
      {[] { Quadratic(MatrixXd(0, 0), vec({}), 0); }, "quadratic: the dimension is 0"},
  };
}

std::vector<KnownAnchor> quadratic_anchors() {
  const MatrixXd I = MatrixXd::Identity(2, 2);
  const VectorXd z = VectorXd::Zero(2);
  return {
      // The minimiser.
      {Quadratic(mat({{2, 0}, {0, 4}}), vec({-2, 8}), 0), vec({1, -2}), 1e-15},
      // 1/2 (x + y)^2 - (x + y) <= 0, the strip 0 <= x + y <= 2: the pseudoinverse decides.
      {Quadratic(mat({{1, 1}, {1, 1}}), vec({-1, -1}), 0), vec({0.5, 0.5}), 1e-15},
      // No minimiser, or no interior.
      {Quadratic(mat({{1, 0}, {0, 0}}), vec({0, -1}), 0), std::nullopt},      // parabola y >= x^2 / 2
      {Quadratic(mat({{0, 0}, {0, 0}}), vec({1, 1}), -1), std::nullopt},      // halfspace
      {Quadratic(I, z, 0), std::nullopt},                                     // a single point
      {Quadratic(I, z, 1), std::nullopt},                                     // empty
      {Quadratic(mat({{0.3}}), vec({0.1}), 0.5 * 0.01 / 0.3), std::nullopt},  // a point, up to rounding
  };
}

Specimen quadratic() {
  Specimen s{.type = "quadratic"};
  s.zoo = {{"quadratic", Quadratic(mat({{2, 0.3, 0}, {0.3, 1, -0.2}, {0, -0.2, 3}}), vec({0.1, -1, 0.7}), -0.8)},
           {"parabola", Quadratic(mat({{2, 0}, {0, 0}}), vec({0, -1}), 0.25)},
           // P = v v' in decimals: singular only up to the rounding of its entries.
           {"quadratic_slab",
            Quadratic(mat({{0.01, 0.07, -0.03}, {0.07, 0.49, -0.21}, {-0.03, -0.21, 0.09}}), vec({0, 0, 0}), -0.125)}};
  s.exemplars = {"parabola"};
  s.recessions = {{"parabola", vec({0, 3}), 1e-13}, {"quadratic_slab", vec({3, 0, 1}), 4e-7}};
  const MatrixXd I = MatrixXd::Identity(2, 2);
  const VectorXd z = VectorXd::Zero(2);
  s.far_away = {{"quadratic", disc_by_form(vec({3000, -4000}))}};
  s.without_interior = {Quadratic(2 * I, z, 0)};
  s.around = [](Draw& draw, const VectorXd& x0, double scale, double delta) -> Set {
    const MatrixXd root = draw.matrix(draw.integer(1, static_cast<int>(x0.size())), x0.size());
    const MatrixXd P = root.transpose() * root;
    const VectorXd q = scale * draw.vector(x0.size());
    return Quadratic(P, q, -x0.dot(P * x0) / 2 - q.dot(x0) - delta * scale * scale);
  };
  s.forms = {{R"({"type": "quadratic", "P": [[1, 0], [0, 1]], "q": [1, 2], "c": 0})", Quadratic(I, vec({1, 2}), 0)}};
  s.written = {{"quadratic", Quadratic(mat({{2, 0.5}, {0.5, 1}}), vec({0.1, -2.5e-7}), -1)}};
  s.lines = {{Quadratic(I, z, -1), "quadratic(P=[2x2], q=[0, 0], c=-1)"}};
  s.bad_builds = bad_quadratics();
  s.bad_json = {
      {R"({"type": "quadratic", "P": [[-1]], "q": [0], "c": -1})",
       "quadratic: P is not positive semidefinite: its smallest eigenvalue is -1"},
      {R"({"type": "quadratic", "P": [], "q": [], "c": -1})", "quadratic: the dimension is 0"},
  };
  const MatrixXd B = mat({{0.1, 0.7, -0.3, 1.1, 0.9}, {1.3, -0.2, 0.4, 0.6, -0.8}});
  const VectorXd origin = VectorXd::Zero(5);
  s.slacks = {
      {Quadratic(mat({{2, 1}, {1, 4}}), vec({-1, 3}), -10), vec({2, -1}), {-(0.5 * (8 - 4 + 4) - 2 - 3 - 10)}},
      // A form that was computed is semidefinite up to rounding, and accepted.
      {Quadratic(B.transpose() * B, origin, -1), origin, {1}},
  };
  s.anchors = quadratic_anchors();
  s.constraints = {{Quadratic(I, z, -1), {"quadratic"}, {}, {}, false}};
  // x^2 <= y from (0, 1): up never leaves, down leaves after 1, right at x = 1.
  s.gauges = {{"parabola",
               Quadratic(mat({{2, 0}, {0, 0}}), vec({0, -1}), 0),
               vec({0, 1}),
               {{vec({0, 5}), 0, vec({0, 0})}, {vec({0, -3}), 3, vec({0, -1})}, {vec({2, 0}), 2, vec({1, -0.5})}}}};
  s.barriers = {
      {"quadratic", Quadratic(mat({{2, 0.5}, {0.5, 1}}), vec({1, -1}), -4), vec({0.5, -0.25}), vec({30, 40})}};
  s.exact = [](const Translation& t) -> ConstraintPtr {
    const VectorXd& q = t.vector("q");
    return std::make_unique<QuadraticConstraint>(t.matrix("P"), q, t.number("c"), VectorXd::Zero(q.size()));
  };
  s.boundary_points = {{"quadratic", Quadratic(2 * I, z, -25), {3, 4}, 1, false},
                       {"parabola", Quadratic(mat({{2, 0}, {0, 0}}), vec({0, -1}), 0), {0.5, 0.25}, 1, true}};
  // (x - a)(x - b) <= 0 with a, b = 1 -+ 2^-26, multiplied out: x^2 - 2x + (1 - 2^-52). One ulp below b its value is
  // -2^-77, far below the rounding of its terms in long double: quadruple precision decides.
  const Set narrow = Quadratic(mat({{2}}), vec({-2}), 1 - 0x1p-52);
  const double b = 1 + 0x1p-26;
  s.judged = {
      {narrow, {b}, false}, {narrow, {std::nextafter(b, 0.0)}, true}, {narrow, {std::nextafter(b, 2.0)}, false}};
  return s;
}

}  // namespace

Set ellipse(const VectorXd& center, const MatrixXd& shape) { return Ellipsoid(center, shape); }

Set disc_by_form(const VectorXd& center) {
  return Quadratic(2 * MatrixXd::Identity(center.size(), center.size()), -2 * center, center.squaredNorm() - 1);
}

std::vector<Specimen> quadratic_specimens() { return {ball(), ellipsoid(), quadratic()}; }

}  // namespace softradial::support
