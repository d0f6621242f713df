#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "algebra/as_doubles.hpp"
#include "numbers.hpp"
#include "sets/coordinates/bounds.hpp"
#include "sets/coordinates/coordinate_kernels.hpp"
#include "sets/margin.hpp"
#include "sets/number_text.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets/coordinates.hpp"

namespace softradial {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// For each coordinate: an equality if the bounds meet, otherwise  -x_j <= -lower_j  and  x_j <= upper_j  as far as finite.
LinearSystem coordinate_system(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                               std::optional<double> total) {
  const auto dim = static_cast<std::size_t>(lower.size());
  const std::string upper_name = total ? "cap " : "upper bound ";
  LinearSystem system(dim);
  for (std::size_t j = 0; j < dim; ++j) {
    const double low = lower[j];
    const double high = upper[j];
    if (low == high) {
      system.add_equality({.entries = {{j, 1.0}}, .bound = low, .name = "fixed coordinate " + std::to_string(j)});
      continue;
    }
    if (std::isfinite(low)) {
      system.add_inequality({.entries = {{j, -1.0}}, .bound = -low, .name = "lower bound " + std::to_string(j)});
    }
    if (std::isfinite(high)) {
      system.add_inequality({.entries = {{j, 1.0}}, .bound = high, .name = upper_name + std::to_string(j)});
    }
  }
  if (total) {
    LinearSystem::Row sum{.entries = {}, .bound = *total, .name = "sum"};
    for (std::size_t j = 0; j < dim; ++j) sum.entries.push_back({j, 1.0});
    system.add_equality(std::move(sum));
  }
  return system;
}

// The smallest distance to a bound over the coordinates that are not fixed. If it is not positive, x is not interior.
double room(const Eigen::VectorXd& x, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
  double smallest = kInfinity;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    if (lower[j] != upper[j]) smallest = std::min({smallest, x[j] - lower[j], upper[j] - x[j]});
  }
  return smallest;
}

// An interior point with sum(x) = total, for finite lower bounds: of
//   x_j = rest / (number of free coordinates), rest = total - sum of the fixed ones       (the uniform point)
//   x_j = lower_j + theta reach_j                                                         (bounds_formulas.inc)
// the first unless the second has more than twice its room. The second is interior whenever an interior exists.
Eigen::VectorXd point_with_sum(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, double total) {
  long double spare = total;
  long double rest = total;
  Eigen::Index free = 0;
  for (Eigen::Index j = 0; j < lower.size(); ++j) {
    spare -= lower[j];
    if (lower[j] == upper[j]) {
      rest -= lower[j];
    } else {
      ++free;
    }
  }
  const auto uniform_value = static_cast<double>(rest / static_cast<long double>(free));
  const Eigen::VectorXd uniform = (lower.array() == upper.array()).select(lower, uniform_value);

  const guard::Scalars<double> math;
  Eigen::VectorXd weighted(lower.size());
  long double total_reach = 0;
  for (Eigen::Index j = 0; j < lower.size(); ++j) {
    weighted[j] = bounds::reach(math, lower[j], upper[j], static_cast<double>(spare));
    total_reach += weighted[j];
  }
  const auto theta = static_cast<double>(spare / total_reach);
  for (Eigen::Index j = 0; j < lower.size(); ++j) weighted[j] = bounds::on_reach(math, lower[j], theta, weighted[j]);
  return 2 * room(uniform, lower, upper) >= room(weighted, lower, upper) ? uniform : weighted;
}

constexpr std::string_view kBox = "box";
constexpr std::string_view kSimplex = "simplex";
constexpr std::string_view kCappedSimplex = "capped_simplex";

