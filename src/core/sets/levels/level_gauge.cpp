#include <algorithm>
#include <cmath>
#include <vector>

#include "algebra/as_doubles.hpp"
#include "numbers.hpp"
#include "sets/margin.hpp"
#include "softradial/sets/levels.hpp"

namespace softradial {
namespace {

// Terms that the guard counts for the norm of d and the quotient by the exit.
constexpr std::size_t kTerms = 8;

// The exit of a ray from {h <= 0}: t with h(u0 + t v) = 0, for h(u0) < 0. f(t) = h(u0 + t v) is convex and increasing
// where it is near 0, so that Newton's step from inside lands at or beyond the root and from there walks back to it
// monotonically; a bracket takes over where h is infinite or has a kink.
class RayExit {
 public:
  RayExit(const ConvexFunction& h, std::span<const double> u0) : h_(h), u0_(u0) {}

  struct Buffers {
    explicit Buffers(std::size_t dim) : point(dim), gradient(dim) {}
    std::vector<double> point;
    std::vector<double> gradient;
  };

  // The largest t <= longest that was found inside, to a few ulp; `longest` itself where the ray does not leave before.
  // `start` is a guess of any quality.
  [[nodiscard]] double find(std::span<const double> v, double start, double longest, Buffers& b) const noexcept {
    constexpr int kMaxSteps = 400;
    double low = 0;
    double high = std::numeric_limits<double>::infinity();
    double t = std::min(start, longest);
    for (int step = 0; step < kMaxSteps; ++step) {
      const double f = value(v, t, b);
      if (f <= 0) {
        if (t >= longest) return longest;
        low = t;
      } else {
        high = t;
      }
      if (high - low <= 2 * kUlp<double> * low) return low;
      t = next(v, t, f, low, std::min(high, longest * 2), longest, b);
      if (t <= low || t >= high) return low;
    }
    return low;
  }

  // Writes grad h(u0 + t v) to b.gradient.
  void gradient(std::span<const double> v, double t, Buffers& b) const noexcept {
    move(v, t, b);
    h_.gradient(b.point, b.gradient);
  }

 private:
  void move(std::span<const double> v, double t, Buffers& b) const noexcept {
    for (std::size_t j = 0; j < u0_.size(); ++j) b.point[j] = u0_[j] + t * v[j];
  }
  [[nodiscard]] double value(std::span<const double> v, double t, Buffers& b) const noexcept {
    move(v, t, b);
    const double f = h_.value(b.point);
    return std::isnan(f) ? std::numeric_limits<double>::infinity() : f;
  }

  // Newton's point if it falls strictly inside the bracket; else a point that at least halves it on a log scale.
  [[nodiscard]] double next(std::span<const double> v, double t, double f, double low, double high, double longest,
                            Buffers& b) const noexcept {
    if (std::isfinite(f)) {
      h_.gradient(b.point, b.gradient);
      double slope = 0;
      for (std::size_t j = 0; j < v.size(); ++j) slope += b.gradient[j] * v[j];
      // Aim an ulp short of the root when coming from outside, so that the inside is reached.
      const double newton = t - f / slope;
      const double aim = f > 0 ? newton * (1 - kUlp<double>) : newton;
      if (slope > 0 && aim > low && aim < high) return f > 0 && aim >= t ? std::nextafter(t, 0.0) : aim;
    }
    if (high > longest) return std::min(longest, t > 0 ? 16 * t : longest);
    if (low > 0 && high / low < 4) return low + (high - low) / 2;
    return low > 0 ? std::sqrt(low) * std::sqrt(high) : high / 16;
  }

