// Level sets {h <= 0} of convex functions: those of the library, and those of the user's own.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "sets/family.hpp"
#include "softradial/sets.hpp"
#include "support/specimen.hpp"
#include "support/vectors.hpp"

namespace softradial::support {
namespace {

using Eigen::VectorXd;
using reference::ConstraintPtr;
using reference::Enclosure;
using reference::Finding;
using reference::Point;
using reference::Translation;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The slack of the first inequality.
double slack_of(const ConvexSet& set, const VectorXd& x) {
  std::vector<double> slacks(set.num_inequalities());
  set.slacks({x.data(), set.dim()}, slacks);
  return slacks.front();
}

// sum_j |x_j - center_j|^p < radius^p; |x_j - center_j| < radius for every j where p is infinite.
class LpConstraint final : public reference::InBothPrecisions<LpConstraint> {
 public:
  LpConstraint(VectorXd center, double radius, double p)
      : InBothPrecisions(static_cast<std::size_t>(center.size())), center_(std::move(center)), radius_(radius), p_(p) {}

  template <class R>
  Finding test(Point<R> x) const {
    Finding finding;
    Enclosure<R> slack = raised<R>(Enclosure<R>(radius_));
    for (std::size_t j = 0; j < dim(); ++j) {
      const Enclosure<R> distance = absolute(x[j] - Enclosure<R>(center_[Eigen::Index(j)]));
      if (p_ == kInfinity) {
        finding.require_positive(Enclosure<R>(radius_) - distance);
      } else {
        slack = slack - raised<R>(distance);
      }
    }
    if (p_ < kInfinity) finding.require_positive(slack);
    return finding;
  }

 private:
  template <class R>
  [[nodiscard]] Enclosure<R> raised(const Enclosure<R>& a) const {
    if (p_ == 1 || p_ == kInfinity) return a;
    if (p_ == 2) return square(a);
    return power(a, p_);
  }

  VectorXd center_;
  double radius_;
  double p_;
};

// sum_j exp(x_j - bound) < 1.
class LogSumExpConstraint final : public reference::InBothPrecisions<LogSumExpConstraint> {
 public:
  LogSumExpConstraint(std::size_t dim, double bound) : InBothPrecisions(dim), bound_(bound) {}

  template <class R>
  Finding test(Point<R> x) const {
    Enclosure<R> slack(1);
    for (std::size_t j = 0; j < dim(); ++j) slack = slack - exponential(x[j] - Enclosure<R>(bound_));
    return positive(slack);
  }

 private:
  double bound_;
};

// x > 0 and sum_j x_j log(x_j / reference_j) < radius; the equality sum(x) = 1 stands in a LinearConstraint beside it.
class KlConstraint final : public reference::InBothPrecisions<KlConstraint> {
 public:
  KlConstraint(VectorXd reference, double radius)
      : InBothPrecisions(static_cast<std::size_t>(reference.size())),
        reference_(std::move(reference)),
        radius_(radius) {}

  template <class R>
  Finding test(Point<R> x) const {
    Finding finding;
    Enclosure<R> slack(radius_);
    for (std::size_t j = 0; j < dim(); ++j) {
      finding.require_positive(x[j]);
      if (!finding.proved) return finding;
      slack = slack - x[j] * logarithm(divide(x[j], static_cast<R>(reference_[Eigen::Index(j)])));
    }
    finding.require_positive(slack);
    return finding;
  }

 private:
  VectorXd reference_;
  double radius_;
};

// A set that the user gave as functions: what they compute in double is the set.
class ComputedConstraint final : public reference::InBothPrecisions<ComputedConstraint> {
 public:
  explicit ComputedConstraint(const ConvexSet& set) : InBothPrecisions(set.dim()), set_(&set) {}

  template <class R>
  Finding test(Point<R> x) const {
    std::vector<double> rounded(dim());
    for (std::size_t j = 0; j < dim(); ++j) rounded[j] = static_cast<double>(x[j].mid);
    std::vector<double> slacks(set_->num_inequalities());
    set_->slacks(rounded, slacks);
    Finding finding;
    for (double slack : slacks) {
      finding.proved = finding.proved && slack > 0;
      finding.slack = std::min(finding.slack, slack);
    }
    return finding;
  }

