#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "builders.hpp"
#include "kernels/soft_orthogonal_kernels.hpp"
#include "sets/number_text.hpp"
#include "soft_orthogonal_parts.hpp"
#include "softradial/errors.hpp"
#include "strict_bounds.hpp"

namespace softradial::layers {
namespace {

using kernels::SoftBoundsState;

// The layer of boxes, simplices and capped simplices: fused passes; the guard is a clip (docs/math/soft_orthogonal.md).
template <class T>
class SoftOrthogonalCoordinates final : public Layer<T> {
 public:
  SoftOrthogonalCoordinates(const CoordinateSet& set, const SoftOrthogonal& method, const Anchor& anchor)
      : sum_(set.total().has_value()),
        total_(set.total().value_or(0)),
        kappa_(method.kappa),
        given_lower_(set.lower()),
        given_upper_(set.upper()) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double shrink = 1 - method.delta;
    double spare = total_;
    const HullReach reach(anchor.hull);
    for (std::size_t j = 0; j < set.dim(); ++j) {
      const auto i = static_cast<Eigen::Index>(j);
      const double u0 = anchor.point[i];
      const bool moves = reach.coordinate(j) > 0;
      const double low = set.lower()[i];
      const double high = set.upper()[i];
      moves_.push_back(moves ? T{1} : T{0});
      lower_.push_back(moves && std::isfinite(low) ? strictly_above<T>(low) : static_cast<T>(-kInfinity));
      upper_.push_back(moves && std::isfinite(high) ? strictly_below<T>(high) : static_cast<T>(kInfinity));
      smaller_lower_.push_back(static_cast<T>(moves ? u0 + shrink * (low - u0) : u0));
      smaller_upper_.push_back(static_cast<T>(moves ? u0 + shrink * (high - u0) : u0));
      if (moves) keep_apart(j, static_cast<T>(u0));
      spare -= static_cast<double>(smaller_lower_.back());
      if (moves) {
        ++count_;
      } else {
        fixed_ += static_cast<double>(static_cast<T>(u0));
      }
    }
    // The search for tau needs finite bounds: upper bounds are cut to those that the sum implies.
    if (!sum_) return;
    for (std::size_t j = 0; j < set.dim(); ++j) {
      const double implied = static_cast<double>(smaller_lower_[j]) + spare;
      if (moves_[j] > 0) smaller_upper_[j] = static_cast<T>(std::min(static_cast<double>(smaller_upper_[j]), implied));
    }
    guide_ = kernels::sum_guide<T>(smaller_lower_, smaller_upper_, static_cast<T>(total_));
  }

  [[nodiscard]] std::size_t dim() const noexcept override { return moves_.size(); }
  [[nodiscard]] std::size_t state_dim() const noexcept override { return sizeof(SoftBoundsState<T>) / sizeof(T); }

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T> state) const override {
    return kernels::soft_orthogonal<T>(bounds(), u, x, reinterpret_cast<SoftBoundsState<T>*>(state.data()));
  }
  void project_vjp(Rows<const T> u, Rows<const T>, Rows<const T> state, Rows<const T> grad_x,
                   Rows<T> grad_u) const override {
    const auto* states = reinterpret_cast<const SoftBoundsState<T>*>(state.data());
    kernels::soft_orthogonal_vjp<T>(bounds(), u, states, grad_x, grad_u);
  }

  // dx = dp + phi dw - phi^2 nu.(dw + gamma dp) w,   dp = Q du,   dw = P du - dp
  void project_jvp(Rows<const T> u, Rows<const T> tangent_u, Rows<T> tangent_x) const override {
    for_each_place(u, [&](std::size_t i, const Place& at) {
      if (!at.finite) {
        std::fill_n(tangent_x.row(i), tangent_x.dim(), std::numeric_limits<T>::quiet_NaN());
        return;
      }
      double moving = 0;
      double inside = 0;
      for (std::size_t j = 0; j < dim(); ++j) {
        const auto v = static_cast<double>(tangent_u[i][j]);
        if (moves_[j] > 0) moving += v / static_cast<double>(count_);
        if (at.free[j]) inside += v / static_cast<double>(at.num_free);
      }
      const auto dp = [&](std::size_t j) {
        return at.free[j] ? static_cast<double>(tangent_u[i][j]) - (sum_ ? inside : 0) : 0;
      };
      const auto dw = [&](std::size_t j) {
        return (moves_[j] > 0 ? static_cast<double>(tangent_u[i][j]) - (sum_ ? moving : 0) : 0) - dp(j);
      };
      const Wide phi = 1 / (1 / kappa_ + at.gamma);
      const Wide turn = phi * at.normal * (phi * dw(at.active) + phi * at.gamma * dp(at.active));
      for (std::size_t j = 0; j < dim(); ++j) {
        tangent_x[i][j] = static_cast<T>(dp(j) + phi * dw(j) - turn * at.w[j]);
      }
    });
  }

