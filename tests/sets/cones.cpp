// Cones: affine preimages of a standard cone.
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

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// c.x + e > 0 and (c.x + e)^2 > |M x + s|^2.
class ConeConstraint final : public reference::InBothPrecisions<ConeConstraint> {
 public:
  ConeConstraint(MatrixXd M, VectorXd s, VectorXd c, double e)
      : InBothPrecisions(static_cast<std::size_t>(c.size())),
        M_(std::move(M)),
        s_(std::move(s)),
        c_(std::move(c)),
        e_(e) {}

  template <class R>
  Finding test(Point<R> x) const {
    DotProduct<R> axis;
    for (std::size_t j = 0; j < dim(); ++j) axis.add(c_[Eigen::Index(j)], x[j]);
    const Enclosure<R> height = axis.value() + Enclosure<R>(e_);
    Enclosure<R> slack = square(height);
    for (Eigen::Index i = 0; i < M_.rows(); ++i) {
      DotProduct<R> row;
      for (std::size_t j = 0; j < dim(); ++j) row.add(M_(i, Eigen::Index(j)), x[j]);
      slack = slack - square(row.value() + Enclosure<R>(s_[i]));
    }
    Finding finding;
    finding.require_positive(height);
    finding.require_positive(slack);
    return finding;
  }

 private:
  MatrixXd M_;
  VectorXd s_;
  VectorXd c_;
  double e_;
};

