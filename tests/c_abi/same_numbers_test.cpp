// The C interface gives the numbers of the C++ library, bit for bit, over the whole zoo, in both precisions.
#include <cstring>
#include <limits>

#include "c_abi/handles.hpp"
#include "softradial/errors.hpp"
#include "softradial/layer.hpp"
#include "softradial/reach.hpp"
#include "softradial/set_json.hpp"
#include "softradial/violation.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial::test {
namespace {

using support::Batch;

template <class T>
void expect_same_bits(const std::vector<T>& given, const std::vector<T>& expected, const std::string& what) {
  ASSERT_EQ(given.size(), expected.size()) << what;
  EXPECT_EQ(std::memcmp(given.data(), expected.data(), given.size() * sizeof(T)), 0) << what;
}

// Ordinary rows, far ones, the anchor itself, and one that is not finite.
template <class T>
Batch<T> rows_around(const Eigen::VectorXd& anchor, std::uint64_t seed) {
  support::RandomPoints random(seed);
  Batch<T> u = support::rows_at_scales<T>(random, anchor, {0, 0.5, 3, 1e6, 1e30}, 3);
  u[4][0] = std::numeric_limits<T>::quiet_NaN();
  return u;
}

template <class T>
class OneMap {
 public:
  OneMap(const Set& set, const Method& method, const LayerHandle& layer)
      : expected_(set, method),
        workspace_(expected_.make_workspace()),
        layer_(layer.get()),
        u_(rows_around<T>(expected_.anchor().point, 1)),
        v_(rows_around<T>(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(set.dim())), 2)) {}

  void check() {
    Batch<T> x(u_.count(), u_.dim());
    Batch<T> y = x;
    expected_.project(u_.view(), x.rows(), workspace_);
    expect_ok(Calls<T>::kProject(layer_, in<T>(u_.view()), out<T>(y.rows())));
    expect_same_bits(y.data(), x.data(), "project");
    expect_ok(Calls<T>::kEvaluate(layer_, in<T>(u_.view()), out<T>(y.rows())));
    expect_same_bits(y.data(), x.data(), "evaluate");

    Batch<T> u = x;
    expected_.inverse(x.view(), u.rows(), workspace_);
    expect_ok(Calls<T>::kInverse(layer_, in<T>(x.view()), out<T>(y.rows())));
    expect_same_bits(y.data(), u.data(), "inverse");

    expected_.project_vjp(u_.view(), v_.view(), x.rows(), workspace_);
    expect_ok(Calls<T>::kVjp(layer_, in<T>(u_.view()), in<T>(v_.view()), out<T>(y.rows())));
    expect_same_bits(y.data(), x.data(), "vjp");
    expected_.project_jvp(u_.view(), v_.view(), x.rows(), workspace_);
    expect_ok(Calls<T>::kJvp(layer_, in<T>(u_.view()), in<T>(v_.view()), out<T>(y.rows())));
    expect_same_bits(y.data(), x.data(), "jvp");

    std::vector<T> numbers(u_.count());
    std::vector<T> given(u_.count());
    expected_.log_abs_det(u_.view(), numbers, workspace_);
    expect_ok(Calls<T>::kLogAbsDet(layer_, in<T>(u_.view()), given.data(), given.size()));
    expect_same_bits(given, numbers, "log_abs_det");
    expected_.slack(u_.view(), numbers, workspace_);
    expect_ok(Calls<T>::kSlack(layer_, in<T>(u_.view()), given.data(), given.size()));
    expect_same_bits(given, numbers, "slack");

    check_anchor();
    check_strides();
  }

 private:
  void check_anchor() {
    std::vector<double> anchor(u_.dim());
    expect_ok(sr_layer_anchor(layer_, anchor.data(), anchor.size()));
    expect_same_bits(anchor, {expected_.anchor().point.begin(), expected_.anchor().point.end()}, "anchor");
    std::size_t hull_dim = 0;
    expect_ok(sr_layer_hull_dim(layer_, &hull_dim));
    EXPECT_EQ(hull_dim, u_.dim() - expected_.anchor().hull.codimension());
  }

