// Sets made of sets: intersections, products, affine preimages, multiples.
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

// Part k holds on coordinates that follow those of part k - 1.
class OnBlocks final : public reference::InBothPrecisions<OnBlocks> {
 public:
  OnBlocks(std::size_t dim, std::vector<ConstraintPtr> parts) : InBothPrecisions(dim), parts_(std::move(parts)) {}

  template <class R>
  Finding test(Point<R> x) const {
    Finding finding;
    std::size_t first = 0;
    for (const ConstraintPtr& part : parts_) {
      finding.merge(part->examine(x.subspan(first, part->dim())));
      first += part->dim();
    }
    return finding;
  }

 private:
  std::vector<ConstraintPtr> parts_;
};

// The inner constraint at A x + b.
class AtAffineImage final : public reference::InBothPrecisions<AtAffineImage> {
 public:
  AtAffineImage(ConstraintPtr inner, MatrixXd A, VectorXd b)
      : InBothPrecisions(static_cast<std::size_t>(A.cols())),
        inner_(std::move(inner)),
        A_(std::move(A)),
        b_(std::move(b)) {}

  template <class R>
  Finding test(Point<R> x) const {
    std::vector<Enclosure<R>> y;
    for (Eigen::Index i = 0; i < A_.rows(); ++i) {
      DotProduct<R> row;
      for (std::size_t j = 0; j < dim(); ++j) row.add(A_(i, Eigen::Index(j)), x[j]);
      y.push_back(row.value() + Enclosure<R>(b_[i]));
    }
    return inner_->examine(y);
  }

 private:
  ConstraintPtr inner_;
  MatrixXd A_;
  VectorXd b_;
};

// The inner constraint at x / factor.
class AtQuotient final : public reference::InBothPrecisions<AtQuotient> {
 public:
  AtQuotient(ConstraintPtr inner, double factor)
      : InBothPrecisions(inner->dim()), inner_(std::move(inner)), factor_(factor) {}

  template <class R>
  Finding test(Point<R> x) const {
    std::vector<Enclosure<R>> y;
    for (std::size_t j = 0; j < dim(); ++j) y.push_back(divide(x[j], static_cast<R>(factor_)));
    return inner_->examine(y);
  }

 private:
  ConstraintPtr inner_;
  double factor_;
};

// The k-th part of an intersection or a product, where the set can be reached.
template <class Whole>
const ConvexSet* part_of(const ConvexSet* set, std::size_t k) {
  const auto* whole = dynamic_cast<const Whole*>(set);
  return whole != nullptr ? &*whole->parts()[k] : nullptr;
}

ConstraintPtr exact_intersection(const Translation& t) {
  const auto& descriptions = t.parts("sets");
  std::vector<ConstraintPtr> parts;
  for (std::size_t k = 0; k < descriptions.size(); ++k) {
    parts.push_back(t.translate(descriptions[k], part_of<Intersection>(t.set(), k), t.map()));
  }
  return std::make_unique<reference::AllOf>(std::move(parts));
}

ConstraintPtr exact_product(const Translation& t) {
  const auto& descriptions = t.parts("sets");
  std::vector<ConstraintPtr> parts;
  std::size_t first = 0;
  for (std::size_t k = 0; k < descriptions.size(); ++k) {
    const MatrixXd from_here = t.map().bottomRows(t.map().rows() - Eigen::Index(first));
    parts.push_back(t.translate(descriptions[k], part_of<Product>(t.set(), k), from_here));
    first += parts.back()->dim();
  }
  return std::make_unique<OnBlocks>(first, std::move(parts));
}

ConstraintPtr exact_affine_preimage(const Translation& t) {
  const MatrixXd& A = t.matrix("A");
  ConstraintPtr inner = t.translate(t.parts("set").front(), nullptr, A * t.map().topRows(A.cols()));
  return std::make_unique<AtAffineImage>(std::move(inner), A, t.vector("b"));
}

ConstraintPtr exact_scaled(const Translation& t) {
  return std::make_unique<AtQuotient>(t.translate(t.parts("set").front(), nullptr, t.map()), t.number("factor"));
}

// Sector limits on a portfolio: two groups of five assets hold at most 60 % and at least 20 %.
Set portfolio() {
  MatrixXd groups = MatrixXd::Zero(4, 10);
  groups.row(0).head(5).setOnes();
  groups.row(1).tail(5).setOnes();
  groups.bottomRows(2) = -groups.topRows(2);
  return Intersection({CappedSimplex(10, 0.15), Polyhedron(groups, vec({0.6, 0.6, -0.2, -0.2}))});
}

