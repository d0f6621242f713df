// u -> x -> u over the whole range of the methods' numbers: epsilon from 1e-6 to 0.9, lambda from 1e-3 to 1e3, distances from
// 1e-6 to 1e3, in every set of the zoo, in both precisions.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "profile.hpp"
#include "softradial/projection.hpp"
#include "softradial/sets.hpp"
#include "support/batch.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using support::Batch;
using support::NamedSet;
using support::RandomPoints;

constexpr Contraction kContractions[] = {Contraction::rational, Contraction::exponential, Contraction::hyperbolic};
constexpr double kEpsilons[] = {1e-6, 1e-5, 1e-4, 1e-3, 4e-3, 0.03, 0.2, 0.9};
constexpr double kLambdas[] = {1e-3, 1e-2, 0.1, 0.5, 1, 10, 100, 1e3};

// The contraction and its elasticity from their definitions, in extended precision: with z = rho / lambda,
//   r = epsilon + (1 - epsilon) c(z),   2 rho r' / r = 2 z (1 - epsilon) c'(z) / r.
struct Curve {
  long double value;  // c(z)
  long double slope;  // c'(z)
};

Curve curve(Contraction kind, long double z) {
  switch (kind) {
    case Contraction::rational:
      return {z / (1 + z), 1 / ((1 + z) * (1 + z))};
    case Contraction::exponential:
      return {-std::expm1(-z), std::exp(-z)};
    case Contraction::hyperbolic:
      return {std::tanh(z), 1 / (std::cosh(z) * std::cosh(z))};
  }
  return {};
}

long double contraction(const SoftRadial& m, long double rho) {
  return m.epsilon + (1 - static_cast<long double>(m.epsilon)) * curve(m.contraction, rho / m.lambda).value;
}

// e_radial = d log|x - u0| / d log|u - u0| along the ray of u, and phi = |x - u0| / |u - u0|.
struct Radial {
  double e_radial;
  double phi;
};

Radial radial(const SoftRadial& m, double rho, double gamma) {
  const long double z = static_cast<long double>(rho) / m.lambda;
  const long double r = contraction(m, rho);
  const auto elasticity =
      static_cast<double>(2 * z * (1 - static_cast<long double>(m.epsilon)) * curve(m.contraction, z).slope / r);
  return {gamma > 1 ? elasticity : 1 + elasticity, static_cast<double>(r) / std::max(1.0, gamma)};
}

Radial radial(const GaugeMap& m, double, double gamma) {
  const long double z = static_cast<long double>(gamma) / m.lambda;
  if (!(z > 0)) return {1, 1 / m.lambda};
  const Curve c = curve(m.contraction, z);
  return {static_cast<double>(z * c.slope / c.value), static_cast<double>(c.value) / gamma};
}

std::string words(const SoftRadial& m) {
  std::ostringstream out;
  out << "soft radial, contraction " << static_cast<int>(m.contraction) << ", lambda " << m.lambda << ", epsilon "
      << m.epsilon;
  return out.str();
}

std::string words(const GaugeMap& m) {
  std::ostringstream out;
  out << "gauge map, contraction " << static_cast<int>(m.contraction) << ", lambda " << m.lambda;
  return out.str();
}

// The scale t = |u - u0| / |x - u0| of a point x inside solves t r(t^2 s) = 1. It has one root in [1, 1 / epsilon].
long double inside_scale_by_bisection(const SoftRadial& m, double s) {
  long double low = 1;
  long double high = 1 / static_cast<long double>(m.epsilon);
  for (int i = 0; i < 160; ++i) {
    const long double middle = std::sqrt(low) * std::sqrt(high);
    (middle * contraction(m, middle * middle * s) < 1 ? low : high) = middle;
  }
  return low;
}

