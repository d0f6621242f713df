#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "builders.hpp"
#include "kernels/mirror_kernels.hpp"
#include "option_checks.hpp"
#include "sets/number_text.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets/combinators.hpp"
#include "softradial/sets/coordinates.hpp"
#include "strict_bounds.hpp"

// docs/math/mirror.md has the formulas and their proofs.
namespace softradial::layers {
namespace {

// Share of the width that the guard keeps free above a lower bound of 0. Numbers are fine there: this is far below anything
// that rounds, and a share can fall to it. At other bounds the guard is the next number.
template <class T>
inline constexpr double kTail = 0x1p-64;
template <>
inline constexpr double kTail<double> = 0x1p-512;

// log(1 + exp(z)), without overflow.
double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

// The distance of x to a guarded bound. A point on the bound, or in the shell that the guard leaves out, counts as the
// outermost point: half an ulp away.
template <class T>
double distance(T x, T bound, T inwards) {
  const double ulp = std::abs(static_cast<double>(std::nextafter(bound, inwards)) - static_cast<double>(bound));
  return std::max(std::abs(static_cast<double>(x) - static_cast<double>(bound)), ulp / 2);
}

// A coordinate of a box with one open side or two. With a lower bound alone and y = (u - lower) / T,
//   x = lower + T log(1 + exp(y)) = max(u, lower) + T log(1 + exp(-|y|)),
// nearly the identity above the bound. For an upper bound alone it is mirrored; x = u if there is no bound.
template <class T>
class OpenCoordinate {
 public:
  OpenCoordinate(std::size_t index, double lower, double upper, double temperature)
      : index_(index),
        side_(std::isfinite(lower)   ? 1
              : std::isfinite(upper) ? -1
                                     : 0),
        bound_(side_ > 0   ? strictly_above<T>(lower, kTail<T> * temperature)
               : side_ < 0 ? strictly_below<T>(upper, kTail<T> * temperature)
                           : T{0}),
        given_(side_ > 0 ? lower : upper),
        temperature_(temperature) {}

  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  [[nodiscard]] T project(T u) const noexcept {
    if (side_ == 0) return u;
    const T room = static_cast<T>(temperature_ * std::log1p(std::exp(-std::abs(steps(u)))));
    return side_ > 0 ? std::max(u, bound_) + room : std::min(u, bound_) - room;
  }
  // dx/du and its logarithm.
  [[nodiscard]] T slope(T u) const noexcept { return static_cast<T>(std::exp(log_slope(u))); }
  [[nodiscard]] double log_slope(T u) const noexcept { return side_ == 0 ? 0 : -softplus(-side_ * steps(u)); }
  // NaN for x outside the bound.
  [[nodiscard]] T inverse(T x) const noexcept {
    if (side_ == 0) return x;
    if (!(side_ * (static_cast<double>(x) - given_) > 0)) return std::numeric_limits<T>::quiet_NaN();
    const double y = distance(x, bound_, static_cast<T>(side_) * std::numeric_limits<T>::infinity()) / temperature_;
    return static_cast<T>(static_cast<double>(x) + side_ * temperature_ * std::log(-std::expm1(-y)));
  }

 private:
  [[nodiscard]] double steps(T u) const noexcept {
    return (static_cast<double>(u) - static_cast<double>(bound_)) / temperature_;
  }

  std::size_t index_;
  int side_;  // 1: a lower bound, -1: an upper one, 0: none
  T bound_;
  double given_;
  double temperature_;
};

template <class T>
class MirrorLayer final : public Layer<T> {
 public:
  MirrorLayer(const CoordinateSet& set, double temperature)
      : given_lower_(set.lower()),
        given_upper_(set.upper()),
        total_(set.total()),
        temperature_(temperature),
        closed_(!set.total() || std::isfinite(set.upper()[0])) {
    const double total = set.total().value_or(0);
    // If the caps sum to the total, up to their rounding, there is only one point.
    if (total_ && closed_ && given_upper_.sum() <= total * (1 + 2 * std::numeric_limits<double>::epsilon())) {
      given_lower_ = given_upper_;
    }
    for (std::size_t j = 0; j < set.dim(); ++j) {
      const double low = given_lower_[static_cast<Eigen::Index>(j)];
      const double high = given_upper_[static_cast<Eigen::Index>(j)];
      if (low == high) {
        add(static_cast<T>(low), static_cast<T>(low), T{0});
      } else if (!std::isfinite(low) || (closed_ && !std::isfinite(high))) {
        open_.emplace_back(j, low, high, temperature);
        add(T{0}, T{0}, T{0});
        free_.push_back(j);
      } else {
        add_free(j, low, high, total);
      }
    }
    if (set.total()) set_goal(total);
  }