  // Rows that lie apart, and results in reverse order.
  void check_strides() {
    const std::size_t rows = u_.count();
    const std::size_t dim = u_.dim();
    const std::size_t apart = dim + 3;
    const T marker = T(-77);
    std::vector<T> wide(rows * apart, marker);
    std::vector<T> results(rows * apart, marker);
    for (std::size_t i = 0; i < rows; ++i) std::ranges::copy(u_[i], wide.begin() + static_cast<long>(i * apart));
    const auto stride = static_cast<std::ptrdiff_t>(apart);
    const Rows<const T> u(wide.data(), rows, dim, stride);
    const Rows<T> reversed(results.data() + (rows - 1) * apart, rows, dim, -stride);
    expect_ok(Calls<T>::kProject(layer_, in<T>(u), out<T>(reversed)));

    Batch<T> x(rows, dim);
    Batch<T> y(rows, dim);
    expected_.project(u_.view(), x.rows(), workspace_);
    for (std::size_t i = 0; i < rows; ++i) std::ranges::copy(reversed[i], y[i].begin());
    expect_same_bits(y.data(), x.data(), "strided rows");
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = dim; j < apart; ++j) EXPECT_EQ(results[i * apart + j], marker) << "between the rows";
    }
  }

  Projection<T> expected_;
  Workspace<T> workspace_;
  const sr_layer* layer_;
  Batch<T> u_;
  Batch<T> v_;
};

class EverySet : public testing::TestWithParam<support::NamedSet> {};

TEST_P(EverySet, MapsGiveTheSameBits) {
  const Set& set = GetParam().set;
  const SetHandle handle = parse(to_json(set));
  for (const LayerMethod& method : std::vector<LayerMethod>{SoftRadial{Contraction::exponential, 0.7, 0.05},
                                                            HardRadial{}, GaugeMap{Contraction::hyperbolic, 2}}) {
    SCOPED_TRACE(method_name(method));
    std::string options = "{\"method\": \"" + std::string(method_name(method)) + "\"";
    if (const auto word = method_contraction(method); !word.empty())
      options += ", \"contraction\": \"" + std::string(word) + "\"";
    for (const auto& [name, value] : method_options(method)) options += ", \"" + name + "\": " + std::to_string(value);
    const LayerHandle layer = make(handle, options + "}");
    OneMap<double>(set, *radial_method(method), layer).check();
    OneMap<float>(set, *radial_method(method), layer).check();
    // The options that a layer gives back make the same layer again, without a search.
    const LayerHandle again = make(handle, json_of(layer));
    EXPECT_EQ(json_of(again), json_of(layer));
    OneMap<double>(set, *radial_method(method), again).check();
    OneMap<float>(set, *radial_method(method), again).check();
  }
}

template <class T>
void check_violation(const Set& set, const SetHandle& handle) {
  const Batch<T> x = rows_around<T>(require_anchor(set).point, 3);
  std::vector<double> given(x.count());
  expect_ok(Calls<T>::kViolation(handle.get(), in<T>(x.view()), given.data(), given.size()));
  ViolationMeter meter(set);
  for (std::size_t i = 0; i < x.count(); ++i) {
    const std::vector<double> point(x[i].begin(), x[i].end());
    const double expected = meter.beyond_rounding(point, std::numeric_limits<T>::epsilon());
    EXPECT_EQ(std::memcmp(&given[i], &expected, sizeof expected), 0) << "row " << i;
  }
}

TEST_P(EverySet, SaysOfItselfWhatItIs) {
  const Set& set = GetParam().set;
  const std::string json = to_json(set);
  const SetHandle handle = parse(json);
  const auto text_of = [&](auto function) {
    return written([&](char* buffer, std::size_t capacity, std::size_t* length) {
      return function(handle.get(), buffer, capacity, length);
    });
  };
  EXPECT_EQ(text_of(sr_set_to_json), json);
  EXPECT_EQ(text_of(sr_set_to_text), to_string(set));
  std::size_t dim = 0;
  expect_ok(sr_set_dim(handle.get(), &dim));
  EXPECT_EQ(dim, set.dim());
  const Anchor anchor = require_anchor(set);
  std::vector<double> point(dim);
  double slack = 0;
  std::size_t hull_dim = 0;
  expect_ok(sr_set_find_anchor(handle.get(), nullptr, 0, point.data(), dim, &slack, &hull_dim));
  expect_same_bits(point, {anchor.point.begin(), anchor.point.end()}, "anchor");
  EXPECT_EQ(slack, anchor.slack);
  EXPECT_EQ(hull_dim, dim - anchor.hull.codimension());
  check_violation<float>(set, handle);
  check_violation<double>(set, handle);
}