Specimen second_order_cone() {
  const MatrixXd I = MatrixXd::Identity(2, 2);
  const VectorXd z = VectorXd::Zero(2);
  const MatrixXd A = mat({{1, 0}, {0, 1}, {-1, -1.0 / 3}});
  const Set round = circular_cone();
  Specimen s{.type = "second_order_cone"};
  s.zoo = {{"cone", round},
           {"cone_tilted",
            Set(SecondOrderCone(mat({{1, 0.2, 0}, {0, 0.7, 0.1}}), vec({0.1, -0.3}), vec({0.2, 0.1, 0.9}), 0.5))
                .with_anchor(vec({0.1, 0.4, 2}))},
           {"cone_as_ellipsoid", SecondOrderCone(mat({{1, 0.5}, {0, 2}}), vec({0.3, -1}), vec({0.1, 0.2}), 1.7)},
           {"cone_as_halfspace", SecondOrderCone(MatrixXd(0, 2), VectorXd(0), vec({0.3, -1}), 0.4)}};
  s.exemplars = {"cone"};
  s.recessions = {{"cone", vec({0.25, 0.25, 1})}, {"cone_tilted", vec({0, 0, 1})}, {"cone_as_halfspace", vec({1, -1})}};
  const MatrixXd R = mat({{0.6, -0.8}, {0.8, 0.5}});
  s.far_away = {{"cone", SecondOrderCone(R, -R * vec({100, -70.3}), z, 0.1)}};
  s.without_interior = {SecondOrderCone(I, z, vec({1, 0}), 0)};
  s.around = [](Draw& draw, const VectorXd& x0, double scale, double delta) -> Set {
    const MatrixXd M = draw.matrix(draw.integer(1, static_cast<int>(x0.size())), x0.size());
    const VectorXd shift = scale * draw.vector(M.rows());
    const VectorXd c = draw.vector(x0.size());
    return SecondOrderCone(M, shift, c, (M * x0 + shift).norm() - c.dot(x0) + delta * scale);
  };
  s.forms = {{R"({"type": "second_order_cone", "M": [[1, 0], [0, 1]], "s": [1, 2], "c": [0, 0], "e": 3})",
              SecondOrderCone(I, vec({1, 2}), z, 3)},
             {R"({"type": "second_order_cone", "M": [], "s": [], "c": [1, 2], "e": 0})",
              SecondOrderCone(MatrixXd(0, 2), VectorXd(0), vec({1, 2}), 0)}};
  s.written = {{"second_order_cone", SecondOrderCone(A, vec({1, 2, 3}), vec({0.1, -2.5e-7}), 4)},
               {"second_order_cone_halfspace", SecondOrderCone(MatrixXd(0, 2), VectorXd(0), vec({0.1, -2.5e-7}), 4)}};
  s.lines = {{SecondOrderCone(I, z, z, 1), "second_order_cone(M=[2x2], s=[0, 0], c=[0, 0], e=1)"}};
  s.bad_builds = {
      {[=] { SecondOrderCone(I, z, vec({}), 0); }, "second_order_cone: the dimension is 0"},
      {[=] { SecondOrderCone(I, z, vec({1}), 0); }, "second_order_cone: c has 1 entries for 2 columns of M"},
      {[=] { SecondOrderCone(I, vec({1}), z, 0); }, "second_order_cone: s has 1 entries for 2 rows of M"},
      {[=] { SecondOrderCone(I, z, z, kNaN); }, "second_order_cone: e is nan, not a finite number"},
  };
  s.bad_json = {
      {R"({"type": "second_order_cone", "M": [[1]], "s": [1, 2], "c": [1], "e": 0})",
       "second_order_cone: s has 2 entries for 1 rows of M"},
      {R"({"type": "second_order_cone", "M": [], "s": [], "c": [], "e": 0})", "second_order_cone: the dimension is 0"},
  };
  // Without rows it is a halfspace.
  s.slacks = {{round, vec({3, 4, 6}), {1}},
              {round, vec({3, 4, -6}), {-11}},
              {SecondOrderCone(MatrixXd(0, 0), VectorXd(0), vec({1, -1}), 2), vec({1, 5}), {-2}}};
  s.anchors = {{round, std::nullopt}};
  s.constraints = {{round, {"second_order_cone"}, {}, {}, false}};
  // |x| <= y in the plane from (0, 1): right leaves at x = 1, up never.
  s.gauges = {{"second_order_cone",
               SecondOrderCone(mat({{1, 0}}), vec({0}), vec({0, 1}), 0),
               vec({0, 1}),
               {{vec({3, 0}), 3, vec({1, -1})}, {vec({0.5, 1}), 0, vec({0, 0})}, {vec({0, -2}), 2, vec({0, -1})}}}};
  const MatrixXd tall = mat({{1, 0.5}, {-0.25, 2}, {0.5, 0.5}});
  s.barriers = {
      {"second_order_cone", SecondOrderCone(tall, vec({0.1, 0.2, 0.3}), vec({0.5, -1}), 3), vec({0.5, -0.25}),
       vec({-40, 40})},
      {"halfspace", SecondOrderCone(MatrixXd(0, 2), vec({}), vec({0.5, -1}), 3), vec({0.5, -0.25}), vec({-40, 40})}};
  s.exact = [](const Translation& t) -> ConstraintPtr {
    return std::make_unique<ConeConstraint>(t.matrix("M"), t.vector("s"), t.vector("c"), t.number("e"));
  };
  s.boundary_points = {{"second_order_cone", round, {3, 4, 5}, 2, true}};
  return s;
}

// w = M x + s in the interior of a cone of R^3: `Cone` says what that means for the coordinates of w.
template <class Cone>
class ImageConstraint final : public reference::InBothPrecisions<ImageConstraint<Cone>> {
 public:
  ImageConstraint(MatrixXd M, VectorXd s, Cone cone)
      : reference::InBothPrecisions<ImageConstraint>(static_cast<std::size_t>(M.cols())),
        M_(std::move(M)),
        s_(std::move(s)),
        cone_(cone) {}

  template <class R>
  Finding test(Point<R> x) const {
    Enclosure<R> w[3];
    for (Eigen::Index i = 0; i < 3; ++i) {
      DotProduct<R> row;
      for (std::size_t j = 0; j < this->dim(); ++j) row.add(M_(i, Eigen::Index(j)), x[j]);
      w[i] = row.value() + Enclosure<R>(s_[i]);
    }
    Finding finding;
    cone_.test(w[0], w[1], w[2], finding);
    return finding;
  }

 private:
  MatrixXd M_;
  VectorXd s_;
  Cone cone_;
};

// b log(c / b) > a, b > 0, c > 0
struct ExponentialConeInterior {
  template <class R>
  void test(const Enclosure<R>& a, const Enclosure<R>& b, const Enclosure<R>& c, Finding& finding) const {
    finding.require_positive(b);
    finding.require_positive(c);
    if (finding.proved) finding.require_positive(b * (logarithm(c) - logarithm(b)) - a);
  }
};