Specimen intersection() {
  const VectorXd c = vec({100, -70.3});
  const Set simplex = Set(Simplex(2)).with_anchor(vec({0.25, 0.75}));
  const Ball ball(vec({1, -1}), 2);
  Specimen s{.type = "intersection"};
  s.zoo = {
      {"intersection_box_ball", Intersection({Box(vec({-1, -1, 0}), vec({1, 0.5, 2})), Ball(vec({0, 0, 1}), 1.2)})},
      {"intersection_portfolio", portfolio()},
      {"intersection_polyhedron_ellipsoid",
       Intersection({Polyhedron(mat({{1, 1}, {-1, 0.2}, {0.1, -1}}), vec({1, 0.6, 0.5})),
                     ellipse(vec({0.1, 0}), mat({{2, 0.3}, {0.3, 1}}))})},
      // Smooth sets cut by a plane: the curved gauges see directions of the hull only.
      {"intersection_ball_plane",
       Intersection(
           {Ball(vec({0.2, 0.1, -0.1}), 1), Polyhedron(MatrixXd(0, 3), VectorXd(0), mat({{1, 2, -0.5}}), vec({0.7}))})},
      {"intersection_lmi_plane",
       Intersection({elliptope(), Polyhedron(mat({{1, 0, 0}}), vec({0.6}), mat({{1, 1, 1}}), vec({0.3}))})},
  };
  s.exemplars = {"intersection_box_ball"};
  s.far_away = {
      {"intersection", Intersection({Box(c.array() - 0.1, c.array() + 0.2), Ball(vec({100.01, -70.32}), 0.1)})},
      {"intersection_curved", Intersection({soft_orthant(2), disc_by_form(vec({-3000, -4000}))})}};
  // Balls that touch, and a ball that touches a plane.
  const Polyhedron plane(mat({{1, 0}, {-1, 0}}), vec({1, -1}));
  s.without_interior = {Intersection({Ball(vec({0, 0}), 1), Ball(vec({2, 0}), 1)}),
                        Intersection({Ball(vec({0, 0}), 1), plane})};
  s.empty = {Intersection({Ball(vec({0, 0}), 1), Ball(vec({3, 0}), 1)}),
             Intersection({Simplex(3), Ball(vec({0, 0, 0}), 0.5)})};
  s.forms = {{R"({"type": "intersection", "sets": [{"type": "simplex", "dim": 2}, {"type": "ball", "center": [1, 2],
           "radius": 3}]})",
              Intersection({Simplex(2), Ball(vec({1, 2}), 3)})}};
  s.written = {{"intersection",
                Intersection({Ball(vec({0.1, -2.5e-7}), 0.75), Box(vec({-kInfinity, -1}), vec({4, kInfinity}))})}};
  s.lines = {{Intersection({simplex, Ball(vec({0, 0}), 1)}),
              "intersection(sets=[simplex(dim=2, sum=1, anchor=[0.25, 0.75]), ball(center=[0, 0], radius=1)])"}};
  s.bad_builds = {{[] { Intersection(std::vector<Set>{}); }, "intersection: there are no sets"},
                  {[] {
                     Intersection({Simplex(2), Simplex(3)});
                   },
                   "intersection: sets[1] has dimension 3, sets[0] has dimension 2"}};
  s.bad_json = {{R"({"type": "intersection", "sets": []})", "intersection: there are no sets"},
                {R"({"type": "intersection", "sets": [{"type": "simplex", "dim": 2}, {"type": "simplex", "dim": 3}]})",
                 "intersection: sets[1] has dimension 3, sets[0] has dimension 2"},
                {R"({"type": "intersection", "sets": {}})", "sets: expected a list, got {}"},
                {R"({"type": "intersection", "sets": [1]})", "sets[0]: expected an object, got 1"}};
  const Intersection three({Simplex(2), Ball(vec({0.5, 0.5}), 0.5), Box(vec({0, 0}), vec({1, 1}))});
  s.slacks = {{three, vec({0.5, 0.25}), {0.5, 0.25, 0.25, 0.5, 0.5, 0.25, 0.75}}};
  s.constraints = {
      {three,
       {"sets[0]: lower bound 0", "sets[0]: lower bound 1", "sets[1]: ball", "sets[2]: lower bound 0",
        "sets[2]: upper bound 0", "sets[2]: lower bound 1", "sets[2]: upper bound 1"},
       {"sets[0]: lower bound 0", "sets[0]: lower bound 1", "sets[2]: lower bound 0", "sets[2]: upper bound 0",
        "sets[2]: lower bound 1", "sets[2]: upper bound 1"},
       {"sets[0]: sum"},
       false},
      {Intersection({Simplex(2), Box(vec({0, -kInfinity}), vec({kInfinity, 1}))}),
       {"sets[0]: lower bound 0", "sets[0]: lower bound 1", "sets[1]: lower bound 0", "sets[1]: upper bound 1"},
       {"sets[0]: lower bound 0", "sets[0]: lower bound 1", "sets[1]: lower bound 0", "sets[1]: upper bound 1"},
       {"sets[0]: sum"},
       true},
  };
  // Ball part: |d| / 2; box part: d_1 / 1. Along (1, 0) the box is first, along (0, 1) the ball.
  s.gauges = {{"intersection",
               Intersection({Ball(vec({0, 0}), 2), Box(vec({-1, -9}), vec({1, 9}))}),
               vec({0, 0}),
               {{vec({1, 0}), 1, vec({1, 0})}, {vec({0, 3}), 1.5, vec({0, 0.5})}}}};
  s.barriers = {{"intersection", Intersection({ball, trough(), Box(vec({0, -1}), vec({3, 3}))}), vec({0.5, -0.25}),
                 vec({30, 40})}};
  s.exact = exact_intersection;
  s.boundary_points = {
      {"intersection", Intersection({Ball(vec({0, 0}), 5), Box(vec({-9, -9}), vec({9, 9}))}), {3, 4}, 1, false}};
  // sum(x) = 1 and sum(x) <= 1: the row holds with equality on the hull and is measured instead of judged.
  const Set redundant = Intersection({Simplex(2), Polyhedron(mat({{1, 1}}), vec({1}))});
  s.judged = {{redundant, {0.25, 0.75}, true}, {redundant, {0, 1}, false}};
  return s;
}