// The zoo, where a layer can be made of it in single precision.
std::vector<support::NamedSet> zoo() {
  std::vector<support::NamedSet> all = support::json_sets();
  std::erase_if(all, [](const support::NamedSet& named) {
    try {
      static_cast<void>(Projection<float>(named.set));
      return false;
    } catch (const Error&) {
      return true;
    }
  });
  return all;
}

struct NameOfSet {
  template <class Info>
  std::string operator()(const Info& info) const {
    return std::to_string(info.index) + "_" + info.param.name;
  }
};
INSTANTIATE_TEST_SUITE_P(Zoo, EverySet, testing::ValuesIn(zoo()), NameOfSet());

template <class T>
void check_layer(const Layer<T>& expected, const LayerHandle& layer) {
  support::RandomPoints random(5);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(expected.input_dim()));
  const Batch<T> u = support::rows_at_scales<T>(random, zero, {0.3, 3}, 4);
  Batch<T> x(u.count(), expected.dim());
  Batch<T> y = x;
  Batch<T> state(u.count(), expected.state_dim());
  expected.project(u.view(), x.rows(), {});
  expect_ok(Calls<T>::kProject(layer.get(), in<T>(u.view()), out<T>(y.rows())));
  expect_same_bits(y.data(), x.data(), "project");
  expected.evaluate(u.view(), x.rows());
  expect_ok(Calls<T>::kEvaluate(layer.get(), in<T>(u.view()), out<T>(y.rows())));
  expect_same_bits(y.data(), x.data(), "evaluate");

  Batch<T> grad_x = x;
  for (std::size_t i = 0; i < x.count(); ++i) grad_x.set(i, random.gaussian(expected.dim()));
  Batch<T> grad_u(u.count(), u.dim());
  Batch<T> given = grad_u;
  expected.project(u.view(), x.rows(), state.rows());
  expected.project_vjp(u.view(), x.view(), state.view(), grad_x.view(), grad_u.rows());
  expect_ok(Calls<T>::kVjp(layer.get(), in<T>(u.view()), in<T>(grad_x.view()), out<T>(given.rows())));
  expect_same_bits(given.data(), grad_u.data(), "vjp");
}

// Small: what a network learns is not the matter here.
constexpr const char* kQuickHp = R"({"method": "hp", "couplings": 2, "hidden": 8, "training_steps": 20, "batch": 16})";

TEST(EveryMethod, GivesTheSameBits) {
  for (const char* json : {R"({"type": "simplex", "dim": 4})", R"({"type": "capped_simplex", "dim": 5, "cap": 0.4})",
                           R"({"type": "polyhedron", "A": [[1, 1], [-1, 0], [0, -1]], "b": [1, 0, 0]})"}) {
    const Set set = parse_set(json);
    const SetHandle handle = parse(json);
    for (const std::string_view name : method_names()) {
      SCOPED_TRACE(std::string(name) + " on " + json);
      LayerMethod method = method_named(name);
      std::string options = "{\"method\": \"" + std::string(name) + "\"}";
      if (std::holds_alternative<Hp>(method)) {
        method = Hp{.couplings = 2, .hidden = 8, .training_steps = 20, .batch = 16};
        options = kQuickHp;
      }
      if (std::holds_alternative<SoftRadial>(method)) {
        ProjectionOptions found;
        method = with_auto_lambda({}, set, found);
      }
      LayerPtr<double> expected;
      try {
        expected = make_layer<double>(set, method);
      } catch (const InvalidSet& error) {
        sr_layer* out = nullptr;
        EXPECT_EQ(sr_layer_make(handle.get(), options.data(), options.size(), &out), SR_INVALID_SET);
        EXPECT_EQ(error_text(), error.what());
        continue;
      }
      const LayerHandle layer = make(handle, options);
      std::size_t width = 0;
      expect_ok(sr_layer_input_dim(layer.get(), &width));
      EXPECT_EQ(width, expected->input_dim());
      check_layer<double>(*expected, layer);
      check_layer<float>(*make_layer<float>(set, method), layer);
      const LayerHandle again = make(handle, json_of(layer));
      EXPECT_EQ(json_of(again), json_of(layer));
      check_layer<double>(*expected, again);
    }
  }
}

}  // namespace
}  // namespace softradial::test