MatrixXd tilted_image() { return mat({{1, 0.2, -0.3, 0.1}, {0, 0.7, 0.1, 0.2}, {0.3, 0, 0.9, -0.4}}); }

Specimen exponential_cone() {
  const MatrixXd I = MatrixXd::Identity(3, 3);
  const VectorXd z = VectorXd::Zero(3);
  const Set plain = ExponentialCone(I, z);
  const Set tilted = ExponentialCone(tilted_image(), vec({0.1, 0.5, 1.5}));
  Specimen s{.type = "exponential_cone"};
  s.zoo = {{"exponential", plain},
           {"exponential_off_centre", plain.with_anchor(vec({-3, 0.5, 0.25}))},
           {"exponential_tilted", tilted}};
  s.exemplars = {"exponential"};
  s.recessions = {{"exponential", vec({-1, 1, 1})},
                  {"exponential_off_centre", vec({-1, 1, 1})},
                  {"exponential_tilted", vec({-0.83, 1.23, 1.39, 0})}};
  s.forms = {{R"({"type": "exponential_cone", "M": [[1, 0], [0, 1], [0, 0]], "s": [0, 0, 2]})",
              ExponentialCone(mat({{1, 0}, {0, 1}, {0, 0}}), vec({0, 0, 2}))}};
  s.written = {{"exponential_cone", tilted}};
  s.lines = {{plain, "exponential_cone(M=[3x3], s=[0, 0, 0])"}};
  s.bad_builds = {
      {[=] {
         ExponentialCone(mat({{1, 0}}), vec({1}));
       },
       "exponential_cone: M has 1 rows, not 3"},
      {[=] { ExponentialCone(I, vec({1})); }, "exponential_cone: s has 1 entries for 3 rows of M"},
      {[=] {
         ExponentialCone(I, vec({0, kNaN, 0}));
       },
       "exponential_cone: s[1] is nan, not a finite number"},
  };
  s.bad_json = {{R"({"type": "exponential_cone", "M": [[1, 2]], "s": [1]})", "exponential_cone: M has 1 rows, not 3"}};
  s.slacks = {{plain, vec({0, 1, 2}), {1}}, {plain, vec({0, 3, 2}), {-1}}, {plain, vec({0, -1, 1}), {-1}}};
  s.anchors = {{plain, std::nullopt}};
  s.constraints = {{plain, {"exponential_cone"}, {}, {}, false}};
  // From (0, 1, 2): down to c = b, right to exp(a) = 2, up never. n = grad h / (grad h.d / gamma), h = a + b log(b / c).
  // From (-1, 1, 2): back to the face b = 0.
  const double log_2 = std::log(2.0);
  s.gauges = {{"exponential_cone",
               plain,
               vec({0, 1, 2}),
               {{vec({0, 0, -1}), 1, vec({1, 1, -1})},
                {vec({1, 0, 0}), 1 / log_2, vec({1 / log_2, (1 - log_2) / log_2, -0.5 / log_2})},
                {vec({0, 0, 1}), 0, vec({0, 0, 0})}}},
              {"exponential_cone_face", plain, vec({-1, 1, 2}), {{vec({0, -2, 0}), 2, vec({0, -1, 0})}}}};
  s.barriers = {{"exponential_cone", tilted, vec({-0.5, 0.5, 1, 0}), vec({4, -2, -3, 0})}};
  s.exact = [](const Translation& t) -> ConstraintPtr {
    return std::make_unique<ImageConstraint<ExponentialConeInterior>>(t.matrix("M"), t.vector("s"),
                                                                      ExponentialConeInterior{});
  };
  s.boundary_points = {{"exponential_cone", plain, {0, 1, 1}, 2, true}};
  s.judged = {{plain, {-1, 1, 0.5}, true}, {plain, {-1, 0, 1}, false}, {plain, {1, 1, 2.5}, false}};
  return s;
}

// exp(alpha log a + (1 - alpha) log b) > |c|, a > 0, b > 0
struct PowerConeInterior {
  double alpha;