 private:
  const ConvexSet* set_;  // owned by the judged Set
};

// ------------------------------------------------------------------------------------------------------------ lp balls

std::vector<NamedSet> lp_zoo() {
  const VectorXd centre = vec({0.1, -0.2, 0.3});
  const VectorXd off_centre = vec({0.3, -0.35, 0.5});
  const std::vector<std::pair<std::string, double>> exponents = {
      {"1", 1}, {"1_5", 1.5}, {"2", 2}, {"4", 4}, {"inf", kInfinity}};
  std::vector<NamedSet> zoo;
  for (const auto& [text, p] : exponents) {
    zoo.push_back({"lp_ball_" + text, LpBall(centre, 0.7, p)});
    zoo.push_back({"lp_ball_" + text + "_off_centre", Set(LpBall(centre, 0.7, p)).with_anchor(off_centre)});
  }
  return zoo;
}

std::vector<KnownSlacks> lp_slacks() {
  const VectorXd center = vec({1, 0});
  const VectorXd x = vec({4, -4});
  constexpr double kUlp = std::numeric_limits<double>::epsilon();
  return {
      {LpBall(center, 10, 1), x, {3}, kUlp},
      {LpBall(center, 10, 2), x, {5}, kUlp},
      {LpBall(center, 10, 3), x, {10 - std::cbrt(91.0)}, kUlp},
      {LpBall(center, 10, kInfinity), x, {6}, kUlp},
      {LpBall(center, 10, 1.5), center, {10}},
      // Neither huge points nor huge exponents overflow.
      {LpBall(vec({0, 0}), 1, 7), vec({1e300, 0}), {-1e300}, 1e-15},
      {LpBall(vec({0, 0}), 4, 1e12), vec({3, 3}), {1}, 1e-11},
  };
}

std::vector<GaugeTable> lp_gauges() {
  const VectorXd zero = vec({0, 0});
  return {
      {"lp_ball_1", LpBall(zero, 2, 1), zero, {{vec({3, -1}), 2, vec({0.5, -0.5})}}},
      {"lp_ball_2", LpBall(zero, 2, 2), zero, {{vec({3, 4}), 2.5, vec({0.3, 0.4})}}},
      // |(1, 1)|_4 = 2^(1/4); gradient |d_j|^3 / |d|_4^3 = 2^(-3/4).
      {"lp_ball_4",
       LpBall(zero, 1, 4),
       zero,
       {{vec({1, -1}), std::pow(2, 0.25), vec({std::pow(2, -0.75), -std::pow(2, -0.75)})}}},
      {"lp_ball_inf", LpBall(zero, 2, kInfinity), zero, {{vec({3, -5}), 2.5, vec({0, -0.5})}}},
      // From (0.5, 0) in the l1 ball of radius 1 along (1, 1): |0.5 + t| + |t| = 1 at t = 1/4.
      {"lp_ball_1_off_centre",
       LpBall(zero, 1, 1),
       vec({0.5, 0}),
       {{vec({1, 1}), 4, vec({2, 2})}, {vec({-3, 0}), 2, vec({-2.0 / 3, 0})}}},
  };
}

std::vector<BarrierCase> lp_barriers() {
  const auto ball = [](double p) { return LpBall(vec({0.75, -1}), 2, p); };
  const VectorXd inside = vec({0.5, -0.25});
  const VectorXd far = vec({30, 40});
  return {{"lp_ball_1", ball(1), inside, far},
          {"lp_ball_1_5", ball(1.5), inside, far},
          {"lp_ball_2", ball(2), inside, far},
          {"lp_ball_3", ball(3), inside, far},
          {"lp_ball_inf", ball(kInfinity), inside, far}};
}

std::vector<LevelPoint> lp_level_points() {
  const VectorXd zero = VectorXd::Zero(3);
  std::vector<LevelPoint> points;
  for (const double p : {1.0, 1.01, 1.5, 2.0, 3.0, 40.0, kInfinity}) {
    points.push_back({LpBall(vec({1, 0, -1}), 3, p), vec({1.5, -0.7, 0.4})});
  }
  points.push_back({LpBall(zero, 1, 1), vec({0, -2, 1}), vec({0, -1, 1})});
  points.push_back({LpBall(zero, 1, kInfinity), vec({1, -2, 2}), vec({0, -1, 0})});
  for (const double p : {1.0, 1.5, 2.0, kInfinity}) points.push_back({LpBall(zero, 1, p), zero, zero});
  return points;
}

Specimen lp_ball() {
  const VectorXd z = VectorXd::Zero(2);
  const VectorXd small = vec({0.1, -2.5e-7});
  const VectorXd c = vec({100, -70.3});
  Specimen s{.type = "lp_ball"};
  s.zoo = lp_zoo();
  s.exemplars = {"lp_ball_1_5_off_centre"};
  s.far_away = {{"lp_ball", LpBall(c, 0.1, 1.5)},
                {"lp_ball_off_centre", Set(LpBall(c, 0.1, 4)).with_anchor(vec({100.01, -70.32}))}};
  s.around = [](Draw& draw, const VectorXd& x0, double scale, double delta) -> Set {
    const VectorXd center = x0 + scale * draw.vector(x0.size());
    const double p = std::vector<double>{1, 1.5, 2, 3, kInfinity}[static_cast<std::size_t>(draw.integer(0, 4))];
    const double distance = 1 - slack_of(LpBall(center, 1, p), x0);
    return LpBall(center, distance + delta * scale, p);
  };
  s.forms = {{R"({"type": "lp_ball", "center": [1, 2], "radius": 1, "p": 1.5})", LpBall(vec({1, 2}), 1, 1.5)},
             {R"({"type": "lp_ball", "center": [1, 2], "radius": 1, "p": "inf"})", LpBall(vec({1, 2}), 1, kInfinity)}};
  s.written = {{"lp_ball", LpBall(small, 2, 1.5)}, {"lp_ball_infinity", LpBall(small, 2, kInfinity)}};
  s.lines = {{LpBall(z, 1, kInfinity), "lp_ball(center=[0, 0], radius=1, p=inf)"}};
  s.bad_builds = {
      {[z] { LpBall(z, 1, 0.5); }, "lp_ball: p is 0.5, below 1"},
      {[z] { LpBall(z, 1, kNaN); }, "lp_ball: p is nan, below 1"},
      {[z] { LpBall(z, -1, 2); }, "lp_ball: radius is -1, not positive"},
      {[] { LpBall(vec({kInfinity}), 1, 2); }, "lp_ball: center[0] is inf, not a finite number"},
      {[] { LpBall(vec({}), 1, 2); }, "lp_ball: the dimension is 0"},
  };
  s.bad_json = {
      {R"({"type": "lp_ball", "center": [0], "radius": 1, "p": 0.5})", "lp_ball: p is 0.5, below 1"},
      {R"({"type": "lp_ball", "center": [0], "radius": 1, "p": "infinity"})",
       R"(p: expected a number or "inf", got "infinity")"},
  };
  s.slacks = lp_slacks();
  s.gauges = lp_gauges();
  s.barriers = lp_barriers();
  s.level_points = lp_level_points();
  s.boundaries = [](const VectorXd& center, const VectorXd& direction) {
    std::vector<LevelBoundary> all;
    for (const double p : {1.0, 1.3, 2.0, 5.0, 100.0, kInfinity}) {
      const auto ball = std::make_shared<const LpBall>(center, 0.7, p);
      const double norm = 0.7 - slack_of(*ball, center + direction);
      all.push_back({ball, center + direction * (0.7 / norm), center});
    }
    return all;
  };
  s.exact = [](const Translation& t) -> ConstraintPtr {
    return std::make_unique<LpConstraint>(t.vector("center"), t.number("radius"), t.number("p"));
  };
  s.boundary_points = {{"lp_ball_1", LpBall(z, 1, 1), {0.25, -0.75}, 1, true},
                       {"lp_ball_2", LpBall(z, 5, 2), {3, 4}, 1, false},
                       {"lp_ball_4", LpBall(z, 2, 4), {0, 2}, 1, false},
                       {"lp_ball_inf", LpBall(z, 1, kInfinity), {1, 0.5}, 0, false}};
  return s;
}

// --------------------------------------------------------------------------------------------------------- log-sum-exp

Specimen log_sum_exp() {
  const double log2 = std::log(2.0);
  Specimen s{.type = "log_sum_exp"};
  s.zoo = {{"log_sum_exp", LogSumExp(4, 1.5)},
           {"log_sum_exp_off_centre", Set(LogSumExp(3, 0.3)).with_anchor(vec({-0.5, -3, -1.7}))}};
  s.exemplars = {"log_sum_exp"};
  s.recessions = {{"log_sum_exp", vec({-1, -2, -1, -3})}, {"log_sum_exp_off_centre", vec({-1, -1, -2})}};
  s.far_away = {{"log_sum_exp", LogSumExp(3, 1000)}};
  s.around = [](Draw&, const VectorXd& x0, double scale, double delta) -> Set {
    const auto dim = static_cast<std::size_t>(x0.size());
    return LogSumExp(dim, delta * scale - slack_of(LogSumExp(dim, 0), x0));
  };
  s.forms = {{R"({"type": "log_sum_exp", "dim": 3, "bound": 2})", LogSumExp(3, 2)}};
  s.written = {{"log_sum_exp", LogSumExp(3, 0.3)}};
  s.lines = {{LogSumExp(4, 0), "log_sum_exp(dim=4, bound=0)"}};
  s.bad_builds = {{[] { LogSumExp(0, 1); }, "log_sum_exp: the dimension is 0"},
                  {[] { LogSumExp(2, kNaN); }, "log_sum_exp: bound is nan, not a finite number"}};
  s.bad_json = {
      {R"({"type": "log_sum_exp", "dim": 0, "bound": 1})", "dim: expected a whole number of at least 1, got 0"}};
  const VectorXd inner = *LogSumExp(7, -3).closed_form_anchor();
  s.slacks = {{LogSumExp(2, 5), vec({1, 1}), {4 - log2}, std::numeric_limits<double>::epsilon()},
              {LogSumExp(2, 0), vec({1e5, -1e5}), {-1e5}},
              {LogSumExp(7, -3), inner, {1}, 1e-14}};
  s.gauges = {
      // exp(x) <= e in one dimension is x <= 1; down never leaves.
      {"log_sum_exp", LogSumExp(1, 1), vec({-1}), {{vec({4}), 2, vec({0.5})}, {vec({-3}), 0, vec({0})}}},
      // Two coordinates: x1 = x2 = y leaves at 2 exp(y) = exp(1): y = 1 - log 2, with normal (1, 1).
      {"log_sum_exp_diagonal", LogSumExp(2, 1), VectorXd::Constant(2, -log2), {{vec({1, 1}), 1, vec({0.5, 0.5})}}},
  };
  s.barriers = {{"log_sum_exp", LogSumExp(2, 3), vec({0.5, -0.25}), vec({30, 40})}};
  s.level_points = {{LogSumExp(3, 5), vec({1, -2, 0.5})}};
  s.boundaries = [](const VectorXd&, const VectorXd& direction) {
    const auto set = std::make_shared<const LogSumExp>(static_cast<std::size_t>(direction.size()), 3);
    const VectorXd on_boundary = (20 * direction).array() + slack_of(*set, 20 * direction);
    return std::vector<LevelBoundary>{{set, on_boundary, on_boundary}};
  };
  s.exact = [](const Translation& t) -> ConstraintPtr {
    return std::make_unique<LogSumExpConstraint>(static_cast<std::size_t>(t.number("dim")), t.number("bound"));
  };
  s.boundary_points = {{"log_sum_exp", LogSumExp(1, 1.5), {1.5}, 0, false}};
  return s;
}

// ------------------------------------------------------------------------------------------------------------ KL balls

Specimen kl_ball() {
  const KlBall quarter(vec({0.25, 0.75}), 0.5);
  const VectorXd half = vec({0.5, 0.5});
  constexpr double kUlp = std::numeric_limits<double>::epsilon();
  // p = (3/4, 1/4) against r = (1/2, 1/2): KL = log 2 - H(p) = 0.13081203594113694...
  const double divergence = 0.75 * std::log(1.5) + 0.25 * std::log(0.5);
  Specimen s{.type = "kl_ball"};
  s.zoo = {{"kl_ball", KlBall(vec({0.1, 0.2, 0.3, 0.4}), 0.15)}, {"kl_ball_wide", KlBall(vec({0.25, 0.25, 0.5}), 1.2)}};
  s.exemplars = {"kl_ball"};
  s.forms = {{R"({"type": "kl_ball", "reference": [0.25, 0.75], "radius": 0.1})", KlBall(vec({0.25, 0.75}), 0.1)}};
  s.written = {{"kl_ball", KlBall(vec({0.25, 0.75}), 0.1)}};
  s.lines = {{KlBall(half, 0.1), "kl_ball(reference=[0.5, 0.5], radius=0.1)"}};
  s.bad_builds = {
      {[] {
         KlBall(vec({0.5, 0, 0.5}), 1);
       },
       "kl_ball: reference[1] is 0, not positive"},
      {[] {
         KlBall(vec({0.5, 0.25}), 1);
       },
       "kl_ball: the reference sums to 0.75, not to 1"},
      {[half] { KlBall(half, 0); }, "kl_ball: radius is 0, not positive"},
      {[] {
         KlBall(vec({0.5, kNaN}), 1);
       },
       "kl_ball: reference[1] is nan, not a finite number"},
  };
  s.bad_json = {{R"({"type": "kl_ball", "reference": [0.5, 0.25], "radius": 1})",
                 "kl_ball: the reference sums to 0.75, not to 1"}};
  s.slacks = {{quarter, vec({0.25, 0.75}), {0.5}},
              {quarter, half, {0.5 - (0.5 * std::log(2.0) + 0.5 * std::log(2.0 / 3))}, kUlp},
              {quarter, vec({0, 1}), {0.5 - std::log(4.0 / 3)}, kUlp},
              {quarter, vec({-0.1, 1.1}), {-kInfinity}}};
  s.anchors = {{quarter, vec({0.25, 0.75})}};
  s.constraints = {{quarter, {"kl_ball"}, {"lower bound 0", "lower bound 1"}, {"sum"}, false}};
  // The ray along (1, -1) leaves at (3/4, 1/4).
  s.gauges = {{"kl_ball",
               KlBall(half, divergence),
               half,
               {{vec({1, -1}), 4, vec({2, -2})}, {vec({-0.125, 0.125}), 0.5, vec({-2, 2})}}}};
  s.barriers = {{"kl_ball", KlBall(vec({0.3, 0.3, 0.4}), 0.6), vec({0.5, 0.2, 0.3}), vec({0.98, 0.01, 0.01})}};
  // d/dx_j = log(x_j / r_j) + 1, which ends at some finite number where x_j = 0.
  s.level_points = {{quarter, vec({0.4, 0.6})}, {quarter, vec({0, 1}), vec({kNaN, std::log(4.0 / 3) + 1})}};
  s.boundaries = [](const VectorXd& a, const VectorXd& b) {
    const VectorXd reference = (a.array() + 1.01).matrix() / (a.array() + 1.01).sum();
    const VectorXd x = (b.array() + 1.0).matrix() / (b.array() + 1.0).sum();
    const double radius = 1 - slack_of(KlBall(reference, 1), x);
    std::vector<LevelBoundary> all;
    if (radius > 0) all.push_back({std::make_shared<const KlBall>(reference, radius), x, reference});
    return all;
  };
  s.exact = [](const Translation& t) -> ConstraintPtr {
    const VectorXd& reference = t.vector("reference");
    const auto dim = static_cast<std::size_t>(reference.size());
    std::vector<ConstraintPtr> parts;
    parts.push_back(std::make_unique<KlConstraint>(reference, t.number("radius")));
    parts.push_back(std::make_unique<reference::LinearConstraint>(dim, std::vector{reference::sum_row(dim, 1.0)}));
    return std::make_unique<reference::AllOf>(std::move(parts));
  };
  s.judged = {{KlBall(half, divergence + 1e-15), {0.75, 0.25}, true},
              {KlBall(half, divergence - 1e-15), {0.75, 0.25}, false},
              // The simplex's own faces bound a wide ball.
              {KlBall(half, 2), {1, 0}, false},
              {KlBall(half, 2), {1 - 0x1p-53, 0x1p-53}, true}};
  return s;
}

// ----------------------------------------------------------------------------------------------- functions of the user

// x1^4 + x2^4 + x1^2 / 2 + 0.3 x1 x2 + 0.2 x2^2 <= 1.
LevelSet quartic() {
  return {2,
          [](std::span<const double> x) {
            return std::pow(x[0], 4) + std::pow(x[1], 4) + x[0] * x[0] / 2 + 0.3 * x[0] * x[1] + 0.2 * x[1] * x[1] - 1;
          },
          [](std::span<const double> x, std::span<double> out) {
            out[0] = 4 * std::pow(x[0], 3) + x[0] + 0.3 * x[1];
            out[1] = 4 * std::pow(x[1], 3) + 0.3 * x[0] + 0.4 * x[1];
          }};
}

// (x1 - 100)^2 + 2 (x2 + 70.3)^2 <= 0.01.
LevelSet distant_oval() {
  return {2, [](std::span<const double> x) { return std::pow(x[0] - 100, 2) + 2 * std::pow(x[1] + 70.3, 2) - 0.01; },
          [](std::span<const double> x, std::span<double> out) {
            out[0] = 2 * (x[0] - 100);
            out[1] = 4 * (x[1] + 70.3);
          }};
}

// x1^2 <= x2.
LevelSet parabola() {
  return {2, [](std::span<const double> x) { return x[0] * x[0] - x[1]; },
          [](std::span<const double> x, std::span<double> out) {
            out[0] = 2 * x[0];
            out[1] = -1;
          }};
}

// x <= bound.
LevelSet half_line_below(double bound) {
  return {1, [bound](std::span<const double> x) { return x[0] - bound; },
          [](std::span<const double>, std::span<double> out) { out[0] = 1; }};
}

Specimen level_set() {
  const auto value = [](std::span<const double>) { return 0.0; };
  const auto gradient = [](std::span<const double>, std::span<double>) {};
  Specimen s{.type = "level_set"};
  s.zoo = {{"level_set", quartic()}};
  s.exemplars = {"level_set"};
  s.far_away = {{"level_set", Set(distant_oval()).with_anchor(vec({100, -70.3}))}};
  s.has_json = false;
  s.lines = {{half_line_below(0), "level_set(dim=1)"}};
  s.bad_builds = {
      {[=] { LevelSet(0, value, gradient); }, "level_set: the dimension is 0"},
      {[=] { LevelSet(2, nullptr, gradient); }, "level_set: the value callable is empty"},
      {[=] { LevelSet(2, value, nullptr); }, "level_set: the gradient callable is empty"},
      {[] { LevelSet(std::shared_ptr<const ConvexFunction>(), "mine"); }, "mine: there is no function"},
  };
  s.slacks = {{parabola(), vec({2, 5}), {1}}, {parabola(), vec({3, 5}), {-4}}};
  s.anchors = {{parabola(), std::nullopt}};
  s.constraints = {{parabola(), {"level_set"}, {}, {}, false}};
  // x^2 <= y from (0, 1), as with the quadratic form.
  s.gauges = {
      {"level_set", parabola(), vec({0, 1}), {{vec({0, -3}), 3, vec({0, -1})}, {vec({2, 0}), 2, vec({1, -0.5})}}}};
  s.barriers = {{"level_set", trough(), vec({0.5, -0.25}), vec({30, 40})}};
  // The one type that is judged by its own slacks: its callables are all that there is.
  s.exact = [](const Translation& t) -> ConstraintPtr {
    if (t.set() == nullptr) throw std::logic_error("level_set: cannot be judged inside this combinator");
    return std::make_unique<ComputedConstraint>(*t.set());
  };
  s.boundary_points = {{"level_set", parabola(), {0.5, 0.25}, 1, true}};
  s.judged = {{half_line_below(1), {1}, false},
              {half_line_below(1), {std::nextafter(1.0, 0.0)}, true},
              {Intersection({half_line_below(1), Box(vec({0}), vec({2}))}), {0.5}, true},
              {Intersection({half_line_below(1), Box(vec({0}), vec({2}))}), {0}, false},
              {Product({half_line_below(1), half_line_below(1)}), {0, 0}, true},
              {Product({half_line_below(1), half_line_below(1)}), {0, 1}, false}};
  return s;
}

}  // namespace

Set soft_orthant(std::size_t dim) { return LogSumExp(dim, 0); }

Set trough() {
  return LevelSet(
      2, [](std::span<const double> x) { return std::exp(x[0]) + x[1] * x[1] - 3; },
      [](std::span<const double> x, std::span<double> out) {
        out[0] = std::exp(x[0]);
        out[1] = 2 * x[1];
      });
}

std::vector<Specimen> level_specimens() { return {lp_ball(), log_sum_exp(), kl_ball(), level_set()}; }

}  // namespace softradial::support
