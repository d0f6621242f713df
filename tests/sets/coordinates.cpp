// Boxes and simplices: bounds for every coordinate, and perhaps a sum.
#include <cmath>
#include <limits>

#include "softradial/sets.hpp"
#include "support/specimen.hpp"
#include "support/vectors.hpp"

namespace softradial::support {
namespace {

using Eigen::VectorXd;
using reference::ConstraintPtr;
using reference::LinearRow;
using reference::Translation;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// lower < x < upper and, where a total is given, sum(x) = total.
ConstraintPtr bounds(const Translation& t, const VectorXd& lower, const VectorXd& upper, std::optional<double> total) {
  std::vector<LinearRow> rows;
  for (Eigen::Index j = 0; j < lower.size(); ++j) {
    const auto index = static_cast<std::size_t>(j);
    t.add_inequality(rows, {.terms = {{index, 1.0}}, .bound = upper[j]});
    t.add_inequality(rows, {.terms = {{index, -1.0}}, .bound = -lower[j]});
  }
  const auto dim = static_cast<std::size_t>(lower.size());
  if (total) rows.push_back(reference::sum_row(dim, *total));
  return std::make_unique<reference::LinearConstraint>(dim, std::move(rows));
}

Specimen simplex() {
  Specimen s{.type = "simplex"};
  s.zoo = {{"simplex", Simplex(3)},
           {"simplex_sum", Simplex(10, 2.5)},
           {"simplex_off_centre", Set(Simplex(4)).with_anchor(vec({0.7, 0.2, 0.09, 0.01}))}};
  s.exemplars = {"simplex_off_centre"};
  s.forms = {{R"({"type": "simplex", "dim": 50, "sum": 1})", Simplex(50)},
             {R"({"type": "simplex", "dim": 3})", Simplex(3)},
             {R"({"type": "simplex", "dim": 3.0, "sum": 2.5})", Simplex(3, 2.5)},
             {R"({"anchor": [0.2, 0.8], "dim": 2, "type": "simplex"})", Set(Simplex(2)).with_anchor(vec({0.2, 0.8}))},
             {"\xEF\xBB\xBF \r\n\t{\"type\"\n:\"simplex\",\"dim\":2}\r\n", Simplex(2)}};
  s.written = {{"simplex", Simplex(5, 2.5)}};
  s.lines = {{Simplex(50), "simplex(dim=50, sum=1)"},
             {Set(Simplex(2)).with_anchor(vec({0.25, 0.75})), "simplex(dim=2, sum=1, anchor=[0.25, 0.75])"}};
  s.bad_builds = {
      {[] { Simplex(0); }, "simplex: the dimension is 0"},
      {[] { Simplex(1000000000000000); }, "simplex: the dimension 1000000000000000 is above the largest one, 16777216"},
      {[] { Simplex(3, 0); }, "simplex: sum is 0, not positive"},
      {[] { Simplex(3, -1); }, "simplex: sum is -1, not positive"},
      {[] { Simplex(3, kNaN); }, "simplex: sum is nan, not a finite number"},
  };
  s.bad_json = {{R"({"type": "simplex", "dim": 3, "sum": -1})", "simplex: sum is -1, not positive"}};
  s.slacks = {{Simplex(3, 2), vec({0.5, -1, 2.5}), {0.5, -1, 2.5}}};
  s.anchors = {{Simplex(3, 2), VectorXd::Constant(3, 2.0 / 3)}, {Simplex(1, 0.3), vec({0.3})}};
  s.constraints = {{Simplex(3, 2),
                    {"lower bound 0", "lower bound 1", "lower bound 2"},
                    {"lower bound 0", "lower bound 1", "lower bound 2"},
                    {"sum"},
                    true},
                   // In one dimension it is a point.
                   {Simplex(1, 0.3), {"lower bound 0"}, {"lower bound 0"}, {"sum"}, true}};
  // Slack 1/3 to each face, uncapped.
  s.gauges = {{"simplex", Simplex(3), vec({1.0 / 3, 1.0 / 3, 1.0 / 3}), {{vec({2, -1, -1}), 3, vec({0, -3, 0})}}}};
  s.barriers = {{"simplex", Simplex(3), vec({0.5, 0.2, 0.3}), vec({0.5, -0.2, 0.7})}};
  s.exact = [](const Translation& t) {
    const auto dim = static_cast<Eigen::Index>(t.number("dim"));
    return bounds(t, VectorXd::Zero(dim), VectorXd::Constant(dim, kInfinity), t.number("sum"));
  };
  constexpr double kTiny = std::numeric_limits<double>::denorm_min();
  s.judged = {{Simplex(2), {0.25, 0.75}, true}, {Simplex(2), {0, 1}, false}, {Simplex(2), {kTiny, 1}, true}};
  return s;
}

Specimen capped_simplex() {
  Specimen s{.type = "capped_simplex"};
  s.zoo = {{"capped_simplex", CappedSimplex(50, 0.05)},
           {"capped_simplex_thin", CappedSimplex(8, 0.1251)},
           {"capped_simplex_caps", CappedSimplex(vec({0.4, 0.3, 0.7, 0.2, 0.05}))}};
  s.exemplars = {"capped_simplex_caps"};
  s.forms = {
      {R"({"type": "capped_simplex", "dim": 50, "cap": 0.05, "sum": 1})", CappedSimplex(50, 0.05)},
      {R"({"type": "capped_simplex", "dim": 2, "cap": [0.7, 0.8]})", CappedSimplex(vec({0.7, 0.8}))},
      {R"({"type": "capped_simplex", "cap": [0.7, 0.8], "sum": 1.25})", CappedSimplex(vec({0.7, 0.8}), 1.25)},
  };
  s.written = {{"capped_simplex_one_cap", CappedSimplex(50, 0.05)},
               {"capped_simplex_caps", CappedSimplex(vec({1.0 / 3, 0.5, 0.7}), 1.25)}};
  s.lines = {{CappedSimplex(50, 0.05), "capped_simplex(dim=50, cap=0.05, sum=1)"},
             {CappedSimplex(vec({0.5, 2}), 1), "capped_simplex(dim=2, cap=[0.5, 2], sum=1)"},
             {CappedSimplex(VectorXd::Ones(7), 1), "capped_simplex(dim=7, cap=[7 numbers], sum=1)"}};
  s.bad_builds = {
      {[] { CappedSimplex(0, 1); }, "capped_simplex: the dimension is 0"},
      {[] { CappedSimplex(vec({})); }, "capped_simplex: the dimension is 0"},
      {[] { CappedSimplex(3, -0.5); }, "capped_simplex: cap is -0.5, not positive"},
      {[] { CappedSimplex(3, kInfinity); }, "capped_simplex: cap is inf, not a finite number"},
      {[] {
         CappedSimplex(vec({1, -0.5}));
       },
       "capped_simplex: cap[1] is -0.5, below 0"},
      {[] {
         CappedSimplex(vec({1, kNaN}));
       },
       "capped_simplex: cap[1] is nan, not a finite number"},
      {[] { CappedSimplex(10, 0.0625); }, "capped_simplex: the caps sum to 0.625, below the sum 1"},
      {[] { CappedSimplex(10, 1, -1); }, "capped_simplex: sum is -1, not positive"},
  };
  s.bad_json = {
      {R"({"type": "capped_simplex", "dim": 3, "cap": 0.25})", "capped_simplex: the caps sum to 0.75, below the sum 1"},
      {R"({"type": "capped_simplex", "cap": []})", "capped_simplex: the dimension is 0"},
      {R"({"type": "capped_simplex", "dim": 3, "cap": [0.6, 0.6]})", "cap: expected 3 numbers, got 2"},
  };
  s.slacks = {{CappedSimplex(2, 0.75), vec({0.25, 1}), {0.25, 0.5, 1, -0.25}}};
  s.anchors = {{CappedSimplex(50, 0.05), VectorXd::Constant(50, 0.02)},
               {CappedSimplex(vec({0.9, 0.4, 0.8, 0.7}), 1), VectorXd::Constant(4, 0.25)},
               {CappedSimplex(vec({1, 0, 1}), 1), vec({0.5, 0, 0.5})}};
  s.constraints = {{CappedSimplex(vec({0.5, 0, 2}), 1),
                    {"lower bound 0", "cap 0", "lower bound 2", "cap 2"},
                    {"lower bound 0", "cap 0", "lower bound 2", "cap 2"},
                    {"fixed coordinate 1", "sum"},
                    true}};
  // cap 1/2 at 1/4: slack 1/4 either way.
  s.gauges = {{"capped_simplex",
               CappedSimplex(4, 0.5),
               VectorXd::Constant(4, 0.25),
               {{vec({1, 0, -0.5, -0.5}), 4, vec({4, 0, 0, 0})}, {vec({0.5, 0.5, -1, 0}), 4, vec({0, 0, -4, 0})}}}};
  s.barriers = {{"capped_simplex", CappedSimplex(vec({0.7, 0.6, 2}), 1), vec({0.5, 0.2, 0.3}), vec({0.8, 0.1, 0.1})}};
  s.exact = [](const Translation& t) {
    const auto dim = static_cast<Eigen::Index>(t.number("dim"));
    const auto* one = std::get_if<double>(&t.value("cap"));
    return bounds(t, VectorXd::Zero(dim), one != nullptr ? VectorXd::Constant(dim, *one) : t.vector("cap"),
                  t.number("sum"));
  };
  s.judged = {{CappedSimplex(2, 0.75), {0.5, 0.5}, true},
              {CappedSimplex(2, 0.75), {0.25, 0.75}, false},
              {CappedSimplex(2, 0.75), {0.25, std::nextafter(0.75, 0.0)}, true}};
  return s;
}

Specimen box() {
  constexpr double kMax = std::numeric_limits<double>::max();
  Specimen s{.type = "box"};
  s.zoo = {{"box", Box(vec({-1, 0.05}), vec({2, 0.1}))},
           {"box_off_centre", Set(Box(vec({-1, -1, 10}), vec({1, 3, 10.5}))).with_anchor(vec({0.9, -0.9, 10.125}))},
           {"box_open", Box(vec({-kInfinity, 0, -kInfinity, 0.3}), vec({1, kInfinity, kInfinity, 0.7}))},
           {"box_fixed_side", Box(vec({0, 0.1, -2}), vec({1, 0.1, 2}))}};
  s.exemplars = {"box_open"};
  s.recessions = {{"box_open", vec({-1, 2, 5, 0})}};
  s.far_away = {{"box", Box(vec({99.9, -70.4}), vec({100.2, -70.1}))}};
  s.forms = {{R"({"type": "box", "lower": [0, null], "upper": [null, 1e3]})",
              Box(vec({0, -kInfinity}), vec({kInfinity, 1000}))}};
  s.written = {{"box_open_sides", Box(vec({-kInfinity, -1}), vec({4, kInfinity}))},
               {"box_negative_zero", Box(vec({-0.0}), vec({5e-324}))},
               {"box_extremes", Box(vec({-1.7976931348623157e308}), vec({2.2250738585072014e-308}))}};
  s.lines = {{Box(vec({-kInfinity, 0}), vec({1, kInfinity})), "box(lower=[-inf, 0], upper=[1, inf])"}};
  s.bad_builds = {
      {[] { Box(vec({}), vec({})); }, "box: the dimension is 0"},
      {[] {
         Box(vec({0, 0}), vec({1}));
       },
       "box: lower has 2 entries, upper has 1"},
      {[] {
         Box(vec({0, kNaN}), vec({1, 1}));
       },
       "box: lower bound 1 is nan, neither a finite number nor -inf"},
      {[] { Box(vec({kInfinity}), vec({kInfinity})); }, "box: lower bound 0 is inf, neither a finite number nor -inf"},
      {[] { Box(vec({0}), vec({-kInfinity})); }, "box: upper bound 0 is -inf, neither a finite number nor inf"},
      {[] {
         Box(vec({0, 0, 0.5}), vec({1, 1, 0.25}));
       },
       "box: lower bound 2 is 0.5, above the upper bound 0.25"},
  };
  s.bad_json = {
      {R"({"type": "box", "lower": [0, 0, 0.5], "upper": [1, 1, 0.25]})",
       "box: lower bound 2 is 0.5, above the upper bound 0.25"},
      {R"({"type": "box", "lower": [0], "upper": [1, 1]})", "box: lower has 1 entries, upper has 2"},
      {R"({"type": "box", "lower": [], "upper": []})", "box: the dimension is 0"},
      {R"({"type": "box", "lower": ["-inf"], "upper": [1]})", R"(lower[0]: expected a number or null, got "-inf")"},
  };
  const double below = std::nextafter(0.3, 0.0);
  const Box some_sides(vec({0, -kInfinity, 2, -kInfinity}), vec({1, 3, 2, kInfinity}));
  s.slacks = {{some_sides, vec({0.25, 5, 2, 1e9}), {0.25, 0.75, -2}},
              // Exact differences.
              {Box(vec({0.1}), vec({0.3})), vec({0.2}), {0.2 - 0.1, 0.3 - 0.2}},
              {Box(vec({0.1}), vec({0.3})), vec({below}), {below - 0.1, 0.3 - below}},
              {Box(vec({0.1}), vec({0.3})), vec({0.3}), {0.3 - 0.1, 0}}};
  s.anchors = {
      {Box(vec({0, -kInfinity, 2, -kInfinity, 5, 0}), vec({1, 3, 2, kInfinity, kInfinity, kInfinity})),
       vec({0.5, 0, 2, 0, 10, 1})},
      {Box(vec({-kMax}), vec({kMax})), vec({0})},
      {Box(vec({kMax / 2}), vec({kMax})), vec({0.75 * kMax})},
      // Neighbouring doubles leave no room.
      {Box(vec({1}), vec({std::nextafter(1.0, 2.0)})), std::nullopt},
  };
  s.constraints = {{some_sides,
                    {"lower bound 0", "upper bound 0", "upper bound 1"},
                    {"lower bound 0", "upper bound 0", "upper bound 1"},
                    {"fixed coordinate 2"},
                    true}};
  s.gauges = {
      {"box",
       Box(vec({-1, 0}), vec({3, 1})),
       vec({1, 0.25}),
       {{vec({1, 0}), 0.5, vec({0.5, 0})}, {vec({-4, -1}), 4, vec({0, -4})}, {vec({0, 3}), 4, vec({0, 4.0 / 3})}}},
      {"open_box", Box(vec({-kInfinity}), vec({1})), vec({0.5}), {{vec({-7}), 0, vec({0})}, {vec({2}), 4, vec({2})}}},
  };
  s.barriers = {{"box", Box(vec({0, -kInfinity}), vec({1, 2})), vec({0.5, -0.25}), vec({30, 40})}};
  s.exact = [](const Translation& t) { return bounds(t, t.vector("lower"), t.vector("upper"), std::nullopt); };
  s.boundary_points = {{"box", Box(vec({-1, -1}), vec({1, 1})), {0.5, 1}, 1, false}};
  return s;
}

}  // namespace

std::vector<Specimen> coordinate_specimens() { return {simplex(), capped_simplex(), box()}; }

}  // namespace softradial::support