  template <class R>
  void test(const Enclosure<R>& a, const Enclosure<R>& b, const Enclosure<R>& c, Finding& finding) const {
    finding.require_positive(a);
    finding.require_positive(b);
    if (!finding.proved) return;
    const Enclosure<R> share(static_cast<R>(alpha));
    const Enclosure<R> logs = share * logarithm(a) + (Enclosure<R>(1) - share) * logarithm(b);
    finding.require_positive(exponential(logs) - absolute(c));
  }
};

Specimen power_cone() {
  const MatrixXd I = MatrixXd::Identity(3, 3);
  const VectorXd z = VectorXd::Zero(3);
  const Set half = PowerCone(I, z, 0.5);
  const Set tilted = PowerCone(tilted_image(), vec({1, 0.5, 0.1}), 0.2);
  Specimen s{.type = "power_cone"};
  s.zoo = {{"power", half},
           {"power_flat", PowerCone(I, vec({0.1, 0.2, 0}), 0.9)},
           {"power_off_centre", half.with_anchor(vec({4, 0.5, -1.2}))},
           {"power_tilted", tilted}};
  s.exemplars = {"power"};
  s.recessions = {{"power", vec({1, 1, 0.5})},
                  {"power_flat", vec({1, 1, 0.5})},
                  {"power_off_centre", vec({1, 1, 0.5})},
                  {"power_tilted", vec({0.644, 1.459, -0.215, 0})}};
  s.forms = {{R"({"type": "power_cone", "M": [[1, 0], [0, 1], [0, 0]], "s": [0, 0, 2], "alpha": 0.25})",
              PowerCone(mat({{1, 0}, {0, 1}, {0, 0}}), vec({0, 0, 2}), 0.25)}};
  s.written = {{"power_cone", tilted}};
  s.lines = {{half, "power_cone(M=[3x3], s=[0, 0, 0], alpha=0.5)"}};
  s.bad_builds = {
      {[=] {
         PowerCone(mat({{1, 0}}), vec({1}), 0.5);
       },
       "power_cone: M has 1 rows, not 3"},
      {[=] { PowerCone(I, z, 1); }, "power_cone: alpha is 1, not between 0 and 1"},
      {[=] { PowerCone(I, z, kNaN); }, "power_cone: alpha is nan, not between 0 and 1"},
  };
  s.bad_json = {{R"({"type": "power_cone", "M": [[1], [1], [0]], "s": [1, 1, 0], "alpha": 0})",
                 "power_cone: alpha is 0, not between 0 and 1"}};
  s.slacks = {{half, vec({4, 1, 1}), {1}}, {half, vec({1, 1, -2}), {-1}}, {half, vec({-1, 1, 0}), {-1}}};
  s.anchors = {{half, std::nullopt}};
  s.constraints = {{half, {"power_cone"}, {}, {}, false}};
  // From (1, 1, 0): up and down to |c| = sqrt(a b), out never.
  s.gauges = {{"power_cone",
               half,
               vec({1, 1, 0}),
               {{vec({0, 0, 2}), 2, vec({-0.5, -0.5, 1})},
                {vec({0, 0, -3}), 3, vec({-0.5, -0.5, -1})},
                {vec({1, 1, 0}), 0, vec({0, 0, 0})}}}};
  s.barriers = {{"power_cone", tilted, vec({0.6, 1, -0.1, 0.3}), vec({-3, -2, 0, 0})}};
  s.exact = [](const Translation& t) -> ConstraintPtr {
    return std::make_unique<ImageConstraint<PowerConeInterior>>(t.matrix("M"), t.vector("s"),
                                                                PowerConeInterior{t.number("alpha")});
  };
  s.boundary_points = {{"power_cone", half, {4, 1, 2}, 2, false}};
  s.judged = {{half, {1, 2, 1.4}, true}, {half, {1, 2, -1.5}, false}, {half, {0, 1, 0}, false}};
  return s;
}

}  // namespace

Set circular_cone() { return SecondOrderCone(mat({{1, 0, 0}, {0, 1, 0}}), vec({0, 0}), vec({0, 0, 1}), 0); }

std::vector<Specimen> cone_specimens() { return {second_order_cone(), exponential_cone(), power_cone()}; }

}  // namespace softradial::support