  const ConvexFunction& h_;
  std::span<const double> u0_;
};

// How the search for the exits of tensors ends: by Newton's steps from outside, where a convex function's tangents lead back to
// the root without passing it; or by halvings, for a function that may be infinite outside or have slopes of any size.
enum class Finish { newton, halvings };

Finish finish_of(const ConvexFunction& h) { return h.steepest() ? Finish::newton : Finish::halvings; }

// The exits of all rays at once, each in (0, longest]: halvings of the bracket on a log scale, then the finish. A ray that does
// not leave before gets `longest`; all rays are inside up to `nearest` times that.
Tensor find_exits(const TensorFunction& h, Finish finish, const Tensor& u0, const Tensor& v, const Tensor& longest,
                  double nearest = kUlp<double>) {
  constexpr int kLogHalvings = 18;  // from a ratio of 2^52 to one of 1 + 2e-4
  constexpr int kNewtonSteps = 5;   // each doubles the digits
  constexpr int kHalvings = 42;     // from 2e-4 to an ulp
  const Tensor none = 0 * v.value().columns(0, 1);
  const Tensor farthest = longest + none;
  Tensor high = farthest;
  Tensor low = high * nearest;
  const auto halve = [&](const Tensor& middle) {
    const Tensor inside = h(u0 + middle * v, v).value <= none;
    low = choose(inside, middle, low);
    high = choose(inside, high, middle);
  };
  for (int i = 0; i < kLogHalvings; ++i) halve(root(low) * root(high));
  const Tensor leaves = high < farthest;
  if (finish == Finish::halvings) {
    for (int i = 0; i < kHalvings; ++i) halve(low + (high - low) / 2);
    return choose(leaves, low, farthest);
  }
  Tensor t = high;
  for (int i = 0; i < kNewtonSteps; ++i) {
    const TensorSlope at_t = h(u0 + t * v, v);
    const Tensor next = t - at_t.value / at_t.slope;
    t = choose(at_t.slope > 0 && next >= low && next <= t, next, t);
  }
  return choose(leaves, t, farthest);
}

// gamma(d) = |d| / t by tensors, in double, from an anchor (dim) or one of each sample. Its derivatives come from Newton
// steps at the root that autograd sees: with t frozen there, t - f(t) / f'(t) has the first derivatives of the exit, and a
// second step its second ones. Rays longer than `longest` (..., 1) count as never leaving.
TensorGauge exit_gauge(TensorFunction h, Finish finish, const Tensor& u0, const Tensor& longest) {
  return [h = std::move(h), finish, u0, longest](const Tensor& direction) {
    const Tensor d = direction.value().in_double();
    const Tensor length = norm(d);
    const Tensor moves = length > 0;
    const Tensor v = d / where_else(moves, length, 1);
    Tensor t = find_exits(h, finish, frozen(u0), frozen(v), longest).value().frozen();
    const Tensor leaves = t < longest && moves;
    t = where_else(leaves, t, 1);
    for (int i = 0; i < 2; ++i) {
      const TensorSlope at_t = h(u0 + t * v, v);
      const Tensor usable = leaves && at_t.slope > 0 && isfinite(at_t.value / at_t.slope);
      t = t - where_else(usable, at_t.value / where_else(usable, at_t.slope, 1), 0);
    }
    return where_else(leaves, length / t, 0).value().rounded_like(direction);
  };
}

template <class T>
class LevelGauge final : public GuardedGauge<T> {
 public:
  LevelGauge(std::shared_ptr<const ConvexFunction> h, const Eigen::VectorXd& u0, Margin margin)
      : GuardedGauge<T>(margin),
        h_(std::move(h)),
        u0_(u0.data(), u0.data() + u0.size()),
        grow_(1 / (1 - margin.sigma)) {}

  struct Scratch final : GaugeScratch {
    explicit Scratch(std::size_t dim) : buffers(dim), v(dim) {}
    RayExit::Buffers buffers;
    std::vector<double> v;
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t) const override {
    return std::make_unique<Scratch>(u0_.size());
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    auto& s = static_cast<Scratch&>(scratch);
    for (std::size_t i = 0; i < d.count(); ++i) {
      const Exit exit = find_exit(d[i], s);
      at[i] = {exit.leaves ? static_cast<T>(grow_ * exit.length / exit.t) : T{0}, 0};
    }
  }

  // n = gamma grad h(q) / (grad h(q).d) at the exit q: the gauge's level set and h's share their normals.
  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch& scratch) const noexcept override {
    if (!(at.gamma > 0)) return;
    auto& s = static_cast<Scratch&>(scratch);
    const Exit exit = find_exit(d, s);
    RayExit(*h_, u0_).gradient(s.v, exit.t, s.buffers);
    double slope = 0;
    for (std::size_t j = 0; j < out.size(); ++j) slope += s.buffers.gradient[j] * s.v[j];
    if (!(slope > 0) || !std::isfinite(slope)) return;
    const double factor = static_cast<double>(scale) * static_cast<double>(at.gamma) / (slope * exit.length);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += static_cast<T>(factor * s.buffers.gradient[j]);
  }

  [[nodiscard]] TensorGauge in_tensors(const TensorSpace& space) const override {
    return [gauge = exit_gauge(h_->in_tensors(space), finish_of(*h_), space.constant(as_doubles<double>(u0_)),
                               space.constant(longest())),
            grow = grow_](const Tensor& d) { return grow * gauge(d); };
  }

 private:
  struct Exit {
    double t;       // along the unit direction
    double length;  // |d|
    bool leaves;
  };

  // Beyond 1 / (ulp lipschitz) the guard's kappa |d| has taken over: there the ray counts as one that never leaves.
  [[nodiscard]] double longest() const noexcept { return 1 / this->lipschitz() / kUlp<double>; }