const Eigen::VectorXd& checked_lower(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
  if (lower.size() != upper.size()) {
    reject(kBox, "lower has " + std::to_string(lower.size()) + " entries, upper has " + std::to_string(upper.size()));
  }
  require_dim(kBox, static_cast<std::size_t>(lower.size()));
  for (Eigen::Index j = 0; j < lower.size(); ++j) {
    const std::string which = "bound " + std::to_string(j) + " is ";
    if (std::isnan(lower[j]) || lower[j] == kInfinity) {
      reject(kBox, "lower " + which + number_text(lower[j]) + ", neither a finite number nor -inf");
    }
    if (std::isnan(upper[j]) || upper[j] == -kInfinity) {
      reject(kBox, "upper " + which + number_text(upper[j]) + ", neither a finite number nor inf");
    }
    if (lower[j] > upper[j]) {
      reject(kBox, "lower " + which + number_text(lower[j]) + ", above the upper bound " + number_text(upper[j]));
    }
  }
  return lower;
}

double checked_sum(std::string_view set, double sum) {
  require_positive(set, "sum", sum);
  return sum;
}

double checked_cap(double cap) {
  require_positive(kCappedSimplex, "cap", cap);
  return cap;
}

Eigen::VectorXd constant(std::string_view set, std::size_t dim, double value) {
  return Eigen::VectorXd::Constant(static_cast<Eigen::Index>(require_dim(set, dim)), value);
}

// The caps, each finite and not negative, with room for the sum. A cap sum that differs from the sum by no more than
// the rounding of the caps (half an ulp each, hence eps / 2 relative) and of the sum counts as equal: a single point.
const Eigen::VectorXd& checked_caps(const Eigen::VectorXd& caps, double sum) {
  require_dim(kCappedSimplex, static_cast<std::size_t>(caps.size()));
  require_finite(kCappedSimplex, "cap", caps);
  checked_sum(kCappedSimplex, sum);
  long double cap_sum = 0;
  for (Eigen::Index j = 0; j < caps.size(); ++j) {
    if (caps[j] < 0) {
      reject(kCappedSimplex, "cap[" + std::to_string(j) + "] is " + number_text(caps[j]) + ", below 0");
    }
    cap_sum += caps[j];
  }
  if (cap_sum < sum * (1 - static_cast<long double>(std::numeric_limits<double>::epsilon()))) {
    reject(kCappedSimplex,
           "the caps sum to " + number_text(static_cast<double>(cap_sum)) + ", below the sum " + number_text(sum));
  }
  return caps;
}

