#include "roomy_points.hpp"

#include <tuple>
#include <utility>

namespace softradial::ops {
namespace {

constexpr int kRounds = 8;
constexpr int kStepsOfRound = 5;
constexpr int kLineSteps = 2;
constexpr double kLeastSpread = 0.1;  // least spread of the near rows, relative to their distance
constexpr double kSpread = 6;         // spread of the rows divided by tau
constexpr double kLongestChange = 2;  // largest change of d / tau by a step along the line
constexpr double kEnough = 0.25;      // share of the near rows' distance that counts as room
constexpr double kFlat = 0.2;         // gradient that counts as flat
constexpr double kThinnest = 1e-9;  // distance, relative to the size of the point: nearer ones are for the exact search
constexpr double kRidge = 1e-9;     // ridge of the preconditioner, relative to its mean
constexpr double kNoQuotient = 1e-300;
constexpr double kNoQuotientFloat = 1e-30;

// Scales the rows to norm 1; rows of norm 0 stay as they are.
Reduced unit_rows(const Reduced& problem) {
  const at::Tensor norms = (problem.G * problem.G).sum(-1).sqrt();
  const at::Tensor safe = at::where(norms > 0, norms, at::ones_like(norms));
  return {problem.G / safe.unsqueeze(-1), problem.h / safe, problem.origin, problem.Z};
}

// Climbs for some of the samples. Each round begins with distances in double; its steps run in float, in units of tau.
class Climb {
 public:
  Climb(Reduced unit, const at::Tensor& from) : rows_(std::move(unit)), narrow_(rows_) {
    const at::Tensor mean = rows_.gram(at::full({1, rows_.h.size(1)}, 1 / count(), from.options()));
    const at::Tensor ridge = kRidge * mean.diagonal(0, -2, -1).mean(-1, true).unsqueeze(-1);
    inverse_ = at::linalg_inv(mean + (ridge + kNoQuotient) * at::eye(from.size(1), from.options()));
    narrow_.G = rows_.G.to(at::kFloat);
    narrow_inverse_ = inverse_.to(at::kFloat);
    y = from;
    distances_ = rows_.h - rows_.times_rows(y);
    begin_between_rows();
    weights_ = at::full_like(distances_, 1 / count());
  }

  // All steps at one value of tau.
  void round() {
    const at::Tensor mean = near();
    const at::Tensor tau = (at::maximum(mean - smallest(), kLeastSpread * mean.abs()) / kSpread).clamp_min(kNoQuotient);
    at::Tensor distances = (distances_ / tau).to(at::kFloat);
    at::Tensor moved;
    at::Tensor direction;
    at::Tensor last_gradient;
    at::Tensor last_length;
    for (int i = 0; i < kStepsOfRound; ++i) {
      const at::Tensor gradient = narrow_.times_columns(at::softmax(-distances, -1));
      const at::Tensor uphill = times(narrow_inverse_, gradient);
      const at::Tensor length = (uphill * gradient).sum(-1, true);
      if (!direction.defined()) {
        direction = -uphill;
      } else {
        const at::Tensor change = (uphill * (gradient - last_gradient)).sum(-1, true);
        direction = (change / last_length.clamp_min(kNoQuotientFloat)).clamp_min(0) * direction - uphill;
      }
      last_gradient = gradient;
      last_length = length;
      const at::Tensor slope = narrow_.times_rows(direction);
      const at::Tensor step = along(slope, distances);
      moved = moved.defined() ? moved + step * direction : step * direction;
      distances = distances - step * slope;
    }
    y = y + tau * moved;
    distances_ = rows_.h - rows_.times_rows(y);
    weights_ = at::softmax(-distances_ / tau, -1);
  }

  [[nodiscard]] at::Tensor roomy() const {
    const at::Tensor least = smallest();
    const at::Tensor flat = rows_.times_columns(weights_).norm(2, -1, true) <= kFlat;
    const at::Tensor thick = least > kThinnest * (1 + y.abs().amax(-1, true));
    return (least >= kEnough * near()).logical_and(flat).logical_and(thick).squeeze(-1);
  }

