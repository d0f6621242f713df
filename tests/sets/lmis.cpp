// Linear matrix inequalities.
#include <algorithm>
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
using reference::grow;
using reference::magnitude;
using reference::Point;
using reference::Precision;
using reference::Translation;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// F[0] + sum_i x_i F[i] positive definite. With A its midpoints, n x n, and `shift` at least
//   ((n + 1) eps / (1 - (n + 1) eps)) trace(A) + the largest row sum of the radii + the rounding of the shift itself,
// A - shift I having a Cholesky factor in floating point proves it (Rump, Verification of positive definiteness, BIT 46,
// 2006). The smallest pivot stands in for the slack that is reported.
class LmiConstraint final : public reference::InBothPrecisions<LmiConstraint> {
 public:
  explicit LmiConstraint(std::vector<MatrixXd> F) : InBothPrecisions(F.size() - 1), F_(std::move(F)) {}

  template <class R>
  Finding test(Point<R> x) const {
    using P = Precision<R>;
    const std::size_t n = static_cast<std::size_t>(F_.front().rows());
    std::vector<R> a(n * n);
    R trace = 0, size = 0, largest_row = 0;
    for (std::size_t i = 0; i < n; ++i) {
      R radii = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const Enclosure<R> entry = this->entry(x, Eigen::Index(i), Eigen::Index(j));
        a[i * n + j] = entry.mid;
        radii += entry.rad;
        if (i == j) {
          trace += magnitude(entry.mid);
          size += entry.size;
        }
      }
      largest_row = std::max(largest_row, radii);
    }
    const R rounding = static_cast<R>(n + 1) * P::epsilon;
    const R shift = grow<R>(rounding / (1 - rounding) * trace + largest_row + 2 * P::epsilon * trace + P::tiny);

    R smallest_pivot = size;
    bool proved = true;
    for (std::size_t k = 0; k < n && proved; ++k) {
      R pivot = a[k * n + k] - shift;
      for (std::size_t j = 0; j < k; ++j) pivot -= a[k * n + j] * a[k * n + j];
      smallest_pivot = std::min(smallest_pivot, pivot);
      proved = pivot > 0;
      if (!proved) break;
      const R root = P::sqrt(pivot);
      for (std::size_t i = k + 1; i < n; ++i) {
        R value = a[i * n + k];
        for (std::size_t j = 0; j < k; ++j) value -= a[i * n + j] * a[k * n + j];
        a[i * n + k] = value / root;
      }
    }
    return {.proved = proved, .slack = static_cast<double>(smallest_pivot / size)};
  }

 private:
  // The symmetric part of F(x).
  template <class R>
  [[nodiscard]] Enclosure<R> entry(Point<R> x, Eigen::Index i, Eigen::Index j) const {
    DotProduct<R> value;
    value.add(F_[0](i, j) / 2, Enclosure<R>(1));
    value.add(F_[0](j, i) / 2, Enclosure<R>(1));
    for (std::size_t k = 0; k < dim(); ++k) {
      value.add(F_[k + 1](i, j) / 2, x[k]);
      value.add(F_[k + 1](j, i) / 2, x[k]);
    }
    return value.value();
  }

  std::vector<MatrixXd> F_;
};

// [[1 + x, y], [y, 1 - x]] >= 0: the unit disc, with eigenvalues 1 -+ |(x, y)|.
Lmi disc() { return Lmi({mat({{1, 0}, {0, 1}}), mat({{1, 0}, {0, -1}}), mat({{0, 1}, {1, 0}})}); }

MatrixXd symmetric(unsigned seed) {
  const MatrixXd G = gaussian(4, 4, seed);
  return 0.1 * (G + G.transpose());
}

Set around(Draw& draw, const VectorXd& x0, double scale, double delta) {
  const MatrixXd G = std::sqrt(scale) * draw.matrix(3, 3);
  std::vector<MatrixXd> F = {G * G.transpose() + delta * scale * MatrixXd::Identity(3, 3)};
  for (const double coordinate : x0) {
    const MatrixXd R = draw.matrix(3, 3);
    F.push_back(R + R.transpose());
    F[0] -= coordinate * F.back();
  }
  F[0] = (F[0] + F[0].transpose()).eval() / 2;
  return Lmi(F);
}

std::vector<BadBuild> bad_builds() {
  const MatrixXd I = MatrixXd::Identity(2, 2);
  return {
      {[] { Lmi({}); }, "lmi: F has 0 matrices, at least 2 are needed"},
      {[I] { Lmi({I}); }, "lmi: F has 1 matrices, at least 2 are needed"},
      {[I] {
         Lmi({MatrixXd(0, 0), I});
       },
       "lmi: F[0] is empty"},
      {[I] {
         Lmi({I, mat({{1, 2}})});
       },
       "lmi: F[1] is 1x2, not square"},
      {[I] {
         Lmi({I, I, mat({{1}})});
       },
       "lmi: F[2] is 1x1, F[0] is 2x2"},
      {[I] {
         Lmi({I, mat({{1}})});
       },
       "lmi: F[1] is 1x1, F[0] is 2x2"},
      {[I] {
         Lmi({I, mat({{1, 0.5}, {0.25, 1}})});
       },
       "lmi: F[1] is not symmetric: F[1][0][1] is 0.5 and F[1][1][0] is 0.25"},
      {[I] {
         Lmi({I, mat({{1, 0}, {0, kNaN}})});
       },
       "lmi: F[1][1][1] is nan, not a finite number"},
  };
}

