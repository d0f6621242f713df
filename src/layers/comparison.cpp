#include "comparison.hpp"

#include <Eigen/SVD>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "builders.hpp"
#include "mersenne_random.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets.hpp"
#include "softradial/violation.hpp"

namespace softradial::layers {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd gaussian(std::size_t n, MersenneRandom& random) {
  return VectorXd::NullaryExpr(static_cast<Index>(n), [&] { return random.normal(); });
}

// One row through a layer.
struct Point {
  explicit Point(const Layer<double>& through) : layer(through), x(layer.dim()), state(layer.state_dim()) {}

  void project(const VectorXd& u) {
    at = u;
    layer.project(rows(at), {x.data(), 1, x.size()}, {state.data(), 1, state.size()});
  }
  [[nodiscard]] VectorXd value() const { return Eigen::Map<const VectorXd>(x.data(), static_cast<Index>(x.size())); }
  [[nodiscard]] VectorXd vjp(const VectorXd& g) const {
    VectorXd out(static_cast<Index>(layer.input_dim()));
    layer.project_vjp(rows(at), {x.data(), 1, x.size()}, {state.data(), 1, state.size()}, rows(g),
                      {out.data(), 1, layer.input_dim()});
    return out;
  }
  static Rows<const double> rows(const VectorXd& v) { return {v.data(), 1, static_cast<std::size_t>(v.size())}; }

  const Layer<double>& layer;
  VectorXd at;
  std::vector<double> x;
  std::vector<double> state;
};

// The layer's input for the point `anchor + d`. Most methods take the point itself; RAYEN and RP take d. HoP takes
// angles: its input is random, with the size of d.
VectorXd input_for(const LayerMethod& method, const Layer<double>& layer, const VectorXd& anchor, const VectorXd& d,
                   MersenneRandom& random) {
  if (std::holds_alternative<Rayen>(method)) return d;
  if (std::holds_alternative<RayScalar>(method)) {
    VectorXd u(d.size() + 1);
    u << d, 0;
    return u;
  }
  if (std::holds_alternative<Hop>(method)) return gaussian(layer.input_dim(), random) * std::log1p(d.norm());
  return anchor + d;
}

void measure_violations(const ComparedSet& compared, const Layer<float>& layer, Comparison& out) {
  constexpr std::size_t kRows = 200;
  MersenneRandom random(1);
  std::vector<float> u(kRows * layer.input_dim());
  std::vector<float> x(kRows * layer.dim());
  std::vector<double> point(layer.dim());
  ViolationMeter meter(compared.set);
  const auto worst = [&](double& equality) {
    double most = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      std::copy_n(x.data() + i * layer.dim(), layer.dim(), point.begin());
      const auto found = meter(point);
      most = std::max(most, found.inequality);
      equality = std::max(equality, found.equality);
    }
    return most;
  };
  for (std::size_t s = 0; s < kScales.size(); ++s) {
    for (float& v : u) v = static_cast<float>(kScales[s] * random.normal());
    const Rows<const float> from(u.data(), kRows, layer.input_dim());
    const std::size_t iterations = layer.project(from, {x.data(), kRows, layer.dim()}, {});
    out.violation[s] = worst(out.equality_residual);
    if (s == 0) out.iterations = static_cast<double>(iterations) / kRows;
    if (s + 1 < kScales.size()) continue;
    layer.evaluate(from, {x.data(), kRows, layer.dim()});
    double ignored = 0;
    out.evaluated_violation = worst(ignored);
  }
}

// Measures at points outside the set, in random directions of the hull, at multiples of the distance to the boundary.
void measure_gradients(const ComparedSet& compared, const LayerMethod& method, Comparison& out) {
  constexpr int kPoints = 20;
  const LayerPtr<double> layer = make_layer<double>(compared.set, method);
  const Projection<double> hard(compared.set, HardRadial{});
  auto workspace = hard.make_workspace();
  const VectorXd& anchor = hard.anchor().point;
  const MatrixXd& normals = hard.anchor().hull.normals;
  const auto on_hull = [&](const VectorXd& v) { return VectorXd(v - normals.transpose() * (normals * v)); };
  out.hull_dim = hard.hull_dim();
  out.rank = out.hull_dim;
  MersenneRandom random(2);
  Point at(*layer);
  for (int i = 0; i < kPoints; ++i) {
    // Where the ray leaves the set: the hard radial map of a point far out.
    const VectorXd direction = on_hull(gaussian(compared.set.dim(), random)).normalized();
    const VectorXd far = anchor + 1e6 * direction;
    VectorXd exit(anchor.size());
    hard.project(Point::rows(far), {exit.data(), 1, compared.set.dim()}, workspace);
    const double reach = (exit - anchor).norm();
    const VectorXd g = on_hull(gaussian(compared.set.dim(), random)).normalized();
    for (std::size_t k = 0; k < kDistances.size(); ++k) {
      at.project(input_for(method, *layer, anchor, kDistances[k] * reach * direction, random));
      out.gradient[k] += at.vjp(g).norm() / kPoints;
      if (k > 0) continue;
      MatrixXd jacobian(static_cast<Index>(compared.set.dim()), static_cast<Index>(layer->input_dim()));
      for (Index j = 0; j < jacobian.rows(); ++j)
        jacobian.row(j) = at.vjp(VectorXd::Unit(jacobian.rows(), j)).transpose();
      const VectorXd values = Eigen::JacobiSVD<MatrixXd>(jacobian).singularValues();
      const double least = 1e-9 * std::max(values[0], 1e-9);
      out.rank = std::min<std::size_t>(out.rank, static_cast<std::size_t>((values.array() > least).count()));
    }
  }
}