// gamma(d) = max_j max(d_j up_j, -d_j down_j, 0).
// The guard is exact coordinate by coordinate, so that kappa = 0: x_j is rounded relative to |x_j| alone, and near a
// bound |x_j| is at most M = max(|u0_j|, |bound_j|):  sigma_j = ulp (8 + M / slack).
template <class T>
class CoordinateGauge final : public Gauge<T> {
 public:
  CoordinateGauge(const CoordinateSet& set, const AnchoredHull& at)
      : up_(set.dim(), T{0}), down_(set.dim(), T{0}), zeros_(set.dim(), T{0}) {
    const HullReach reach(at.hull);
    for (std::size_t j = 0; j < set.dim(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      const double u0 = at.point[i];
      const double above = set.upper()[i] - u0;
      const double below = u0 - set.lower()[i];
      if (reach.settles(j, std::min(above, below), std::abs(u0))) continue;
      up_[j] = reciprocal_slack(above, u0, set.upper()[i], "upper bound " + std::to_string(j));
      down_[j] = reciprocal_slack(below, u0, set.lower()[i], "lower bound " + std::to_string(j));
    }
  }

  struct Scratch final : GaugeScratch {
    explicit Scratch(std::size_t max_rows) : state(max_rows) {}
    std::vector<kernels::CoordinateState<T>> state;
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t max_rows) const override {
    return std::make_unique<Scratch>(max_rows);
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    auto& state = static_cast<Scratch&>(scratch).state;
    const kernels::CoordinateData<T> data{up_.size(), false,        false, zeros_.data(),
                                          up_.data(), down_.data(), T{0},  T{0}};
    kernels::reduce(data, d, state.data());
    for (std::size_t i = 0; i < d.count(); ++i) at[i] = {state[i].gamma, state[i].active};
  }

  void add_gradient(T scale, std::span<const T>, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch&) const noexcept override {
    if (!(at.gamma > 0)) return;
    const auto active = static_cast<std::size_t>(at.active);
    if (active < up_.size()) {
      out[active] += scale * up_[active];
    } else {
      out[active - up_.size()] -= scale * down_[active - up_.size()];
    }
  }

  [[nodiscard]] std::int32_t num_pieces() const noexcept override { return static_cast<std::int32_t>(2 * up_.size()); }
  [[nodiscard]] double kappa() const noexcept override { return 0; }
  [[nodiscard]] double sigma() const noexcept override { return sigma_; }
  [[nodiscard]] double lipschitz() const noexcept override {
    return std::max(*std::max_element(up_.begin(), up_.end()), *std::max_element(down_.begin(), down_.end()));
  }
  [[nodiscard]] std::vector<double> steepness(std::size_t dim) const override {
    std::vector<double> steepest(dim);
    for (std::size_t j = 0; j < dim; ++j) steepest[j] = static_cast<double>(std::max(up_[j], down_[j]));
    return steepest;
  }
  [[nodiscard]] TensorGauge in_tensors(const TensorSpace& space) const override {
    return [up = space.working_constant(as_doubles<T>(up_)), down = space.working_constant(as_doubles<T>(down_))](
               const Tensor& d) { return bounds::sides_gauge(d, up, down); };
  }
  [[nodiscard]] CoordinateSides<T> coordinate_sides() const noexcept override { return {up_, down_}; }

 private:
  T reciprocal_slack(double slack, double u0, double bound, const std::string& name) {
    if (std::isinf(bound)) return 0;
    const double loss = guard::side_loss(guard::Scalars<T, double>(), u0, bound);
    const GuardedSlack guarded = guard_slack<T>(slack, loss, name);
    sigma_ = std::max(sigma_, guarded.sigma);
    return static_cast<T>(guarded.reciprocal);
  }

  std::vector<T> up_;
  std::vector<T> down_;
  std::vector<T> zeros_;
  double sigma_ = 0;
};

}  // namespace

CoordinateSet::CoordinateSet(Eigen::VectorXd lower, Eigen::VectorXd upper, std::optional<double> total)
    : PolyhedralSet(coordinate_system(lower, upper, total)),
      lower_(std::move(lower)),
      upper_(std::move(upper)),
      total_(total) {}

std::optional<Eigen::VectorXd> CoordinateSet::closed_form_anchor() const {
  Eigen::VectorXd x;
  if (total_) {
    x = point_with_sum(lower_, upper_, *total_);
  } else {
    x = lower_.binaryExpr(upper_,
                          [](double low, double high) { return low == high ? low : bounds::middle(low, high); });
  }
  if (!x.allFinite() || !(room(x, lower_, upper_) > 0)) return std::nullopt;
  return x;
}

Box::Box(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper)
    : CoordinateSet(checked_lower(lower, upper), upper, std::nullopt) {}

Description Box::describe() const { return {std::string(kBox), {{"lower", lower()}, {"upper", upper()}}}; }

Simplex::Simplex(std::size_t dim, double sum)
    : CoordinateSet(constant(kSimplex, dim, 0), constant(kSimplex, dim, kInfinity), checked_sum(kSimplex, sum)) {}

Description Simplex::describe() const {
  return {std::string(kSimplex), {{"dim", static_cast<double>(dim())}, {"sum", *total()}}};
}

CappedSimplex::CappedSimplex(const Eigen::VectorXd& caps, double sum)
    : CoordinateSet(Eigen::VectorXd::Zero(caps.size()), checked_caps(caps, sum), sum), one_cap_(false) {}

CappedSimplex::CappedSimplex(std::size_t dim, double cap, double sum)
    : CappedSimplex(constant(kCappedSimplex, dim, checked_cap(cap)), sum) {
  one_cap_ = true;
}