  void keep(const at::Tensor& those) {
    rows_ = rows_.select(those);
    narrow_ = narrow_.select(those);
    if (narrow_inverse_.size(0) > 1) narrow_inverse_ = narrow_inverse_.index_select(0, those);
    y = y.index_select(0, those);
    distances_ = distances_.index_select(0, those);
    weights_ = weights_.index_select(0, those);
  }

  at::Tensor y;  // (B, k)

 private:
  [[nodiscard]] double count() const { return static_cast<double>(rows_.h.size(1)); }
  // (B, 1)
  [[nodiscard]] at::Tensor near() const { return (weights_ * distances_).sum(-1, true); }
  [[nodiscard]] at::Tensor smallest() const { return distances_.amin(-1, true); }
  // matrix: (1 or B, k, k), symmetric; v: (B, k)
  [[nodiscard]] static at::Tensor times(const at::Tensor& matrix, const at::Tensor& v) {
    return matrix.size(0) == 1 ? v.matmul(matrix[0]) : matrix.matmul(v.unsqueeze(-1)).squeeze(-1);
  }

  // The point that is equally far from all rows, in least squares: d ~ t 1 + G x. It follows a set that was moved or scaled.
  // Used where it lies deeper inside than the start.
  void begin_between_rows() {
    const auto fit = [&](const at::Tensor& d) { return times(inverse_, rows_.times_columns(d)) / count(); };
    const at::Tensor one = at::ones({1, rows_.h.size(1)}, y.options()).expand_as(distances_);
    const at::Tensor rest = one - rows_.times_rows(fit(one));
    const at::Tensor t = (distances_ * rest).sum(-1, true) / rest.sum(-1, true).clamp_min(kNoQuotient);
    const at::Tensor x = fit(distances_ - t);
    const at::Tensor moved = distances_ - rows_.times_rows(x);
    const at::Tensor better = moved.amin(-1, true) > smallest();
    y = at::where(better, y + x, y);
    distances_ = at::where(better, moved, distances_);
  }

  // The step length that raises phi most along distances - step slope, by Newton's method, in units of tau.
  [[nodiscard]] static at::Tensor along(const at::Tensor& slope, const at::Tensor& distances) {
    const at::Tensor most = kLongestChange / slope.abs().amax(-1, true).clamp_min(kNoQuotientFloat);
    at::Tensor step = at::zeros_like(most);
    for (int i = 0; i < kLineSteps; ++i) {
      const at::Tensor weighted = at::softmax(step * slope - distances, -1) * slope;
      const at::Tensor first = weighted.sum(-1, true);
      const at::Tensor second = (weighted * slope).sum(-1, true) - first * first;
      step = step + at::minimum(at::maximum(-first / second.clamp_min(kNoQuotientFloat), -most), most);
    }
    return step;
  }

  Reduced rows_;
  Reduced narrow_;             // G in float
  at::Tensor inverse_;         // (1 or B, k, k)
  at::Tensor narrow_inverse_;  // in float
  at::Tensor distances_;       // (B, m)
  at::Tensor weights_;         // p
};

}  // namespace

RoomyPoints roomy_points(const Reduced& problem, const at::Tensor& from) {
  Climb climb(unit_rows(problem), from);
  at::Tensor y = from;
  at::Tensor found = at::zeros({from.size(0)}, from.options().dtype(at::kBool));
  at::Tensor open = at::arange(from.size(0), from.options().dtype(at::kLong));
  for (int i = 0; i <= kRounds && open.size(0) > 0; ++i) {
    if (i > 0) climb.round();
    const at::Tensor roomy = climb.roomy();
    y = y.index_copy(0, open, climb.y);
    found = found.index_copy(0, open, roomy);
    const at::Tensor rest = roomy.logical_not().nonzero().squeeze(-1);
    if (rest.size(0) == open.size(0)) continue;
    climb.keep(rest);
    open = open.index_select(0, rest);
  }
  return {y, found};
}

}  // namespace softradial::ops
