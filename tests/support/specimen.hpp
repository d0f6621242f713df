#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "reference/exact_constraints.hpp"
#include "softradial/sets.hpp"

namespace softradial::support {

struct NamedSet {
  std::string name;  // letters, digits and underscores: it becomes part of the test's name
  Set set;
};

// A text of SET.json and the set that it must be read as.
struct JsonForm {
  std::string json;
  Set set;
};

// A set and how it prints.
struct OneLine {
  Set set;
  std::string text;
};

// Data that a constructor must refuse, with the whole message.
struct BadBuild {
  std::function<void()> build;
  std::string message;
};

// A text that the reader must refuse, with the whole message after the name of the file.
struct BadJson {
  std::string json;
  std::string message;
};

// slack_i(x) for every inequality, to `tolerance` relative to 1 + |slack|; NaN where the slack must be NaN.
struct KnownSlacks {
  Set set;
  Eigen::VectorXd x;
  std::vector<double> slacks;
  double tolerance = 0;
};

// closed_form_anchor(), each coordinate to `tolerance`; nothing where there must be none.
struct KnownAnchor {
  Set set;
  std::optional<Eigen::VectorXd> point;
  double tolerance = 0;
};

// What a set says of its constraints: the names of all inequalities, of the linear ones and of the equalities, and
// whether the linear ones are all there is.
struct KnownConstraints {
  Set set;
  std::vector<std::string> inequalities;
  std::vector<std::string> linear;
  std::vector<std::string> equalities;
  bool all_linear = false;
};

// Gauges at an anchor, with their gradients, derivable by hand. On a flat set the gradient counts along the hull only.
struct KnownGauge {
  Eigen::VectorXd d;
  double gamma;
  Eigen::VectorXd gradient;
};
struct GaugeTable {
  std::string name;
  Set set;
  Eigen::VectorXd anchor;
  std::vector<KnownGauge> rows;
};

// Where a barrier is looked at: all slacks positive, and some slack negative.
struct BarrierCase {
  std::string name;
  Set set;
  Eigen::VectorXd inside;
  Eigen::VectorXd outside;
};

// A point on the boundary, exactly, and the coordinate that leads inside when it grows (or shrinks) by one ulp.
struct BoundaryPoint {
  std::string name;
  Set set;
  std::vector<double> on;
  std::size_t moving;
  bool inward_is_up;
};

// What the exact judge must say of a point, on the set's own hull.
struct JudgedPoint {
  Set set;
  std::vector<double> x;
  bool inside;
};

// The codimension of a set's affine hull.
struct KnownCodimension {
  Set set;
  std::size_t codimension;
};

// A direction along which a member of the zoo never ends. Its gauge is 0; at most `rounding` |d| where a guard covers a
// rounded factorisation.
struct Recession {
  std::string member;
  Eigen::VectorXd direction;
  double rounding = 0;
};

// A point where the gradient of a level function h is looked at: the slope of h, or, where h has a kink, the subgradient
// that is stated (empty: none is). NaN in it stands for any finite number.
struct LevelPoint {
  Set set;
  Eigen::VectorXd x;
  Eigen::VectorXd subgradient = {};
};

// A set {h <= 0}, a point with h(x) = 0 up to rounding, and an interior point.
struct LevelBoundary {
  std::shared_ptr<const LevelSet> set;
  Eigen::VectorXd x;
  Eigen::VectorXd anchor;
};

// Random numbers for sets that are drawn.
class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}

  [[nodiscard]] int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  [[nodiscard]] Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index cols) {
    std::normal_distribution<double> normal;
    return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return normal(engine_); });
  }
  [[nodiscard]] Eigen::VectorXd vector(Eigen::Index size) { return matrix(size, 1); }

 private:
  std::mt19937 engine_;
};

// Everything that the tests know of one type of set. The laws run over all specimens; a new type is one more of them, in
// the file of its family in tests/sets. specimens_test.cpp says what must not be missing.
struct Specimen {
  std::string type;  // as in SET.json

  // The sets that every law is tried on, those of them that slow laws are tried on, and those that are unbounded.
  std::vector<NamedSet> zoo = {};
  std::vector<std::string> exemplars = {};
  std::vector<Recession> recessions = {};
  // Small sets far from the origin, where single precision resolves little.
  std::vector<NamedSet> far_away = {};
  // Sets whose coordinates have very unlike sizes: the gauge is taken in units of each. For maps along rays; other layers measure
  // all coordinates in one unit.
  std::vector<NamedSet> mixed_units = {};
  // Sets without an interior, and sets without a point.
  std::vector<Set> without_interior = {};
  std::vector<Set> empty = {};
  // Flat sets, and sets that only look flat.
  std::vector<KnownCodimension> codimensions = {};
  // A random set that contains x0 with a margin of delta, both in units of the scale.
  std::function<Set(Draw&, const Eigen::VectorXd& x0, double scale, double delta)> around = {};

  // Text. `written` are further sets that JSON must carry: every form, extreme numbers.
  bool has_json = true;
  std::vector<JsonForm> forms = {};
  std::vector<NamedSet> written = {};
  std::vector<OneLine> lines = {};

  std::vector<BadBuild> bad_builds = {};
  std::vector<BadJson> bad_json = {};

  std::vector<KnownSlacks> slacks = {};
  std::vector<KnownAnchor> anchors = {};
  std::vector<KnownConstraints> constraints = {};
  std::vector<GaugeTable> gauges = {};
  std::vector<BarrierCase> barriers = {};

  // Sets {h <= 0}: gradients of h, and boundary points from two random vectors in [-1, 1]^n.
  std::vector<LevelPoint> level_points = {};
  std::function<std::vector<LevelBoundary>(const Eigen::VectorXd&, const Eigen::VectorXd&)> boundaries = {};

  // The same set for the exact judge, which knows it from here alone.
  reference::Translate exact = nullptr;
  std::vector<BoundaryPoint> boundary_points = {};
  std::vector<JudgedPoint> judged = {};
};

// One list for each family: tests/sets/NAME.cpp.
[[nodiscard]] std::vector<Specimen> coordinate_specimens();
[[nodiscard]] std::vector<Specimen> row_specimens();
[[nodiscard]] std::vector<Specimen> quadratic_specimens();
[[nodiscard]] std::vector<Specimen> cone_specimens();
[[nodiscard]] std::vector<Specimen> lmi_specimens();
[[nodiscard]] std::vector<Specimen> level_specimens();
[[nodiscard]] std::vector<Specimen> combinator_specimens();

// All of them.
[[nodiscard]] const std::vector<Specimen>& specimens();

// One field of all specimens: gather(&Specimen::zoo).
template <class Entry>
[[nodiscard]] std::vector<Entry> gather(std::vector<Entry> Specimen::*field) {
  std::vector<Entry> all;
  for (const Specimen& specimen : specimens()) {
    all.insert(all.end(), (specimen.*field).begin(), (specimen.*field).end());
  }
  return all;
}

// For GoogleTest: entries with a name print and are named by it.
template <class Entry>
requires requires(const Entry& entry) { std::string(entry.name); }
void PrintTo(const Entry& entry, std::ostream* out) { *out << entry.name; }
struct NameOfSet {
  template <class Info>
  std::string operator()(const Info& info) const {
    return info.param.name;
  }
};

}  // namespace softradial::support