// d log t / d log s = -elasticity / 2 / (1 + elasticity): at most 1/3. What is left are the roundings of r and of t r.
TEST(InverseScale, InsideIsTheRootToAFewUlp) {
  constexpr double kTolerance = 4 * std::numeric_limits<double>::epsilon();
  for (const Contraction kind : kContractions) {
    for (double log_epsilon = -300; log_epsilon < 0; log_epsilon += log_epsilon < -12 ? 9.7 : 0.37) {
      const SoftRadial method{kind, 0.5, std::pow(10.0, log_epsilon)};
      for (double log_s = -300; log_s < 12; log_s += log_s < -24 ? 3.1 : 0.071) {
        const double s = std::pow(10.0, log_s);
        const auto expected = static_cast<double>(inside_scale_by_bisection(method, s));
        ASSERT_NEAR(inverse_scale(method, s, 0.0) / expected, 1, kTolerance) << words(method) << ", s = " << s;
      }
    }
  }
}

TEST(InverseScale, ExtremeSizesHaveAnAnswer) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
  for (const Contraction kind : kContractions) {
    for (const double lambda : {1e-300, 1e-3, 1e3, 1e300}) {
      for (const double epsilon : {1e-6, 0.5, 1 - 1e-16}) {
        const SoftRadial method{kind, lambda, epsilon};
        EXPECT_DOUBLE_EQ(inverse_scale(method, 0.0, 0.0), 1 / epsilon) << words(method);
        EXPECT_DOUBLE_EQ(inverse_scale(method, kInfinity, 0.0), 1) << words(method);
        for (const double s : {kSmallest, 1e-308, 1e-150, 1e150, std::numeric_limits<double>::max()}) {
          const double t = inverse_scale(method, s, 0.0);
          EXPECT_GE(t, 1 - 1e-15) << words(method) << ", s = " << s;
          EXPECT_LE(t, (1 + 1e-15) / epsilon) << words(method) << ", s = " << s;
        }
      }
    }
    // 1 / epsilon overflows, epsilon lambda underflows: no true answer is left, but there is a finite one.
    for (const double s : {0.0, kSmallest, 1.0, kInfinity}) {
      EXPECT_TRUE(std::isfinite(inverse_scale(SoftRadial{kind, 1, kSmallest}, s, 0.0))) << s;
      EXPECT_TRUE(std::isfinite(inverse_scale(SoftRadial{kind, kSmallest, 0.01}, s, 0.0))) << s;
    }
  }
}

// Outside, r(t^2 s) = eta. An error of eta is magnified by 1 / elasticity, whatever epsilon is: where epsilon is small and eta
// near it, that is a few, although r has hardly left epsilon.
TEST(InverseScale, OutsideIsTheRootToItsConditioning) {
  for (const Contraction kind : kContractions) {
    for (const double epsilon : kEpsilons) {
      const SoftRadial method{kind, 10, epsilon};
      for (double log_rho = -9; log_rho < 2; log_rho += 0.13) {
        const double rho = std::pow(10.0, log_rho);
        const auto eta = static_cast<double>(contraction(method, rho));
        if (!(eta < 1)) continue;  // the boundary: every rho from here on
        // A set so small that u is far outside.
        const double s = 1e-6 * eta * eta * rho;
        const double magnified = 1 / radial(method, rho, 2).e_radial;
        ASSERT_NEAR(inverse_scale(method, s, eta) / std::sqrt(rho / s), 1,
                    4 * std::numeric_limits<double>::epsilon() * (1 + magnified))
            << words(method) << ", rho = " << rho;
      }
    }
  }
}

// Rows at all distances from the anchor, one random direction of the hull each; what the laws need to know of them.
template <class T>
struct Rays {
  Batch<T> u;
  std::vector<Eigen::VectorXd> d;  // u - u0 on the hull
  std::vector<double> gamma;       // guarded
};

template <class T>
class RoundTrips {
 public:
  explicit RoundTrips(const Set& set)
      : set_(set),
        anchor_(require_anchor(set)),
        u0_(anchor_.point.cast<T>().template cast<double>()),
        gauge_(set->gauge<T>({u0_, anchor_.hull})),
        rays_(make_rays()) {}