  // u = p + (x - p) / (kappa (1 - gamma(p, x - p))), p = Proj_D(x).
  void inverse(Rows<const T> x, Rows<T> u) const override {
    for_each_place(x, [&](std::size_t i, const Place& at) {
      if (!at.finite || !inside(x[i])) {
        std::fill_n(u.row(i), u.dim(), std::numeric_limits<T>::quiet_NaN());
        return;
      }
      const auto left = static_cast<double>(std::max<Wide>(1 - at.gamma, std::numeric_limits<T>::epsilon()));
      // The sum of w is the rounding of x. The division would enlarge it, so that it is removed.
      const Wide mean = sum_ && count_ > 0 ? std::reduce(at.w.begin(), at.w.end()) / static_cast<Wide>(count_) : 0;
      for (std::size_t j = 0; j < dim(); ++j) {
        // Inside D, w is the rounding of p.
        const Wide out = at.num_free == count_ ? at.w[j] : (at.w[j] - mean * (moves_[j] > 0 ? 1 : 0)) / (kappa_ * left);
        u[i][j] = static_cast<T>(static_cast<double>(at.p[j] + out));
      }
    });
  }

  void log_abs_det(Rows<const T> u, std::span<T> out) const override {
    for_each_place(u, [&](std::size_t i, const Place& at) {
      // A sum takes a dimension from the hull, and from the face unless it is a vertex.
      const std::size_t lost = count_ - at.num_free - (sum_ && count_ > 0 && at.num_free == 0 ? 1 : 0);
      out[i] = static_cast<T>(at.finite ? soft_log_det(kappa_, at.gamma, lost) : std::nan(""));
    });
  }

 private:
  // w and gamma of a huge row on a tiny set need more than a double's exponent.
  using Wide = long double;