Specimen product() {
  const Set carrying = Set(Simplex(2)).with_anchor(vec({0.25, 0.75}));
  Specimen s{.type = "product"};
  s.zoo = {{"product", Product({Simplex(3), Ball(vec({1, 1}), 0.3), Box(vec({-kInfinity, 0}), vec({0, 0.05}))})}};
  s.exemplars = {"product"};
  s.recessions = {{"product", vec({0, 0, 0, 0, 0, -1, 0})}};
  s.forms = {{R"({"type": "product", "sets": [{"type": "simplex", "dim": 3}, {"type": "simplex", "dim": 2}]})",
              Product({Simplex(3), Simplex(2)})}};
  const VectorXd small = vec({0.1, -2.5e-7});
  s.written = {{"product", Product({Simplex(3), Set(Ball(small, 0.75)).with_anchor(small),
                                    Product({Box(vec({-kInfinity, -1}), vec({4, kInfinity}))})})}};
  s.lines = {{Product({Simplex(1), carrying}),
              "product(sets=[simplex(dim=1, sum=1), simplex(dim=2, sum=1, anchor=[0.25, 0.75])])"}};
  s.bad_builds = {{[] { Product(std::vector<Set>{}); }, "product: there are no sets"}};
  s.bad_json = {
      {R"({"type": "product", "sets": []})", "product: there are no sets"},
      {R"({"type": "product", "sets": [{"type": "simplex", "dim": 2}, {"type": "ball", "center": [0], "radius": -1}]})",
       "sets[1]: ball: radius is -1, not positive"},
  };
  const Product three({Simplex(2), Ball(vec({3}), 2), Box(vec({0}), vec({1}))});
  s.slacks = {{three, vec({0.5, 0.25, 4, 0.75}), {0.5, 0.25, 1, 0.75, 0.25}}};
  s.anchors = {{three, vec({0.5, 0.5, 3, 0.5})},
               // The anchors that its parts carry come first; a part without one leaves nothing.
               {Product({carrying, Ball(vec({3}), 2)}), vec({0.25, 0.75, 3})},
               {Product({carrying, circular_cone()}), std::nullopt}};
  s.constraints = {
      {three,
       {"sets[0]: lower bound 0", "sets[0]: lower bound 1", "sets[1]: ball", "sets[2]: lower bound 0",
        "sets[2]: upper bound 0"},
       {"sets[0]: lower bound 0", "sets[0]: lower bound 1", "sets[2]: lower bound 0", "sets[2]: upper bound 0"},
       {"sets[0]: sum"},
       false}};
  s.gauges = {{"product",
               Product({Ball(vec({0, 0}), 2), Box(vec({-1}), vec({1}))}),
               vec({0, 0, 0}),
               {{vec({0, 3, 1}), 1.5, vec({0, 0.5, 0})}, {vec({0, 3, -2}), 2, vec({0, 0, -1})}}}};
  s.barriers = {{"product", Product({Simplex(3), Ball(vec({1, -1}), 2), soft_orthant(1)}),
                 vec({0.5, 0.2, 0.3, 0.5, -0.25, -2}), vec({0.5, 0.2, 0.3, 0.5, -0.25, 2})}};
  s.exact = exact_product;
  s.boundary_points = {{"product", Product({Ball(vec({0, 0}), 5), Box(vec({0}), vec({1}))}), {3, 4, 0.5}, 1, false}};
  return s;
}