Description CappedSimplex::describe() const {
  Description description{std::string(kCappedSimplex), {{"dim", static_cast<double>(dim())}}};
  if (one_cap_) {
    description.fields.emplace_back("cap", upper()[0]);
  } else {
    description.fields.emplace_back("cap", upper());
  }
  description.fields.emplace_back("sum", *total());
  return description;
}

GaugePtr<float> CoordinateSet::gauge_f32(const AnchoredHull& at) const {
  return std::make_unique<CoordinateGauge<float>>(*this, at);
}
GaugePtr<double> CoordinateSet::gauge_f64(const AnchoredHull& at) const {
  return std::make_unique<CoordinateGauge<double>>(*this, at);
}

TensorGaugeAt CoordinateSet::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  const Tensor upper = data.value_or(total() ? "cap" : "upper", upper_);
  const Tensor sum = total() ? data.value_or("sum", *total()) : Tensor();
  return bounds::gauge_in_tensors({data.value_or("lower", lower_), upper, sum}, anchor, data.space());
}

namespace {

constexpr std::string_view kMeaningOfDim = "the number of coordinates";

Field field_of_sum() {
  return {.name = "sum",
          .kind = FieldKind::number,
          .presence = Field::Presence::optional,
          .otherwise = 1,
          .meaning = "what the coordinates sum to"};
}

}  // namespace

SetType Box::type() {
  return {.name = kBox,
          .title = "Box",
          .formula = "{lower <= x <= upper}; -inf and inf leave a side open",
          .fields = {{.name = "lower",
                      .kind = FieldKind::lower_bounds,
                      .learned_as = "lower",
                      .meaning = "(dim): the smallest value of each coordinate"},
                     {.name = "upper",
                      .kind = FieldKind::upper_bounds,
                      .learned_as = "upper",
                      .meaning = "(dim): the largest value of each coordinate"}},
          .sample_data = {"lower", "upper"},
          .example = R"({"type": "box", "lower": [-1, 0, 0], "upper": [1, 2, null]})",
          .make = [](const Fields& f) -> Set { return Box(f.numbers("lower"), f.numbers("upper")); }};
}

SetType Simplex::type() {
  return {.name = kSimplex,
          .title = "Simplex",
          .formula = "{x >= 0 : sum(x) = sum}",
          .fields = {{.name = "dim", .kind = FieldKind::count, .meaning = kMeaningOfDim}, field_of_sum()},
          .sample_data = {"cap", "sum"},
          .example = R"({"type": "simplex", "dim": 3})",
          .make = [](const Fields& f) -> Set { return Simplex(f.count("dim"), f.number("sum")); }};
}

// "dim" says nothing new beside a list of caps; it may be left out then.
SetType CappedSimplex::type() {
  return {.name = kCappedSimplex,
          .title = "CappedSimplex",
          .formula = "{0 <= x <= cap : sum(x) = sum}; one cap for all coordinates or one for each",
          .fields = {{.name = "dim",
                      .kind = FieldKind::count,
                      .presence = Field::Presence::optional,
                      .meaning = "the number of coordinates; may be left out where cap is a list"},
                     {.name = "cap",
                      .kind = FieldKind::number_or_numbers,
                      .learned_as = "cap",
                      .meaning = "the largest value of a coordinate: one number for all, or (dim)"},
                     field_of_sum()},
          .sample_data = {"cap", "sum"},
          .example = R"({"type": "capped_simplex", "dim": 4, "cap": 0.4})",
          .make = [](const Fields& f) -> Set {
            if (f.is_number("cap")) {
              f.require("dim");
              return CappedSimplex(f.count("dim"), f.number("cap"), f.number("sum"));
            }
            const Eigen::VectorXd& caps = f.numbers("cap");
            if (f.has("dim") && f.count("dim") != static_cast<std::size_t>(caps.size())) {
              throw FieldError(
                  "cap", "expected " + std::to_string(f.count("dim")) + " numbers, got " + std::to_string(caps.size()));
            }
            return CappedSimplex(caps, f.number("sum"));
          }};
}

}  // namespace softradial
