#include "softradial/sets/coordinate_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sets/number_text.hpp"
#include "sets/validation.hpp"

namespace softradial {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Per coordinate: an equality where the bounds meet, otherwise the finite ones of  -x_j <= -lower_j,  x_j <= upper_j.
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

// The middle of an interval; an open side counts as a distance of max(1, |bound|).
double middle(double low, double high) {
  if (std::isfinite(low) && std::isfinite(high)) return std::midpoint(low, high);
  if (std::isfinite(low)) return low + std::max(1.0, std::abs(low));
  if (std::isfinite(high)) return high - std::max(1.0, std::abs(high));
  return 0;
}

// The smallest distance to a bound over the coordinates that are not fixed; not positive: x is not interior.
double room(const Eigen::VectorXd& x, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) {
  double smallest = kInfinity;
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    if (lower[j] != upper[j]) smallest = std::min({smallest, x[j] - lower[j], upper[j] - x[j]});
  }
  return smallest;
}

// An interior point with sum(x) = total, for finite lower bounds: of
//   x_j = rest / (number of free coordinates), rest = total - sum of the fixed ones       (the uniform point)
//   x_j = lower_j + theta (min(upper_j, lower_j + spare) - lower_j), spare = total - sum(lower)
// with theta such that the sum is the total, the first unless the second has more than twice its room. The second is
// interior whenever 0 < theta < 1, that is whenever an interior exists.
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

  const Eigen::VectorXd reach = (upper - lower).cwiseMin(static_cast<double>(spare));
  const auto theta = static_cast<double>(spare / reach.cast<long double>().sum());
  const Eigen::VectorXd weighted = lower + theta * reach;
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
    x = lower_.binaryExpr(upper_, [](double low, double high) { return low == high ? low : middle(low, high); });
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

}  // namespace softradial
