#include "json/set_builders.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "json/json_document.hpp"
#include "softradial/errors.hpp"
#include "softradial/sets.hpp"

namespace softradial::json {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The constructor's own complaint, with the place in the document in front.
template <class S, class... Args>
Set construct(const JsonNode& node, Args&&... args) {
  try {
    return S(std::forward<Args>(args)...);
  } catch (const Error& error) {
    node.fail(error.what());
  }
}

double number_or(const JsonNode& node, std::string_view key, double otherwise) {
  const auto found = node.find(key);
  return found ? found->number() : otherwise;
}

[[noreturn]] void fail_length(const JsonNode& list, std::size_t expected) {
  list.fail("expected " + std::to_string(expected) + " numbers, got " + std::to_string(list.size()));
}

std::vector<Set> parts_of(const JsonNode& node) {
  const JsonNode list = node.at("sets");
  std::vector<Set> parts;
  parts.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) parts.push_back(build_set(list[i]));
  return parts;
}

// Builders read the keys in the order in which the type lists them: the first wrong one is the one that is reported.

Set build_simplex(const JsonNode& node) {
  const std::size_t dim = node.at("dim").count(1);
  return construct<Simplex>(node, dim, number_or(node, "sum", 1));
}

// "dim" says nothing new beside a list of caps; it may be left out then.
Set build_capped_simplex(const JsonNode& node) {
  const JsonNode cap = node.at("cap");
  const double sum = number_or(node, "sum", 1);
  if (!cap.is_list()) {
    const std::size_t dim = node.at("dim").count(1);
    return construct<CappedSimplex>(node, dim, cap.number(), sum);
  }
  const Eigen::VectorXd caps = cap.vector();
  if (const auto dim = node.find("dim"); dim && dim->count(1) != cap.size()) {
    fail_length(cap, dim->count(1));
  }
  return construct<CappedSimplex>(node, caps, sum);
}

Set build_box(const JsonNode& node) {
  const Eigen::VectorXd lower = node.at("lower").vector(-kInfinity);
  return construct<Box>(node, lower, node.at("upper").vector(kInfinity));
}

Set build_ball(const JsonNode& node) {
  Eigen::VectorXd center = node.at("center").vector();
  const double radius = node.at("radius").number();
  return construct<Ball>(node, std::move(center), radius);
}

Set build_ellipsoid(const JsonNode& node) {
  Eigen::VectorXd center = node.at("center").vector();
  Eigen::MatrixXd shape = node.at("shape").matrix();
  return construct<Ellipsoid>(node, std::move(center), std::move(shape));
}

// One block M x (<= or =) v of a polyhedron: both keys or neither.
struct LinearBlock {
  std::optional<JsonNode> matrix;
  Eigen::VectorXd bounds;

  LinearBlock(const JsonNode& node, std::string_view matrix_key, std::string_view bounds_key)
      : matrix(node.find(matrix_key)) {
    const auto bounds_node = node.find(bounds_key);
    if (matrix.has_value() != bounds_node.has_value()) {
      const std::string_view missing = matrix ? bounds_key : matrix_key;
      node.fail("the key \"" + std::string(missing) + "\" is missing");
    }
    if (bounds_node) bounds = bounds_node->vector();
  }

  [[nodiscard]] bool is_sparse() const { return matrix && matrix->is_object(); }

  // With no columns where it has no rows either.
  [[nodiscard]] Eigen::MatrixXd dense() const { return matrix ? matrix->matrix() : Eigen::MatrixXd(); }
  [[nodiscard]] SparseMatrix sparse() const {
    if (is_sparse()) return matrix->sparse_matrix();
    return dense().sparseView();
  }
};

// The dimension is that of the block that has rows, else "dim".
template <class Matrix>
Set construct_polyhedron(const JsonNode& node, Matrix A, const Eigen::VectorXd& b, Matrix E, const Eigen::VectorXd& f) {
  Eigen::Index columns = std::max(A.cols(), E.cols());
  if (columns == 0) columns = static_cast<Eigen::Index>(node.at("dim").count(1));
  if (A.cols() == 0) A.resize(0, columns);
  if (E.cols() == 0) E.resize(0, columns);
  if (const auto dim = node.find("dim"); dim && dim->count(1) != static_cast<std::size_t>(A.cols())) {
    dim->fail_expected(std::to_string(A.cols()) + ", the columns of the matrices");
  }
  return construct<Polyhedron>(node, A, b, E, f);
}

Set build_polyhedron(const JsonNode& node) {
  const LinearBlock inequalities(node, "A", "b");
  const LinearBlock equalities(node, "E", "f");
  if (inequalities.is_sparse() || equalities.is_sparse()) {
    return construct_polyhedron(node, inequalities.sparse(), inequalities.bounds, equalities.sparse(),
                                equalities.bounds);
  }
  return construct_polyhedron(node, inequalities.dense(), inequalities.bounds, equalities.dense(), equalities.bounds);
}