// y = 1/5 + A x sums to 1 for every x, but for the rounding of the columns' means: full, though it has an equality.
Set rounded_preimage() {
  MatrixXd A(5, 4);
  A << 0.3, -0.7, 0.11, 0.9, 0.1, 0.45, -0.3, 0.2, -0.6, 0.37, 0.77, -0.1, 0.7, 0.01, 0.13, 0.6, 0.2, 0.9, 0.1, -0.45;
  A.rowwise() -= A.colwise().mean().eval();
  return AffinePreimage(Simplex(5), A, VectorXd::Constant(5, 0.2));
}

Specimen affine_preimage() {
  const MatrixXd I = MatrixXd::Identity(2, 2);
  const VectorXd z = VectorXd::Zero(2);
  Specimen s{.type = "affine_preimage"};
  s.zoo = {
      {"affine_preimage_ball",
       AffinePreimage(Ball(vec({0, 0, 0}), 1), mat({{1, 0.3}, {0.2, -0.7}, {0.1, 0.9}}), vec({0.1, 0.2, -0.3}))},
      // Ax + b on the simplex: flat, by an equality that the inner set brings along.
      {"affine_preimage_simplex",
       AffinePreimage(Simplex(3), mat({{1, 0.3, 0}, {0.2, 0.7, 0.1}, {0.1, 0.4, 1.1}}), vec({0.05, 0.1, -0.05}))},
  };
  s.exemplars = {"affine_preimage_ball"};
  s.codimensions = {{s.zoo[0].set, 0}, {s.zoo[1].set, 1}, {rounded_preimage(), 0}};
  const MatrixXd R = 10 * mat({{0.6, -0.8}, {0.8, 0.5}});
  s.far_away = {{"affine_preimage", AffinePreimage(Ball(z, 1), R, -R * vec({100, -70.3}))}};
  s.forms = {
      {R"({"type": "affine_preimage", "set": {"type": "simplex", "dim": 2}, "A": [[1, 0], [0, 1]], "b": [1, 2]})",
       AffinePreimage(Simplex(2), I, vec({1, 2}))}};
  s.written = {
      {"affine_preimage", AffinePreimage(Simplex(3), mat({{1, 0}, {0, 1}, {-1, -1.0 / 3}}), vec({0.1, 0.2, 0.3}))}};
  s.lines = {{AffinePreimage(Simplex(2), I, z), "affine_preimage(set=simplex(dim=2, sum=1), A=[2x2], b=[0, 0])"}};
  s.bad_builds = {
      {[=] { AffinePreimage(Simplex(3), I, z); }, "affine_preimage: A has 2 rows, the set has dimension 3"},
      {[=] { AffinePreimage(Simplex(2), I, vec({0})); }, "affine_preimage: b has 1 entries for 2 rows of A"},
      {[=] {
         AffinePreimage(Simplex(2), mat({{1, kNaN}, {0, 1}}), z);
       },
       "affine_preimage: A[0][1] is nan, not a finite number"},
      {[=] { AffinePreimage(Simplex(2), MatrixXd(2, 0), z); }, "affine_preimage: the dimension is 0"},
  };
  s.bad_json = {{R"({"type": "affine_preimage", "set": {"type": "simplex", "dim": 2}, "A": [[1, 2]], "b": [1]})",
                 "affine_preimage: A has 1 rows, the set has dimension 2"}};
  // A x + b = (0.875, -0.75)
  const AffinePreimage skew(Box(z, vec({1, 1})), mat({{1, 1, 0}, {0, 2, -1}}), vec({0.5, -0.5}));
  s.slacks = {{skew, vec({0.25, 0.125, 0.5}), {0.875, 0.125, -0.75, 1.75}}};
  s.constraints = {{skew,
                    {"lower bound 0", "upper bound 0", "lower bound 1", "upper bound 1"},
                    {"lower bound 0", "upper bound 0", "lower bound 1", "upper bound 1"},
                    {},
                    true}};
  // |A x| <= 1 with A = diag(1, 2): half axes 1 and 1/2.
  s.gauges = {{"affine_preimage",
               AffinePreimage(Ball(vec({1, 0}), 1), mat({{1, 0}, {0, 2}}), vec({1, 0})),
               z,
               {{vec({0, 1}), 2, vec({0, 2})}, {vec({0.6, 0.4}), 1, vec({0.6, 1.6})}}}};
  s.barriers = {{"affine_preimage",
                 AffinePreimage(Ball(vec({0, 0, 1}), 4), mat({{1, 0.5}, {-0.25, 2}, {0.5, 0.5}}), vec({1, 0, 2})),
                 vec({0.5, -0.25}), vec({30, 40})}};
  s.exact = exact_affine_preimage;
  s.boundary_points = {{"affine_preimage", AffinePreimage(Ball(z, 5), 0.5 * I, vec({1, 0})), {4, 8}, 1, false}};
  return s;
}

