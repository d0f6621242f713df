#include "anchor/phase_one.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "anchor/barrier_objective.hpp"
#include "anchor/wording.hpp"

namespace softradial {
namespace {

constexpr double kPathGrowth = 10;
constexpr int kMaxPathPoints = 30;
// Tight, because the steepness that is left limits what can be proven; the last steps converge quadratically.
constexpr double kPathDecrement = 1e-10;
// Where curvature changes fast (|x|^p near 0) Newton's method creeps at the end: this is still a point of the path.
constexpr double kOnPath = 1e-2;
constexpr int kMaxPhaseOneSteps = 80;
constexpr int kMaxDoublings = 200;
// t* counts as 0 where t falls below this, relative to the largest slack: Newton's method resolves t to about the
// square root of the rounding of the barrier's terms.
constexpr double kFlat = 1e-9;
// Or where the path ends with t below this share of its first value, for sets all of whose slacks go to 0 along it.
constexpr double kFlatAtEnd = 1e-9;
// The lower bound of t that proves emptiness holds up to a distance: this many times what the data and the path span,
// and what it would take to undo the violation with the steepest slope that the path has met; or, where it has met none
// because it started at the best point, this many times what it spans.
constexpr double kReach = 1e3;
constexpr double kAnywhere = 1e11;
constexpr double kSmallPart = 0.1;
// The path is followed until the bound has come this close to t.
constexpr double kTightBound = 0.89;

class Path {
 public:
  Path(const NewtonObjective& barrier, const RelevantInequalities& inequalities, const AffineHull& hull)
      : barrier_(barrier), inequalities_(inequalities), hull_(hull), normals_(normals_with_t(hull, false)) {}

  InteriorPoint follow(const Eigen::VectorXd& start, double size, double confinement) {
    std::optional<Eigen::VectorXd> entered = enter_barrier(barrier_, inequalities_, start);
    if (!entered) {
      return {.status = AnchorStatus::not_found,
              .point = start,
              .reason = "the constraints are not defined where the search starts"};
    }
    z_ = *std::move(entered);
    const NewtonObjective near_start = confined(barrier_, start, confinement * size);
    const double first_t = t();
    double previous_t = first_t;
    double steepest = steepness();
    double bound = 0;  // proven: t >= bound within reach
    double tau = -barrier_(z_)->gradient[last()];
    for (int k = 0; k < kMaxPathPoints && bound < kTightBound * t(); ++k, tau *= kPathGrowth) {
      const double decrement = minimise_at(tau, near_start);
      if (is_interior(z_)) return {.status = AnchorStatus::found, .point = point(), .reason = {}};
      if (t() <= kFlat * inequalities_.slacks(point()).cwiseAbs().maxCoeff()) return flat_answer();
      if (decrement > kOnPath) break;
      // Every z' in the domain of a barrier with constant nu has  grad B . (z' - z) <= nu, so that
      //   t' >= t - nu / |B_t| - steepness |x' - x|.
      // On the path nu / |B_t| is a ninth of what t fell by since tau was a tenth; all of that fall is taken.
      const double lower = t() - (previous_t - t());
      const double span = size + (point() - start).norm();
      const double reach = std::min(kReach * (span + t() / steepest), kAnywhere * span);
      if (k > 0 && steepness() * reach <= kSmallPart * lower) bound = std::max(bound, (1 - kSmallPart) * lower);
      steepest = std::max(steepest, steepness());
      previous_t = t();
    }
    if (bound > 0) return empty_answer(bound);
    if (t() <= kFlatAtEnd * first_t) return flat_answer();
    const NamedSlack worst = inequalities_.smallest(point());
    return {.status = AnchorStatus::not_found,
            .point = point(),
            .reason = "the best point found has slack " + amount_text(worst.slack) + " in " + worst.name};
  }

 private:
  [[nodiscard]] Eigen::Index last() const noexcept { return hull_.normals.cols(); }
  [[nodiscard]] Eigen::VectorXd point() const { return z_.head(last()); }
  [[nodiscard]] double t() const { return z_[last()]; }

  // In the end the path gets to t < 0, but its x may be inside long before.
  [[nodiscard]] bool is_interior(const Eigen::VectorXd& z) const {
    return inequalities_.smallest(z.head(last())).slack > 0;
  }

  // Returns the Newton decrement that is left.
  double minimise_at(double tau, const NewtonObjective& barrier) {
    const NewtonObjective objective = [&](const Eigen::VectorXd& z) {
      std::optional<BarrierTerms> terms = barrier(z);
      if (terms) {
        terms->value += tau * z[last()];
        terms->gradient[last()] += tau;
      }
      return terms;
    };
    NewtonLimits limits;
    limits.max_steps = kMaxPhaseOneSteps;
    limits.decrement = kPathDecrement;
    limits.enough = [this](const Eigen::VectorXd& z) { return is_interior(z); };
    NewtonResult result = minimise(objective, normals_, z_, limits);
    z_ = std::move(result.z);
    return result.decrement;
  }

  // How steeply the barrier's average of the slacks changes along the hull: |P grad_x B| / |B_t|.
  [[nodiscard]] double steepness() const {
    const BarrierTerms terms = *barrier_(z_);
    Eigen::VectorXd gradient = terms.gradient.head(last());
    gradient -= hull_.normals.transpose() * (hull_.normals * gradient);
    return gradient.norm() / std::abs(terms.gradient[last()]);
  }

  // The constraints that are violated at the end of the path are those that hold t up.
  [[nodiscard]] InteriorPoint empty_answer(double bound) const {
    const Eigen::VectorXd slacks = inequalities_.slacks(point());
    std::vector<std::string> names;
    for (Eigen::Index i = 0; i < slacks.size(); ++i) {
      if (slacks[i] < slacks.minCoeff() / 2) names.push_back(inequalities_.name(static_cast<std::size_t>(i)));
    }
    const std::string which = names.size() == 1 ? "it is" : "one of them is";
    return {.status = AnchorStatus::empty,
            .point = point(),
            .reason =
                "no point satisfies " + name_list(names) + ": " + which + " missed by at least " + amount_text(bound)};
  }

  [[nodiscard]] InteriorPoint flat_answer() const {
    const NamedSlack worst = inequalities_.smallest(point());
    return {.status = AnchorStatus::no_interior,
            .point = point(),
            .reason = "no point has room around it: " + worst.name + " has at best slack " + amount_text(worst.slack)};
  }

  const NewtonObjective& barrier_;
  const RelevantInequalities& inequalities_;
  const AffineHull& hull_;
  Eigen::MatrixXd normals_;
  Eigen::VectorXd z_;
};

}  // namespace

std::optional<Eigen::VectorXd> enter_barrier(const NewtonObjective& barrier, const RelevantInequalities& inequalities,
                                             const Eigen::VectorXd& start) {
  const double slack = inequalities.smallest(start).slack;
  Eigen::VectorXd z(start.size() + 1);
  z << start, std::isfinite(slack) && slack < 0 ? -2 * slack : 1.0;
  for (int k = 0; k < kMaxDoublings; ++k) {
    if (barrier(z)) return z;
    z[start.size()] *= 2;
  }
  return std::nullopt;
}

InteriorPoint follow_path(const NewtonObjective& barrier, const RelevantInequalities& inequalities,
                          const AffineHull& hull, const Eigen::VectorXd& start, double size, double confinement) {
  return Path(barrier, inequalities, hull).follow(start, size, confinement);
}

}  // namespace softradial