Set build_quadratic(const JsonNode& node) {
  Eigen::MatrixXd P = node.at("P").matrix();
  Eigen::VectorXd q = node.at("q").vector();
  const double c = node.at("c").number();
  return construct<Quadratic>(node, std::move(P), std::move(q), c);
}

// Without rows M does not tell its columns: they are those of c.
Set build_second_order_cone(const JsonNode& node) {
  Eigen::MatrixXd M = node.at("M").matrix();
  Eigen::VectorXd s = node.at("s").vector();
  Eigen::VectorXd c = node.at("c").vector();
  const double e = node.at("e").number();
  if (M.rows() == 0) M.resize(0, c.size());
  return construct<SecondOrderCone>(node, std::move(M), std::move(s), std::move(c), e);
}

Set build_lmi(const JsonNode& node) {
  const JsonNode list = node.at("F");
  if (list.size() < 2) list.fail("expected F[0] and a matrix for each variable, got " + std::to_string(list.size()));
  std::vector<Eigen::MatrixXd> F;
  F.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) F.push_back(list[i].matrix());
  return construct<Lmi>(node, std::move(F));
}

Set build_lp_ball(const JsonNode& node) {
  const Eigen::VectorXd center = node.at("center").vector();
  const double radius = node.at("radius").number();
  const JsonNode p = node.at("p");
  if (p.is_text() && p.text() != "inf") p.fail_expected("a number or \"inf\"");
  return construct<LpBall>(node, center, radius, p.is_text() ? kInfinity : p.number());
}

Set build_log_sum_exp(const JsonNode& node) {
  const std::size_t dim = node.at("dim").count(1);
  return construct<LogSumExp>(node, dim, node.at("bound").number());
}

Set build_kl_ball(const JsonNode& node) {
  const Eigen::VectorXd reference = node.at("reference").vector();
  return construct<KlBall>(node, reference, node.at("radius").number());
}

Set build_intersection(const JsonNode& node) { return construct<Intersection>(node, parts_of(node)); }

Set build_product(const JsonNode& node) { return construct<Product>(node, parts_of(node)); }

Set build_affine_preimage(const JsonNode& node) {
  Set inner = build_set(node.at("set"));
  Eigen::MatrixXd A = node.at("A").matrix();
  Eigen::VectorXd b = node.at("b").vector();
  return construct<AffinePreimage>(node, std::move(inner), std::move(A), std::move(b));
}

Set build_scaled(const JsonNode& node) {
  Set inner = build_set(node.at("set"));
  const double factor = node.at("factor").number();
  return construct<Scaled>(node, std::move(inner), factor);
}

struct SetType {
  std::string_view name;
  std::vector<std::string_view> keys;  // all that it may have besides "type" and "anchor"
  Set (*build)(const JsonNode&);
};

const std::vector<SetType>& set_types() {
  static const std::vector<SetType> kTypes = {
      {"simplex", {"dim", "sum"}, build_simplex},
      {"capped_simplex", {"dim", "cap", "sum"}, build_capped_simplex},
      {"box", {"lower", "upper"}, build_box},
      {"ball", {"center", "radius"}, build_ball},
      {"ellipsoid", {"center", "shape"}, build_ellipsoid},
      {"polyhedron", {"dim", "A", "b", "E", "f"}, build_polyhedron},
      {"quadratic", {"P", "q", "c"}, build_quadratic},
      {"second_order_cone", {"M", "s", "c", "e"}, build_second_order_cone},
      {"lmi", {"F"}, build_lmi},
      {"lp_ball", {"center", "radius", "p"}, build_lp_ball},
      {"log_sum_exp", {"dim", "bound"}, build_log_sum_exp},
      {"kl_ball", {"reference", "radius"}, build_kl_ball},
      {"intersection", {"sets"}, build_intersection},
      {"product", {"sets"}, build_product},
      {"affine_preimage", {"set", "A", "b"}, build_affine_preimage},
      {"scaled", {"set", "factor"}, build_scaled},
  };
  return kTypes;
}

const SetType& type_of(const JsonNode& node) {
  const JsonNode name = node.at("type");
  const auto& types = set_types();
  const auto found = std::ranges::find(types, std::string_view(name.text()), &SetType::name);
  if (found != types.end()) return *found;
  std::string known;
  for (const SetType& type : types) known.append(known.empty() ? "" : ", ").append(type.name);
  name.fail("unknown set type " + excerpt(name.text()) + "; known are " + known);
}

}  // namespace

Set build_set(const JsonNode& node) {
  const SetType& type = type_of(node);
  std::vector<std::string_view> keys = {"type"};
  keys.insert(keys.end(), type.keys.begin(), type.keys.end());
  keys.emplace_back("anchor");
  node.allow_only(keys, type.name);

  Set set = type.build(node);
  const auto anchor = node.find("anchor");
  if (!anchor) return set;
  Eigen::VectorXd point = anchor->vector();
  if (static_cast<std::size_t>(point.size()) != set.dim()) {
    fail_length(*anchor, set.dim());
  }
  return set.with_anchor(std::move(point));
}

}  // namespace softradial::json