  template <class M>
  void check(const M& method) {
    const Evaluator<T> evaluator(set_, anchor_, method, 1);
    Workspace<T> workspace(evaluator);
    const Batch<T>& u = rays_.u;
    Batch<T> x(u.count(), u.dim()), back(u.count(), u.dim()), again(u.count(), u.dim());
    evaluator.project(u.view(), x.rows(), workspace);
    evaluator.inverse(x.view(), back.rows(), workspace);
    evaluator.project(back.view(), again.rows(), workspace);
    for (std::size_t i = 0; i < u.count(); ++i) {
      const std::string failure = judge(method, i, x, back, again);
      // One row of a method is enough to read.
      if (!failure.empty()) {
        ADD_FAILURE() << words(method) << ": " << failure << "\n  u    = " << u.get(i).transpose()
                      << "\n  x    = " << x.get(i).transpose() << "\n  back = " << back.get(i).transpose();
        return;
      }
    }
  }

  // The part of the rows whose x still holds information on u: what both laws were checked on. All of double's rows but
  // those far out, where x is the boundary to the last bit; most of float's are such. Nothing is promised for sets that are
  // hardly larger than the resolution of their anchor.
  [[nodiscard]] double known_part() const noexcept { return static_cast<double>(known_) / static_cast<double>(count_); }
  [[nodiscard]] double least_known_part() const noexcept {
    const double resolution = kRoundings * kUlp * gauge_->lipschitz() * u0_.norm();
    return resolution > 0.01 ? 0 : std::is_same_v<T, double> ? 0.7 : 0.15;
  }

 private:
  static constexpr double kUlp = std::numeric_limits<T>::epsilon();
  // Sums over up to 50 coordinates, products with matrices, a gauge's root or eigenvalue: each a few ulp.
  static constexpr double kRoundings = 64;

  [[nodiscard]] Rays<T> make_rays() const {
    constexpr int kPerDecade = 5;
    constexpr int kDecades = 9;
    constexpr std::size_t kRows = kPerDecade * kDecades + 1;
    RandomPoints random(20240811);
    const auto dim = static_cast<std::size_t>(u0_.size());
    Rays<T> rays{Batch<T>(kRows, dim), {}, {}};
    const Eigen::MatrixXd& normals = anchor_.hull.normals;
    Batch<T> directions(kRows, dim);
    for (std::size_t i = 0; i < kRows; ++i) {
      const double distance = std::pow(10.0, -6 + static_cast<double>(i) / kPerDecade);
      rays.u.set(i, u0_ + distance * random.unit_on(anchor_.hull));
      Eigen::VectorXd d = rays.u.get(i) - u0_;
      // Twice: the first pass leaves the rounding error of what it removes.
      for (int pass = 0; pass < 2; ++pass) d -= normals.transpose() * (normals * d).eval();
      directions.set(i, d);
      rays.d.push_back(std::move(d));
    }
    const auto scratch = gauge_->make_scratch(kRows);
    std::vector<GaugeAt<T>> at(kRows);
    gauge_->evaluate(directions.view(), at, *scratch);
    for (std::size_t i = 0; i < kRows; ++i) {
      rays.gamma.push_back(static_cast<double>(at[i].gamma) + gauge_->kappa() * rays.d[i].norm());
    }
    return rays;
  }