  [[nodiscard]] std::size_t dim() const noexcept override { return lower_.size(); }

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    std::vector<T> scratch(dim());
    const std::size_t steps = kernels::mirror<T>(bounds(), u, x, scratch.data(), nullptr);
    for_each_open(u, [&](std::size_t i, const OpenCoordinate<T>& at) {
      if (!std::isnan(x.row(i)[0])) x.row(i)[at.index()] = at.project(u.row(i)[at.index()]);
    });
    return steps;
  }
  void project_vjp(Rows<const T> u, Rows<const T> x, Rows<const T>, Rows<const T> grad_x,
                   Rows<T> grad_u) const override {
    kernels::mirror_vjp<T>(bounds(), x, grad_x, grad_u);
    for_each_open(u, [&](std::size_t i, const OpenCoordinate<T>& at) {
      const std::size_t j = at.index();
      grad_u.row(i)[j] = at.slope(u.row(i)[j]) * grad_x.row(i)[j];
    });
  }
  // The Jacobian is symmetric, so that this is the VJP.
  void project_jvp(Rows<const T> u, Rows<const T> tangent_u, Rows<T> tangent_x) const override {
    std::vector<T> points(u.count() * dim());
    const Rows<T> x(points.data(), u.count(), dim());
    project(u, x, {});
    project_vjp(u, x, {}, tangent_u, tangent_x);
  }

  void inverse(Rows<const T> x, Rows<T> u) const override {
    for (std::size_t i = 0; i < x.count(); ++i) {
      if (!invert(x[i], u[i])) std::fill_n(u.row(i), u.dim(), std::numeric_limits<T>::quiet_NaN());
    }
  }

  // With log a_j = log width_j + log share_j': sum_j (log a_j - log T); a sum takes the direction (1, ..., 1) out:
  // + log T - log(sum_j a_j / n), n the number of coordinates that are not fixed.
  void log_abs_det(Rows<const T> u, std::span<T> out) const override {
    std::vector<T> scratch(dim());
    std::vector<T> points(dim());
    std::vector<double> logs(free_.size());
    T shift[2] = {};
    for (std::size_t i = 0; i < u.count(); ++i) {
      const Rows<T> x(points.data(), 1, dim());
      kernels::mirror<T>(bounds(), u.slice(i, 1), x, scratch.data(), shift);
      if (std::isnan(points[0])) {
        out[i] = points[0];
        continue;
      }
      double sum = 0;
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < free_.size(); ++k) {
        const std::size_t j = free_[k];
        const double distance = static_cast<double>(u.row(i)[j]) - static_cast<double>(shift[0]);
        const double z = distance / temperature_ - static_cast<double>(shift[1]);
        const double log_slope = closed_ ? -softplus(z) - softplus(-z) : z;
        logs[k] = width_[j] > 0 ? std::log(static_cast<double>(width_[j])) + log_slope - std::log(temperature_) : 0;
        sum += logs[k];
        most = std::max(most, logs[k]);
      }
      for (const OpenCoordinate<T>& at : open_) sum += at.log_slope(u.row(i)[at.index()]);
      if (total_ && !free_.empty()) {
        double mean = 0;
        for (const double each : logs) mean += std::exp(each - most) / static_cast<double>(free_.size());
        sum -= most + std::log(mean);
      }
      out[i] = static_cast<T>(sum);
    }
  }

 private:
  void add(T low, T high, T width) {
    lower_.push_back(low);
    upper_.push_back(high);
    width_.push_back(width);
    reciprocal_.push_back(width > 0 ? 1 / width : T{0});
  }