Specimen scaled() {
  const double root2 = std::sqrt(2.0);
  Specimen s{.type = "scaled"};
  s.zoo = {{"scaled_capped_simplex", Scaled(CappedSimplex(6, 0.3), 37.1)},
           {"scaled_product", Scaled(Product({Simplex(2), ellipse(vec({1, 0}), mat({{3, 1}, {1, 2}}))}), 1e3)},
           {"scaled_ball", Scaled(Ball(vec({0.1, 0.2}), 0.7), 0.1)}};
  s.exemplars = {"scaled_ball"};
  s.far_away = {{"scaled", Scaled(Ball(vec({10, -7.03}), 0.01), 10)}};
  s.forms = {{R"({"type": "scaled", "set": {"type": "simplex", "dim": 2}, "factor": 7})", Scaled(Simplex(2), 7)}};
  s.written = {{"scaled", Scaled(Scaled(CappedSimplex(4, 0.5), 3), 0.1)}};
  s.lines = {{Scaled(Simplex(2), 3), "scaled(set=simplex(dim=2, sum=1), factor=3)"}};
  s.bad_builds = {{[] { Scaled(Simplex(2), 0); }, "scaled: factor is 0, not positive"},
                  {[] { Scaled(Simplex(2), kNaN); }, "scaled: factor is nan, not a finite number"}};
  s.bad_json = {
      {R"({"type": "scaled", "set": {"type": "simplex", "dim": 2}, "factor": 0})", "scaled: factor is 0, not positive"},
      {R"({"type": "scaled", "set": {"type": "simplex", "dim": 2, "sum": 0}, "factor": 1})",
       "set: simplex: sum is 0, not positive"},
      {R"({"type": "scaled", "set": [], "factor": 1})", "set: expected an object, got []"},
  };
  // In units of its own: the ball of radius 8 around (4, 0).
  s.slacks = {{Scaled(Ball(vec({1, 0}), 2), 4), vec({4, 5}), {3}},
              {Scaled(CappedSimplex(3, 0.5), 10), vec({2, 4, 6}), {2, 3, 4, 1, 6, -1}, 1e-15}};
  s.anchors = {{Scaled(Ball(vec({1, 0}), 2), 4), vec({4, 0})},
               {Scaled(CappedSimplex(4, 0.5), 10), VectorXd::Constant(4, 2.5)},
               // The anchor that its set carries comes first.
               {Scaled(Set(Simplex(2)).with_anchor(vec({0.25, 0.75})), 8), vec({2, 6})}};
  s.constraints = {
      {Scaled(Simplex(2), 3), {"lower bound 0", "lower bound 1"}, {"lower bound 0", "lower bound 1"}, {"sum"}, true}};
  s.gauges = {{"scaled",
               Scaled(Ball(vec({1, 0}), 1), 4),
               vec({4, 0}),
               {{vec({0, 2}), 0.5, vec({0, 0.25})}, {vec({root2, root2}), 0.5, vec({root2 / 8, root2 / 8})}}}};
  s.barriers = {
      {"scaled", Scaled(Intersection({Ball(vec({1, -1}), 2), trough()}), 1.75), vec({0.5, -0.25}), vec({30, 40})}};
  s.exact = exact_scaled;
  s.boundary_points = {{"scaled", Scaled(Ball(vec({0, 0}), 5), 2), {6, 8}, 1, false}};
  return s;
}

}  // namespace

std::vector<Specimen> combinator_specimens() { return {intersection(), product(), affine_preimage(), scaled()}; }

}  // namespace softradial::support