  // How far rounding may take row i, with e = x - u0, t = 1 / phi, u = u0 + t e, and t a function of s = |e|^2 and of
  // eta = gamma(e):
  //   |error of x|   <= noise = K ulp (|u0| + |e| + phi |u0|)          u - u0, phi d and u0 + phi d are rounded
  //   d log t        =  d log eta / e_radial - d log s / 2             outside; inside without the first term
  //   |d log eta|    <= lipschitz |error of e| / eta + K ulp           eta as a gauge evaluates it
  //   |error of u|   <= t noise (2 + lipschitz |e| / eta / e_radial) + K ulp |d| / e_radial + K ulp |u0|
  // Back at x an error of log t counts e_radial times: the conditioning is gone.
  //   |error of p(u)| <= noise (3 + lipschitz |e| / eta)
  // A gauge map's t depends on eta everywhere; at eta = 0 by less than at the boundary.
  template <class M>
  std::string judge(const M& method, std::size_t i, const Batch<T>& x, const Batch<T>& back, const Batch<T>& again) {
    ++count_;
    if (!back.get(i).allFinite()) return "no preimage";
    const double distance = rays_.d[i].norm();
    const double gamma = rays_.gamma[i];
    const auto [e_radial, phi] = radial(method, distance * distance, gamma);
    const double noise = kRoundings * kUlp * (u0_.norm() * (1 + phi) + phi * distance);
    // What an error of e does to eta, relative to both; near the kink at gamma = 1 either side may be taken.
    const bool by_gauge = std::is_same_v<M, GaugeMap> || gamma > 0.5;
    const double gauge = by_gauge && gamma > 0 ? std::max(1.0, gauge_->lipschitz() * distance / gamma) : 1;
    const double missed = (again.get(i) - x.get(i)).norm();
    if (!(missed <= noise * (3 + gauge))) {
      return "p(back) misses x by " + std::to_string(missed / noise) + " roundings";
    }
    const double tolerance =
        noise / phi * (2 + gauge / e_radial) + kRoundings * kUlp * (distance / e_radial + u0_.norm());
    // Where the error bar is as long as the ray, the precision holds no information on u: p(back) = x is all there is.
    if (!(tolerance < distance / 8)) return "";
    ++known_;
    const double error = (back.get(i) - u0_ - rays_.d[i]).norm();
    if (!(error <= tolerance)) return "u is missed by " + std::to_string(error / tolerance) + " of the tolerance";
    return "";
  }

  Set set_;
  Anchor anchor_;
  Eigen::VectorXd u0_;  // as the map uses it
  GaugePtr<T> gauge_;
  Rays<T> rays_;
  std::size_t known_ = 0;
  std::size_t count_ = 0;
};

template <class T>
void check_round_trips(const Set& set) {
  RoundTrips<T> trips(set);
  for (const Contraction contraction : kContractions) {
    for (const double lambda : kLambdas) {
      for (const double epsilon : kEpsilons) trips.check(SoftRadial{contraction, lambda, epsilon});
      trips.check(GaugeMap{contraction, lambda});
    }
  }
  EXPECT_GE(trips.known_part(), trips.least_known_part());
}

class InverseRoundTrip : public testing::TestWithParam<NamedSet> {};

TEST_P(InverseRoundTrip, Double) { check_round_trips<double>(GetParam().set); }
TEST_P(InverseRoundTrip, Float) { check_round_trips<float>(GetParam().set); }

INSTANTIATE_TEST_SUITE_P(Zoo, InverseRoundTrip, testing::ValuesIn(support::set_zoo()), support::NameOfSet());
INSTANTIATE_TEST_SUITE_P(MixedUnits, InverseRoundTrip,
                         ::testing::ValuesIn(support::gather(&support::Specimen::mixed_units)), support::NameOfSet());

// Between the guarded set and the set itself, every point of a ray has the preimage of the outermost guarded one. Around 1e5,
// where floats are 1/128 apart, the guard leaves out the last two numbers of a slack of 1/2.
TEST(InverseInTheShell, IsThatOfTheOutermostPoint) {
  constexpr float kFar = 1e5F;
  const Set interval = Box(Eigen::VectorXd::Constant(1, kFar), Eigen::VectorXd::Constant(1, kFar + 1));
  for (const Contraction contraction : kContractions) {
    const Projection<float> layer(interval, SoftRadial{.contraction = contraction});
    auto workspace = layer.make_workspace();
    const std::vector<float> x = {std::nextafter(kFar + 1, 0.0F), kFar + 1};
    std::vector<float> u(2);
    layer.inverse({x.data(), 2, 1}, {u.data(), 2, 1}, workspace);
    EXPECT_GT(u[0], x[0]);
    // |u| is some 1e8 for the rational contraction, and t |e| is rounded twice.
    EXPECT_NEAR(u[0], u[1], 4 * std::numeric_limits<float>::epsilon() * u[0]);
  }
}

}  // namespace
}  // namespace softradial