  // The exponential of an open side has the scale total / n, an equal share of the total.
  void add_free(std::size_t j, double low, double high, double total) {
    const T inside_low = strictly_above<T>(low, kTail<T> * (closed_ ? high - low : total));
    const T inside_high = closed_ ? strictly_below<T>(high) : std::numeric_limits<T>::max();
    const T width =
        closed_ ? inside_high - inside_low : static_cast<T>(total / static_cast<double>(given_lower_.size()));
    if (!(std::nextafter(inside_low, inside_high) < inside_high)) {
      throw NoInterior("mirror: coordinate " + std::to_string(j) + " lies between " + number_text(low) + " and " +
                       number_text(high) + ", too close for the precision");
    }
    if (!std::isfinite(width)) {
      throw InvalidSet("mirror: coordinate " + std::to_string(j) + " has the width " + number_text(high - low) +
                       ", too large for the precision");
    }
    free_.push_back(j);
    add(inside_low, inside_high, width);
  }

  void set_goal(double total) {
    double goal = static_cast<double>(static_cast<T>(total));
    double room = 0;
    for (std::size_t j = 0; j < dim(); ++j) {
      goal -= static_cast<double>(lower_[j]);
      room += static_cast<double>(width_[j]);
    }
    if (!free_.empty() && !(goal > 0 && (!closed_ || goal < room))) {
      throw NoInterior("mirror: the sum " + number_text(total) +
                       " leaves the coordinates no room between their bounds in this precision");
    }
    goal_ = static_cast<T>(goal);
    room_ = static_cast<T>(room);
    level_ = closed_ && !free_.empty() ? static_cast<T>(std::log(goal / (room - goal))) : T{0};
  }

  [[nodiscard]] kernels::MirrorBounds<T> bounds() const noexcept {
    return {.dim = dim(),
            .lower = lower_.data(),
            .upper = upper_.data(),
            .width = width_.data(),
            .reciprocal = reciprocal_.data(),
            .inverse_temperature = static_cast<T>(1 / temperature_),
            .closed = closed_,
            .sum = total_.has_value() && !free_.empty(),
            .goal = goal_,
            .room = room_,
            .level = level_};
  }

  template <class Body>
  void for_each_open(Rows<const T> u, const Body& body) const {
    for (std::size_t i = 0; i < u.count() && !open_.empty(); ++i) {
      for (const OpenCoordinate<T>& at : open_) body(i, at);
    }
  }

  // u_j = T z_j + c with z_j = log(x_j - lower_j) - log(upper_j - x_j). The second logarithm is there only if there is an upper
  // side; c comes from the sum, so that u lies on the hull. False if x is not inside, or off the hull by more than rounding.
  [[nodiscard]] bool invert(std::span<const T> x, std::span<T> u) const {
    const double ulp = std::numeric_limits<T>::epsilon();
    double size = 0;
    double sum = 0;
    for (const T v : x) {
      size = std::max(size, std::abs(static_cast<double>(v)));
      sum += static_cast<double>(v);
    }
    const double tolerance = 64 * ulp * static_cast<double>(dim()) * size;
    if (total_ && !(std::abs(sum - *total_) <= tolerance)) return false;
    double rest = total_.value_or(0);
    std::vector<double> z(dim());
    for (std::size_t j = 0; j < dim(); ++j) {
      const double low = given_lower_[static_cast<Eigen::Index>(j)];
      const double high = given_upper_[static_cast<Eigen::Index>(j)];
      if (low == high) {
        if (!(std::abs(static_cast<double>(x[j]) - low) <= tolerance)) return false;
        z[j] = low;
        rest -= low;
        continue;
      }
      if (!(static_cast<double>(x[j]) > low && static_cast<double>(x[j]) < high)) return false;
      if (width_[j] == 0) continue;
      z[j] = std::log(distance(x[j], lower_[j], upper_[j]) / static_cast<double>(width_[j]));
      if (closed_) z[j] -= std::log(distance(x[j], upper_[j], lower_[j]) / static_cast<double>(width_[j]));
      z[j] *= temperature_;
      rest -= z[j];
    }
    const double shift = total_ && !free_.empty() ? rest / static_cast<double>(free_.size()) : 0;
    for (std::size_t j = 0; j < dim(); ++j) u[j] = static_cast<T>(z[j]);
    for (const std::size_t j : free_) u[j] = static_cast<T>(z[j] + shift);
    for (const OpenCoordinate<T>& at : open_) u[at.index()] = at.inverse(x[at.index()]);
    return std::none_of(u.begin(), u.end(), [](T v) { return std::isnan(v); });
  }