// T - x I with T = tridiag(-1, 2, -1) of this order: the smallest eigenvalue is 4 sin^2(pi / (2 (order + 1))) - x, and doubles
// alone know it to no more than 1e-16 where x is the nearest of them.
KnownSlacks next_to_an_eigenvalue(Eigen::Index order) {
  MatrixXd T = 2 * MatrixXd::Identity(order, order);
  T.diagonal(1).setConstant(-1);
  T.diagonal(-1).setConstant(-1);
  const long double root = std::sin(std::acos(-1.0L) / (2 * static_cast<long double>(order + 1)));
  const auto x = static_cast<double>(4 * root * root);
  return {Lmi({T, MatrixXd(-MatrixXd::Identity(order, order))}),
          vec({x}),
          {static_cast<double>(4 * root * root - x)},
          3e-17};
}

// The slack is the smallest eigenvalue, with the right sign next to the boundary: 1 - |(x, x)| for |(x, x)| just below and
// just above 1. Where F(x) overflows it is not a number.
std::vector<KnownSlacks> slacks() {
  const double inside = std::sqrt(0.5) - 2e-16;
  const double outside = std::sqrt(0.5) + 2e-16;
  const auto exact = [](double x) { return static_cast<double>(1 - std::sqrt(2.0L) * static_cast<long double>(x)); };
  return {{disc(), vec({0.3, 0.4}), {0.5}, 1e-15},
          {disc(), vec({3, 4}), {-4}, 1e-14},
          {disc(), vec({inside, inside}), {exact(inside)}, 1e-18},
          {disc(), vec({outside, outside}), {exact(outside)}, 1e-18},
          next_to_an_eigenvalue(60),
          {Lmi({mat({{1}}), mat({{1e300}})}), vec({1e300}), {kNaN}}};
}

Specimen lmi() {
  const MatrixXd I = MatrixXd::Identity(2, 2);
  const MatrixXd J = mat({{1, 0}, {0, -1}});
  const MatrixXd K = mat({{0, 1}, {1, 0}});
  Specimen s{.type = "lmi"};
  s.zoo = {{"lmi_disc", disc()},
           {"lmi_elliptope", elliptope()},
           {"lmi_unbounded", Lmi({MatrixXd(0.7 * MatrixXd::Identity(4, 4)), symmetric(3),
                                  MatrixXd(vec({1, 0.1, 0.5, 0}).asDiagonal())})}};
  s.exemplars = {"lmi_elliptope"};
  s.recessions = {{"lmi_unbounded", vec({0, 1}), 1e-13}};
  s.far_away = {{"lmi", Lmi({MatrixXd(0.1 * I - 100 * J + 70.3 * K), J, K})}};
  s.without_interior = {Lmi({mat({{1, 0}, {0, 0}}), K})};
  s.empty = {Lmi({-I, J})};
  s.around = around;
  s.forms = {{R"({"type": "lmi", "F": [[[1, 0], [0, 1]], [[1, 0], [0, 1]]]})", Lmi({I, I})}};
  s.written = {{"lmi", Lmi({I, mat({{2, 0.5}, {0.5, 1}}), K})}};
  s.lines = {{Lmi({I, I, I}), "lmi(F=[3 matrices, 2x2])"}};
  s.bad_builds = bad_builds();
  s.bad_json = {
      {R"({"type": "lmi", "F": [[[1, 0], [0, 1]], [[0, 1], [2, 0]]]})",
       "lmi: F[1] is not symmetric: F[1][0][1] is 1 and F[1][1][0] is 2"},
      {R"({"type": "lmi", "F": [[], []]})", "lmi: F[0] is empty"},
      {R"({"type": "lmi", "F": [[[1]], [[1, 2], [3]]]})", "F[1][1]: expected 2 numbers as in the first row, got 1"},
      {R"({"type": "lmi", "F": [[[1]]]})", "lmi: F has 1 matrices, at least 2 are needed"},
  };
  s.slacks = slacks();
  s.constraints = {{disc(), {"lmi"}, {}, {}, false}};
  s.gauges = {{"lmi", disc(), vec({0, 0}), {{vec({3, 4}), 5, vec({0.6, 0.8})}, {vec({-2, 0}), 2, vec({-1, 0})}}}};
  s.barriers = {{"lmi",
                 Lmi({mat({{2, 0.1, 0}, {0.1, 2, 0.3}, {0, 0.3, 1}}), mat({{1, 0.2, 0}, {0.2, -1, 0.5}, {0, 0.5, 0.3}}),
                      mat({{0, 1, 0.4}, {1, 0, 0}, {0.4, 0, -0.7}})}),
                 vec({0.5, -0.25}), vec({30, 40})}};
  s.exact = [](const Translation& t) -> ConstraintPtr {
    return std::make_unique<LmiConstraint>(t.field<std::vector<MatrixXd>>("F"));
  };
  s.boundary_points = {{"lmi", Lmi({5 * I, J, K}), {3, 4}, 1, false}};
  return s;
}

}  // namespace

Set elliptope() {
  return Lmi({MatrixXd::Identity(3, 3), mat({{0, 1, 0}, {1, 0, 0}, {0, 0, 0}}), mat({{0, 0, 1}, {0, 0, 0}, {1, 0, 0}}),
              mat({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}})});
}

std::vector<Specimen> lmi_specimens() { return {lmi()}; }

}  // namespace softradial::support