  [[nodiscard]] Exit find_exit(std::span<const T> d, Scratch& s) const noexcept {
    double squares = 0;
    for (const T v : d) squares += static_cast<double>(v) * static_cast<double>(v);
    const double length = std::sqrt(squares);
    if (!(length > 0)) return {0, 0, false};
    for (std::size_t j = 0; j < d.size(); ++j) s.v[j] = static_cast<double>(d[j]) / length;
    const double t = RayExit(*h_, u0_).find(s.v, 4 / this->lipschitz(), longest(), s.buffers);
    return {t, length, t < longest()};
  }

  std::shared_ptr<const ConvexFunction> h_;
  std::vector<double> u0_;
  double grow_;
};

// A ball around u0 inside the set, from the exits along the axes: the cross-polytope of the exits is inside, and it holds
// a ball of radius 1 / sqrt(sum_j max(1/t_j+, 1/t_j-)^2).
double axis_lipschitz(const ConvexFunction& h, const Eigen::VectorXd& u0) {
  const std::span<const double> at(u0.data(), static_cast<std::size_t>(u0.size()));
  const RayExit exit(h, at);
  RayExit::Buffers buffers(at.size());
  std::vector<double> v(at.size(), 0.0);
  long double squares = 0;  // its exponent holds the square of every double
  const double start = std::max(1.0, u0.stableNorm());
  for (std::size_t j = 0; j < at.size(); ++j) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const double sign : {1.0, -1.0}) {
      v[j] = sign;
      nearest = std::min(nearest, exit.find(v, start, start / kUlp<double>, buffers));
    }
    v[j] = 0;
    squares += 1 / (static_cast<long double>(nearest) * nearest);
  }
  return static_cast<double>(std::sqrt(squares));
}

// The same bound for an anchor of each sample.
Tensor axis_lipschitz(const TensorFunction& h, const Tensor& u0, const TensorSpace& space) {
  const std::size_t n = u0.value().width();
  const Tensor start = larger(norm(u0), 1);
  const Tensor longest = start / kUlp<double>;
  Tensor squares = 0 * start;
  for (std::size_t j = 0; j < n; ++j) {
    Tensor nearest = longest;
    for (const double sign : {1.0, -1.0}) {
      const Tensor axis =
          space.constant(Eigen::VectorXd(sign * Eigen::VectorXd::Unit(Eigen::Index(n), Eigen::Index(j))));
      nearest =
          smaller(nearest, find_exits(h, Finish::halvings, u0, axis + 0 * u0, longest, kUlp<double> * kUlp<double>));
    }
    squares = squares + 1 / (nearest * nearest);
  }
  return root(squares);
}

// An error e of h moves the root by at most e / |h(u0)| of its distance: h is convex, so its slope there is at least
// |h(u0)| over that distance.
template <class N>
N root_error(const ConvexFunction& h, std::span<const double> anchor, const N& slack) {
  return 4 * h.value_error(anchor) / slack;
}

template <class T>
GaugePtr<T> make_level_gauge(const std::shared_ptr<const ConvexFunction>& h, const Eigen::VectorXd& u0) {
  const std::span<const double> at(u0.data(), static_cast<std::size_t>(u0.size()));
  const double slack = -h->value(at);
  require_inside(slack, "level");
  const std::optional<double> radius = h->inner_radius(at, slack);
  const double lipschitz = radius ? 1 / *radius : axis_lipschitz(*h, u0);
  const Margin margin = general_margin<T>(lipschitz, kTerms, u0, root_error(*h, at, slack));
  require_resolvable<T>(margin.sigma, "level", slack);
  return std::make_unique<LevelGauge<T>>(h, u0, margin);
}

}  // namespace

GaugePtr<float> LevelSet::gauge_f32(const AnchoredHull& at) const {
  return make_level_gauge<float>(function_, at.point);
}
GaugePtr<double> LevelSet::gauge_f64(const AnchoredHull& at) const {
  return make_level_gauge<double>(function_, at.point);
}

// A ball of radius slack / steepest around the anchor does not leave the set; where no bound of the slope is known, the
// exits along the axes tell.
TensorGaugeAt LevelSet::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  const TensorSpace& space = data.space();
  const TensorFunction h = function_->in_tensors(space);
  const Tensor fixed = frozen(anchor);
  const Tensor slack = -h(fixed, fixed).value;
  const Tensor inside = slack > 0;
  const Tensor room = where_else(inside, slack, 1);
  const std::optional<double> steepest = function_->steepest();
  const Tensor lipschitz = steepest ? *steepest / room : axis_lipschitz(h, fixed, space);
  const Tensor longest = 1 / (lipschitz * kUlp<double>);
  const TensorGauge gauge = exit_gauge(h, finish_of(*function_), choose(inside, anchor, fixed), longest);
  const Tensor error = root_error(*function_, {}, room) + slack_error(norm(fixed), room, dim());
  return guarded(gauge, general_margin(space, lipschitz, kTerms, anchor, error), inside, space);
}

}  // namespace softradial