// The shortest time of a few runs, in seconds.
template <class Work>
double seconds(const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const auto end = std::chrono::steady_clock::now();
    least = std::min(least, std::chrono::duration<double>(end - start).count());
    if (std::chrono::duration<double>(end - begin).count() > 0.5) break;
  }
  return least;
}

double forward_backward(const Layer<float>& layer, std::size_t rows) {
  MersenneRandom random(3);
  std::vector<float> u(rows * layer.input_dim());
  std::vector<float> g(rows * layer.dim());
  std::vector<float> x(rows * layer.dim());
  std::vector<float> state(rows * layer.state_dim());
  std::vector<float> grad_u(rows * layer.input_dim());
  for (float& v : u) v = static_cast<float>(random.normal());
  for (float& v : g) v = static_cast<float>(random.normal());
  const Rows<const float> from(u.data(), rows, layer.input_dim());
  const Rows<float> to(x.data(), rows, layer.dim());
  const Rows<float> kept(state.data(), rows, layer.state_dim());
  return seconds([&] {
    layer.project(from, to, kept);
    layer.project_vjp(from, to, kept, {g.data(), rows, layer.dim()}, {grad_u.data(), rows, layer.input_dim()});
  });
}

void measure_time(const ComparedSet& compared, const Layer<float>& layer, Comparison& out) {
  constexpr std::size_t kRows = 256;
  const LayerPtr<float> softmax = make_layer<float>(Simplex(compared.set.dim()), Softmax{});
  out.time = forward_backward(layer, kRows) / forward_backward(*softmax, kRows);
}

}  // namespace

std::vector<ComparedSet> default_sets() {
  MersenneRandom random(4);
  const MatrixXd A = MatrixXd::NullaryExpr(15, 6, [&] { return random.normal(); });
  const VectorXd b = A.rowwise().norm();
  MatrixXd shape = MatrixXd::Identity(4, 4);
  shape.diagonal() << 1, 4, 9, 0.25;
  return {
      {"simplex(10)", Simplex(10)},
      {"capped_simplex(10)", CappedSimplex(10, 0.2)},
      {"box(5)", Box(VectorXd::Constant(5, -1), VectorXd::Constant(5, 1))},
      {"ball(5)", Ball(VectorXd::Zero(5), 1)},
      {"ellipsoid(4)", Ellipsoid(VectorXd::Zero(4), shape)},
      {"polyhedron(6x15)", Polyhedron(A, b)},
      {"capped_simplex and ball(6)", Intersection({CappedSimplex(6, 0.4), Ball(VectorXd::Constant(6, 1.0 / 6), 0.3)})}};
}

std::string method_scope(const LayerMethod& method) {
  struct Words {
    std::string operator()(const SoftRadial&) const { return "every convex set"; }
    std::string operator()(const HardRadial&) const { return "every convex set"; }
    std::string operator()(const GaugeMap&) const { return "every convex set"; }
    std::string operator()(const SoftOrthogonal&) const { return "linear and quadratic constraints"; }
    std::string operator()(const Mirror&) const { return "boxes and simplices"; }
    std::string operator()(const Softmax&) const { return "simplices"; }
    std::string operator()(const Orthogonal&) const { return "linear and quadratic constraints"; }
    std::string operator()(const Dc3&) const { return "linear constraints"; }
    std::string operator()(const HardNet&) const { return "linear constraints"; }
    std::string operator()(const HardNetAff&) const { return "independent linear constraints"; }
    std::string operator()(const HardNetCvx&) const { return "linear constraints"; }
    std::string operator()(const Rayen&) const { return "every convex set"; }
    std::string operator()(const RayScalar&) const { return "bounded convex sets"; }
    std::string operator()(const Hop&) const { return "bounded convex sets"; }
    std::string operator()(const Hp&) const { return "bounded convex sets"; }
    std::string operator()(const SoftPenalty&) const { return "anything, without a guarantee"; }
  };
  return std::visit(Words{}, method);
}

Comparison compare(const ComparedSet& set, const LayerMethod& method) {
  Comparison out;
  out.method = method_name(method);
  out.set = set.name;
  LayerPtr<float> layer;
  try {
    layer = make_layer<float>(set.set, method);
  } catch (const InvalidSet& error) {
    out.unsupported = error.what();
    return out;
  }
  measure_violations(set, *layer, out);
  measure_gradients(set, method, out);
  measure_time(set, *layer, out);
  return out;
}

std::vector<Descent> descend(const LayerMethod& method) {
  constexpr double kRate = 0.5;
  const LayerPtr<double> layer = make_layer<double>(Simplex(3), method);
  const VectorXd anchor = VectorXd::Constant(3, 1.0 / 3);
  const std::pair<const char*, Eigen::Vector3d> targets[] = {
      {"inside", {0.5, 0.3, 0.2}}, {"near the boundary", {0.69, 0.3, 0.01}}, {"on the boundary", {0.7, 0.3, 0}}};
  std::vector<Descent> out;
  for (const auto& [name, target] : targets) {
    MersenneRandom random(5);
    Point at(*layer);
    VectorXd u = input_for(method, *layer, anchor, Eigen::Vector3d(-1.5, -0.5, 2), random);
    Descent descent;
    descent.method = method_name(method);
    descent.target = name;
    for (descent.steps = 0; descent.steps < kDescentSteps; ++descent.steps) {
      at.project(u);
      descent.distance = (at.value() - target).norm();
      descent.reached = descent.distance < kReached;
      if (descent.reached) break;
      const VectorXd gradient = at.vjp(at.value() - target);
      descent.gradient = gradient.norm();
      u -= kRate * gradient;
    }
    out.push_back(descent);
  }
  return out;
}

}  // namespace softradial::layers