  // The bounds of D stay an ulp inside the guarded ones, also where the rounding of T is coarser than delta; so does u0.
  void keep_apart(std::size_t j, T u0) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    const T least = std::isfinite(lower_[j]) ? std::nextafter(lower_[j], kInfinity) : lower_[j];
    const T most = std::isfinite(upper_[j]) ? std::nextafter(upper_[j], -kInfinity) : upper_[j];
    if (!(least <= u0 && u0 <= most)) {
      const auto i = static_cast<Eigen::Index>(j);
      throw NoInterior("soft_orthogonal: coordinate " + std::to_string(j) + " lies between " +
                       number_text(given_lower_[i]) + " and " + number_text(given_upper_[i]) +
                       ", too close for the precision");
    }
    smaller_lower_[j] = std::max(smaller_lower_[j], least);
    smaller_upper_[j] = std::min(smaller_upper_[j], most);
  }

  // What the kernels know of a row, in double.
  struct Place {
    bool finite = false;
    std::vector<double> p;
    std::vector<Wide> w;
    std::vector<bool> free;
    std::size_t num_free = 0;
    Wide gamma = 0;
    std::size_t active = 0;
    Wide normal = 0;  // nu at the active coordinate
  };

  // Calls body(i, place) for every row.
  template <class Body>
  void for_each_place(Rows<const T> u, const Body& body) const {
    std::vector<T> x(u.count() * dim());
    std::vector<SoftBoundsState<T>> states(u.count());
    kernels::soft_orthogonal<T>(bounds(), u, {x.data(), u.count(), dim()}, states.data());
    Place at;
    at.p.resize(dim());
    at.w.resize(dim());
    at.free.resize(dim());
    for (std::size_t i = 0; i < u.count(); ++i) {
      const SoftBoundsState<T>& state = states[i];
      at.finite = !std::isnan(state.gamma);
      at.num_free = 0;
      at.gamma = 0;
      at.normal = 0;
      at.active = 0;
      for (std::size_t j = 0; j < dim() && at.finite; ++j) {
        const Wide e = static_cast<Wide>(u[i][j]) - static_cast<Wide>(state.origin);
        const auto v = static_cast<double>(e - static_cast<Wide>(state.tau));
        const auto low = static_cast<double>(smaller_lower_[j]);
        const auto high = static_cast<double>(smaller_upper_[j]);
        at.p[j] = std::clamp(v, low, high);
        at.free[j] = v > low && v < high;
        // Equal for all free coordinates; a difference of rounded numbers would not be.
        const Wide w = at.free[j] ? static_cast<Wide>(state.tau) - static_cast<Wide>(state.center)
                                  : e - static_cast<Wide>(state.center) - at.p[j];
        at.w[j] = moves_[j] > 0 ? w : 0;
        if (at.free[j]) ++at.num_free;
        const bool rises = at.w[j] > 0;
        const Wide slack = rises ? static_cast<double>(upper_[j]) - at.p[j] : at.p[j] - static_cast<double>(lower_[j]);
        if (at.w[j] != 0 && std::abs(at.w[j]) > at.gamma * slack) {
          at.gamma = std::abs(at.w[j]) / slack;
          at.active = j;
          at.normal = (rises ? 1 : -1) / slack;
        }
      }
      body(i, at);
    }
  }

  // Whether x is strictly between the bounds, and on the hull up to rounding.
  [[nodiscard]] bool inside(std::span<const T> x) const {
    double size = 0;
    double sum = 0;
    for (const T v : x) {
      size = std::max(size, std::abs(static_cast<double>(v)));
      sum += static_cast<double>(v);
    }
    const double tolerance =
        64 * static_cast<double>(std::numeric_limits<T>::epsilon()) * static_cast<double>(dim()) * size;
    if (sum_ && !(std::abs(sum - total_) <= tolerance)) return false;
    for (std::size_t j = 0; j < dim(); ++j) {
      const auto v = static_cast<double>(x[j]);
      const auto i = static_cast<Eigen::Index>(j);
      if (moves_[j] > 0) {
        if (!(v > given_lower_[i] && v < given_upper_[i])) return false;
      } else if (!(std::abs(v - static_cast<double>(smaller_lower_[j])) <= tolerance)) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] kernels::SoftBounds<T> bounds() const noexcept {
    return {.smaller = {dim(), smaller_lower_.data(), smaller_upper_.data(), static_cast<T>(total_), guide_},
            .sum = sum_,
            .lower = lower_.data(),
            .upper = upper_.data(),
            .moves = moves_.data(),
            .count = static_cast<T>(count_),
            .fixed = static_cast<T>(fixed_),
            .kappa = static_cast<T>(kappa_)};
  }

  bool sum_;
  double total_;
  double kappa_;
  Eigen::VectorXd given_lower_;
  Eigen::VectorXd given_upper_;
  std::vector<T> lower_;
  std::vector<T> upper_;
  std::vector<T> smaller_lower_;
  std::vector<T> smaller_upper_;
  std::vector<T> moves_;
  kernels::SumGuide<T> guide_;
  std::size_t count_ = 0;
  double fixed_ = 0;
};

}  // namespace

template <class T>
LayerPtr<T> make_soft_orthogonal_coordinates(const CoordinateSet& set, const SoftOrthogonal& method,
                                             const Anchor& anchor) {
  return std::make_unique<SoftOrthogonalCoordinates<T>>(set, method, anchor);
}
template LayerPtr<float> make_soft_orthogonal_coordinates<float>(const CoordinateSet&, const SoftOrthogonal&,
                                                                 const Anchor&);
template LayerPtr<double> make_soft_orthogonal_coordinates<double>(const CoordinateSet&, const SoftOrthogonal&,
                                                                   const Anchor&);

}  // namespace softradial::layers
