#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "plot/bubble_map.hpp"
#include "plot/colors.hpp"
#include "plot/contour_lines.hpp"
#include "plot/fluid.hpp"
#include "plot/marks.hpp"
#include "plot/svg.hpp"
#include "plot/ticks.hpp"

namespace softradial::plot {
namespace {

// An axis without words and ticks.
Axis axis_over(Range range, Scale scale = Scale::linear) {
  return {.range = range, .scale = scale, .label = {}, .ticks = {}};
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The points that a path of the commands M, l and Z runs through.
std::vector<Point> points_of(const std::string& path) {
  std::vector<Point> points;
  bool relative = false;
  const char* at = path.c_str();
  while (*at != '\0') {
    if (*at == 'M' || *at == 'l') {
      relative = *at == 'l';
      ++at;
      continue;
    }
    if (*at == 'Z' || *at == ' ') {
      ++at;
      continue;
    }
    char* end = nullptr;
    Point p;
    p.x = std::strtod(at, &end);
    p.y = std::strtod(end, &end);
    at = end;
    if (relative) p = {p.x + points.back().x, p.y + points.back().y};
    points.push_back(p);
  }
  return points;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

// The value of an attribute in the first element after `from` that has it.
std::string attribute(const std::string& text, const std::string& name, std::size_t from = 0) {
  const std::size_t begin = text.find(" " + name + "=\"", from) + name.size() + 3;
  return text.substr(begin, text.find('"', begin) - begin);
}

TEST(Plot, TicksAreRoundNumbersInsideTheRange) {
  for (const Range range :
       {Range{0, 1}, Range{-3.7, 12.2}, Range{0.001, 0.0042}, Range{1e6, 1.1e6}, Range{-1e-9, 1e-9}}) {
    for (const int about : {2, 5, 10}) {
      const std::vector<Tick> ticks = round_ticks(range, Scale::linear, about);
      ASSERT_FALSE(ticks.empty());
      EXPECT_LE(ticks.size(), static_cast<std::size_t>(about) + 2);
      const double width = range.high - range.low;
      for (std::size_t k = 0; k < ticks.size(); ++k) {
        EXPECT_GE(ticks[k].at, range.low - 0.01 * width);
        EXPECT_LE(ticks[k].at, range.high + 0.01 * width);
        EXPECT_NEAR(std::strtod(ticks[k].text.c_str(), nullptr), ticks[k].at, 1e-5 * std::abs(ticks[k].at));
        if (k > 1) {
          EXPECT_NEAR(ticks[k].at - ticks[k - 1].at, ticks[1].at - ticks[0].at, 1e-9 * width);
        }
      }
    }
  }
  EXPECT_TRUE(round_ticks({1, 1}).empty());
}

TEST(Plot, TicksOfALogAxisArePowersOfTen) {
  for (const Tick& tick : round_ticks({1e-8, 3}, Scale::log)) {
    EXPECT_NEAR(std::log10(tick.at), std::round(std::log10(tick.at)), 1e-9);
  }
  EXPECT_EQ(round_ticks({0.01, 100}, Scale::log, 10).size(), 5U);
}

TEST(Plot, PerCentSaysAHundredTimesTheNumber) {
  const std::vector<Tick> expected = {{0, "0 %"}, {0.05, "5 %"}, {0.1, "10 %"}};
  EXPECT_EQ(percent_ticks({0, 0.1}, 2), expected);
}

TEST(Plot, RangeHoldsWhatIsFinite) {
  const Range range = range_of({3, kNan, -1, std::numeric_limits<double>::infinity()});
  EXPECT_LT(range.low, -1);
  EXPECT_GT(range.high, 3);
  EXPECT_LT(range.high, 4);
  EXPECT_EQ(range_of({}), (Range{0, 1}));
  const Range constant = range_of({5, 5});
  EXPECT_LT(constant.low, 5);
  EXPECT_GT(constant.high, 5);
}

// A mean over seeds of a constant is that constant to a rounding. Ticks of so narrow a range had no end.
TEST(Plot, WhatDiffersByRoundingIsAConstant) {
  for (const double value : {2e-5, -3.0, 1e17}) {
    const double next = std::nextafter(value, 2 * value);
    for (const double margin : {0.0, 0.04}) {
      const Range range = range_of({value, next}, margin);
      EXPECT_LT(range.low, std::min(value, next) - std::abs(value) / 4);
      EXPECT_GT(range.high, std::max(value, next) + std::abs(value) / 4);
    }
    EXPECT_LE(round_ticks({std::min(value, next), std::max(value, next)}).size(), 20U);
  }
}

TEST(Plot, PathsComeBackToHalfAUnit) {
  std::vector<Point> points;
  for (int i = 0; i < 500; ++i) points.push_back({double(i), std::sin(0.1 * i) * i});
  for (const int decimals : {0, 1}) {
    const Frame frame{axis_over({0, 500}), axis_over({-500, 500}), 3000, 1000, decimals, false};
    const std::vector<Point> back = points_of(path_through(points, frame));
    ASSERT_EQ(back.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      // Errors do not add up along the path.
      EXPECT_NEAR(back[i].x, frame.place(points[i]).x, decimals == 0 ? 0.51 : 0.051);
      EXPECT_NEAR(back[i].y, frame.place(points[i]).y, decimals == 0 ? 0.51 : 0.051);
    }
  }
}

TEST(Plot, PathsBreakWhereThereIsNoNumber) {
  const Frame frame{{}, {}, 100, 100, 0, false};
  const std::vector<Point> points = {{0, 0}, {0.5, 0.5}, {0.6, kNan}, {0.7, 0.2}, {1, 1}};
  EXPECT_EQ(path_through(points, frame), "M0 100l50-50M70 80l30-80");
  EXPECT_EQ(path_through(std::vector<Point>{{kNan, 0}}, frame, true), "");
}

TEST(Plot, ContoursOfAConeAreCircles) {
  Grid grid{41, 61, {-2, 2}, {-3, 3}, {}};
  for (std::size_t row = 0; row < grid.rows; ++row) {
    for (std::size_t column = 0; column < grid.columns; ++column) {
      grid.values.push_back(std::hypot(-2 + 0.1 * double(column), -3 + 0.1 * double(row)));
    }
  }
  const auto lines = contour_lines(grid, 1.5);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].front(), lines[0].back());
  for (const Point& p : lines[0]) EXPECT_NEAR(std::hypot(p.x, p.y), 1.5, 0.01);
  // A circle that leaves the grid on both sides is two arcs.
  EXPECT_EQ(contour_lines(grid, 2.5).size(), 2U);
  EXPECT_TRUE(contour_lines(grid, 10).empty());
  grid.values[30 * 41 + 35] = kNan;
  const auto broken = contour_lines(grid, 1.5);
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_NE(broken[0].front(), broken[0].back());
}

TEST(Plot, ContoursOfASaddleDoNotCross) {
  const Grid grid{2, 2, {0, 1}, {0, 1}, {1, 0, 0, 1}};
  EXPECT_EQ(contour_lines(grid, 0.4).size(), 2U);
  EXPECT_EQ(contour_lines(grid, 0.6).size(), 2U);
  EXPECT_NE(contour_lines(grid, 0.4)[0], contour_lines(grid, 0.6)[0]);
}

TEST(Plot, StackedAreasEndAtTheirSums) {
  const StackedArea stack{{"a", "b"}, {0, 1}, {{0.2, 0.3}, {0.5, 0.1}}};
  const Frame frame{{}, {}, 100, 1000, 0, true};
  const std::string text = shapes_of(stack, frame);
  const std::size_t second = text.find("<path", 1);
  EXPECT_EQ(attribute(text, "data-series"), "b");
  const std::vector<Point> top = points_of(attribute(text, "d"));
  EXPECT_EQ(top[0], (Point{0, 300}));
  EXPECT_EQ(top[1], (Point{100, 600}));
  const std::vector<Point> bottom = points_of(attribute(text, "d", second));
  EXPECT_EQ(bottom[0], (Point{0, 800}));
  EXPECT_EQ(bottom[1], (Point{100, 700}));
}

TEST(Plot, TextIsEscapedEverywhere) {
  const std::string bad = "<b> & \"c\" 'd'";
  Panel panel{.title = bad, .description = bad, .x = {}, .y = {}, .marks = {}};
  panel.x.label = bad;
  panel.x.ticks = {{0.5, bad}};
  panel.marks = {Line{bad, {{0, 0}, {1, 1}}, {}}, Label{{0.5, 0.5}, bad}, HeatMap{1, 1, {0.5}, {bad}}};
  for (const std::string& text : {svg_of({bad, bad, 100, 100, {{panel, {0, 0, 50, 50}}}}), fluid(panel, 100)}) {
    EXPECT_EQ(text.find("<b>"), std::string::npos);
    EXPECT_EQ(text.find("& "), std::string::npos);
    EXPECT_NE(text.find("&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;"), std::string::npos);
  }
}

TEST(Plot, AScreenReaderFindsTitleAndDescription) {
  const Panel panel{.title = "Wealth", .description = "Five lines.", .x = {}, .y = {}, .marks = {}};
  const std::string picture = svg_of({"Figure", "What it shows.", 100, 100, {{panel, {}}}});
  EXPECT_NE(picture.find("<title id=\"t\">Figure</title>"), std::string::npos);
  EXPECT_NE(picture.find("<desc id=\"d\">What it shows.</desc>"), std::string::npos);
  EXPECT_NE(picture.find("<title>Wealth</title>"), std::string::npos);
  EXPECT_NE(fluid(panel, 100).find("role=\"img\" aria-label=\"Wealth. Five lines.\""), std::string::npos);
}

TEST(Plot, EveryColourHasALightAndADarkOne) {
  const std::string rules = color_rules(":root");
  for (const int color : {kInk, kFaint, 0, 1, kColors - 1}) {
    const std::string name = variable(color).substr(4, variable(color).size() - 5);
    EXPECT_EQ(count(rules, name + ":"), 2U) << name;
  }
  EXPECT_EQ(plain_color(0), plain_color(kColors));
  EXPECT_EQ(variable(1), variable(1 + kColors));
}

// What the report's script does: the numbers of a series from its path and the ends of the axes.
TEST(Plot, ValuesCanBeReadBackFromAFluidPanel) {
  std::vector<Point> points;
  for (int i = 0; i < 1250; ++i) points.push_back({double(i), 1 + 0.3 * std::sin(0.01 * i)});
  for (const Scale scale : {Scale::linear, Scale::log}) {
    const Panel panel{.title = "t",
                      .description = {},
                      .x = axis_over({0, 1249}),
                      .y = axis_over({0.5, 1.5}, scale),
                      .marks = {Line{"a", points, {}}}};
    const std::string text = fluid(panel, 200);
    const double y0 = std::stod(attribute(text, "data-y0"));
    const double y1 = std::stod(attribute(text, "data-y1"));
    EXPECT_EQ(text.find("data-y-log") != std::string::npos, scale == Scale::log);
    const std::vector<Point> back = points_of(attribute(text, "d", text.find("data-series")));
    ASSERT_EQ(back.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double share = 1 - back[i].y / kFluidHeight;
      const double value = scale == Scale::log ? y0 * std::pow(y1 / y0, share) : y0 + (y1 - y0) * share;
      EXPECT_NEAR(value, points[i].y, (y1 - y0) / kFluidHeight);
    }
  }
}

// Bounded: lines of a day each in about five bytes, whatever their values.
TEST(Plot, ADayOfALineTakesFewBytes) {
  std::vector<Point> points;
  for (int i = 0; i < 1250; ++i) points.push_back({double(i), 1 + 0.002 * i + 0.01 * std::sin(i)});
  const Panel panel{.title = "t",
                    .description = {},
                    .x = axis_over({0, 1249}),
                    .y = axis_over({0.5, 4}),
                    .marks = {Line{"a", points, {}}}};
  EXPECT_LT(fluid(panel, 200).size(), 1250U * 6 + 1500);
}

// At 60 degrees of latitude a degree of longitude is half as long: two degrees east are as far as one north.
TEST(BubbleMap, BothDirectionsHaveOneScale) {
  const std::string svg = bubble_map({.title = "<map>",
                                      .description = "",
                                      .bubbles = {{.at = {10, 59.5}, .size = 1, .strength = -1, .label = "a & b"},
                                                  {.at = {12, 60.5}, .size = 4, .strength = 0.5, .label = "c"}}},
                                     300);
  EXPECT_NE(svg.find("viewBox=\"0 0 1004 1004\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("aria-label=\"&lt;map&gt;\""), std::string::npos);
  EXPECT_NE(svg.find("aria-label=\"a &amp; b\""), std::string::npos);
  EXPECT_LT(svg.find("aria-label=\"c\""), svg.find("aria-label=\"a &amp; b\"")) << "the large one is behind";
  EXPECT_NE(svg.find("r=\"34.0\""), std::string::npos);
  EXPECT_NE(svg.find("r=\"17.0\""), std::string::npos) << "the area counts";
}

TEST(BubbleMap, APlaceAloneAndPlacesWithoutSizeAreDrawn) {
  for (const std::vector<Bubble>& bubbles :
       {std::vector<Bubble>{{.at = {5, 5}, .size = 2, .strength = 0, .label = "x"}},
        std::vector<Bubble>{{.at = {5, 5}, .size = 0, .strength = 0, .label = "x"},
                            {.at = {6, 5}, .size = 0, .strength = 0, .label = "y"}}}) {
    const std::string svg = bubble_map({.title = "t", .description = "", .bubbles = bubbles}, 300);
    EXPECT_EQ(count(svg, "class=\"bubble\""), bubbles.size());
    EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
  }
}

}  // namespace
}  // namespace softradial::plot