  Eigen::VectorXd given_lower_;
  Eigen::VectorXd given_upper_;
  std::optional<double> total_;
  double temperature_;
  bool closed_;  // whether the upper sides of a set with a sum are closed: all or none
  std::vector<T> lower_;
  std::vector<T> upper_;
  std::vector<T> width_;
  std::vector<T> reciprocal_;
  std::vector<std::size_t> free_;  // coordinates that are not fixed
  std::vector<OpenCoordinate<T>> open_;
  T goal_ = 0;
  T room_ = 0;
  T level_ = 0;
};

// The mirror map of a product, block by block.
template <class T>
class MirrorProduct final : public Layer<T> {
 public:
  MirrorProduct(std::size_t dim, std::vector<LayerPtr<T>> parts) : dim_(dim), parts_(std::move(parts)) {}
  [[nodiscard]] std::size_t dim() const noexcept override { return dim_; }

  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    std::size_t steps = 0;
    for_each_part([&](const Layer<T>& part, auto of) { steps += part.project(of(u), of(x), {}); });
    return steps;
  }
  void project_vjp(Rows<const T> u, Rows<const T> x, Rows<const T>, Rows<const T> grad_x,
                   Rows<T> grad_u) const override {
    for_each_part([&](const Layer<T>& part, auto of) { part.project_vjp(of(u), of(x), {}, of(grad_x), of(grad_u)); });
  }
  void project_jvp(Rows<const T> u, Rows<const T> tangent_u, Rows<T> tangent_x) const override {
    for_each_part([&](const Layer<T>& part, auto of) { part.project_jvp(of(u), of(tangent_u), of(tangent_x)); });
  }
  // If one block gives NaN, the whole row has no inverse.
  void inverse(Rows<const T> x, Rows<T> u) const override {
    for_each_part([&](const Layer<T>& part, auto of) { part.inverse(of(x), of(u)); });
    for (std::size_t i = 0; i < u.count(); ++i) {
      if (std::any_of(u.row(i), u.row(i) + u.dim(), [](T v) { return std::isnan(v); })) {
        std::fill_n(u.row(i), u.dim(), std::numeric_limits<T>::quiet_NaN());
      }
    }
  }
  void log_abs_det(Rows<const T> u, std::span<T> out) const override {
    std::fill(out.begin(), out.end(), T{0});
    std::vector<T> of_part(out.size());
    for_each_part([&](const Layer<T>& part, auto of) {
      part.log_abs_det(of(u), of_part);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += of_part[i];
    });
  }

 private:
  // Calls body(part, of) for every part; of(rows) are the part's columns.
  template <class Body>
  void for_each_part(const Body& body) const {
    std::size_t first = 0;
    for (const LayerPtr<T>& part : parts_) {
      body(*part, [&](auto rows) { return rows.columns(first, part->dim()); });
      first += part->dim();
    }
  }

  std::size_t dim_;
  std::vector<LayerPtr<T>> parts_;
};

}  // namespace

template <class T>
LayerPtr<T> make_mirror(const Set& set, const Mirror& method) {
  require_invertible<T>("temperature", method.temperature);
  if (const auto* coordinates = dynamic_cast<const CoordinateSet*>(&*set)) {
    return std::make_unique<MirrorLayer<T>>(*coordinates, method.temperature);
  }
  if (const auto* product = dynamic_cast<const Product*>(&*set)) {
    std::vector<LayerPtr<T>> parts;
    for (const Set& part : product->parts()) parts.push_back(make_mirror<T>(part, method));
    return std::make_unique<MirrorProduct<T>>(set.dim(), std::move(parts));
  }
  reject_set("mirror", "boxes, simplices, capped simplices and products of these", set);
}
template LayerPtr<float> make_mirror<float>(const Set&, const Mirror&);
template LayerPtr<double> make_mirror<double>(const Set&, const Mirror&);

}  // namespace softradial::layers
