// What the header promises besides numbers: errors instead of crashes, texts with lengths, handles for many threads.
#include <array>
#include <limits>
#include <random>
#include <thread>

#include "c_abi/handles.hpp"
#include "support/allocation_counter.hpp"

namespace softradial::test {
namespace {

constexpr const char* kTriangle = R"({"type": "polyhedron", "A": [[1, 1], [-1, 0], [0, -1]], "b": [1, 0, 0]})";
constexpr const char* kCapped = R"({"type": "capped_simplex", "dim": 3, "cap": 0.5})";

// A call that must fail, and the whole line that it leaves.
void expect_error(sr_status given, sr_status expected, const std::string& text) {
  EXPECT_STREQ(sr_status_name(given), sr_status_name(expected)) << error_text();
  EXPECT_EQ(error_text(), text);
}

sr_status parse_status(std::string_view json) {
  sr_set* out = nullptr;
  const sr_status status = sr_set_parse(json.data(), json.size(), &out);
  EXPECT_EQ(out == nullptr, status != SR_OK);
  sr_set_free(out);
  return status;
}

sr_status make_status(const SetHandle& set, std::string_view options) {
  sr_layer* out = nullptr;
  const sr_status status = sr_layer_make(set.get(), options.data(), options.size(), &out);
  EXPECT_EQ(out == nullptr, status != SR_OK);
  sr_layer_free(out);
  return status;
}

TEST(CAbi, SaysItsVersion) {
  EXPECT_STREQ(sr_version(), SOFTRADIAL_VERSION);
  EXPECT_EQ(sr_abi_version(), SR_ABI_VERSION);
}

TEST(CAbi, StatusesHaveNames) {
  EXPECT_STREQ(sr_status_name(SR_OK), "SR_OK");
  EXPECT_STREQ(sr_status_name(SR_INTERNAL), "SR_INTERNAL");
  EXPECT_STREQ(sr_status_name(SR_INTERNAL + 1), "unknown status");
  EXPECT_STREQ(sr_status_name(-1), "unknown status");
  for (sr_status status = SR_OK; status <= SR_INTERNAL; ++status) {
    EXPECT_EQ(std::string(sr_status_name(status)).rfind("SR_", 0), 0U) << status;
  }
}

TEST(CAbi, SetsThatAreWrongAreErrors) {
  expect_error(
      parse_status(""), SR_INVALID_SET,
      "line 1, column 1: syntax error while parsing value - unexpected end of input; expected '[', '{', or a literal");
  EXPECT_EQ(parse_status(R"({"type": "sphere"})"), SR_INVALID_SET);
  EXPECT_NE(error_text().find("unknown set type \"sphere\""), std::string::npos);
  EXPECT_EQ(parse_status(R"({"type": "capped_simplex", "dim": 3, "cap": 0.1})"), SR_INVALID_SET);
  EXPECT_NE(error_text().find("cap"), std::string::npos) << error_text();
  sr_set* set = nullptr;
  expect_error(sr_set_parse(nullptr, 3, &set), SR_INVALID_ARGUMENT, "json is null");
  expect_error(sr_set_parse(kCapped, 3, nullptr), SR_INVALID_ARGUMENT, "out is null");
  EXPECT_EQ(sr_set_load("/no/such/set.json", 17, &set), SR_INVALID_SET);
  EXPECT_EQ(error_text().rfind("/no/such/set.json: cannot be opened", 0), 0U) << error_text();
}

// A text ends where its length says, whatever follows it in memory.
TEST(CAbi, TextsHaveLengths) {
  const std::string text = std::string(kCapped) + "and more";
  sr_set* set = nullptr;
  expect_ok(sr_set_parse(text.data(), std::string_view(kCapped).size(), &set));
  sr_set_free(set);
}

TEST(CAbi, OptionsThatAreWrongAreErrors) {
  const SetHandle set = parse(kCapped);
  EXPECT_EQ(make_status(set, "{"), SR_INVALID_OPTION);
  EXPECT_EQ(error_text().rfind("options: line 1", 0), 0U) << error_text();
  EXPECT_EQ(make_status(set, R"({"method": "a\nb"})"), SR_INVALID_OPTION);
  EXPECT_EQ(error_text().rfind("method 'a?b' is unknown", 0), 0U) << error_text();
  expect_error(make_status(set, "[]"), SR_INVALID_OPTION, "options: expected an object, got []");
  expect_error(
      make_status(set, R"({"method": "softmin"})"), SR_INVALID_OPTION,
      "method 'softmin' is unknown; there are soft_radial, hard_radial, gauge_map, soft_orthogonal, mirror, softmax, "
      "orthogonal, dc3, hardnet, hardnet_aff, hardnet_cvx, rayen, ray_scalar, hop, hp, soft_penalty");
  expect_error(make_status(set, R"({"method": "dc3", "lambda": 1})"), SR_INVALID_OPTION,
               "dc3 has no option 'lambda'; it has steps, learning_rate, momentum, symmetric");
  expect_error(make_status(set, R"({"lambda": 0})"), SR_INVALID_OPTION, "lambda is 0, not a positive number");
  expect_error(make_status(set, R"({"lambda": "one"})"), SR_INVALID_OPTION,
               "options: lambda: expected a number, got \"one\"");
  expect_error(make_status(set, R"({"contraction": "cubic"})"), SR_INVALID_OPTION,
               "contraction 'cubic' is unknown; there are rational, exponential, hyperbolic");
  expect_error(make_status(set, R"({"anchor": "best"})"), SR_INVALID_OPTION,
               "anchor 'best' is unknown; there are auto, chebyshev, analytic");
  expect_error(make_status(set, R"({"anchor": 3})"), SR_INVALID_OPTION,
               "options: anchor: expected a word or a list of numbers, got 3");
  expect_error(make_status(set, R"({"method": "orthogonal", "anchor": "analytic"})"), SR_INVALID_OPTION,
               "options: anchor: orthogonal has no anchor");
  expect_error(make_status(set, R"({"check_finite": 1})"), SR_INVALID_OPTION,
               "options: check_finite: expected true or false, got 1");
  EXPECT_EQ(make_status(set, R"({"anchor": [1, 0, 0]})"), SR_ANCHOR_NOT_INTERIOR);
  EXPECT_EQ(make_status(set, R"({"anchor": [0.5, 0.5]})"), SR_SHAPE);
  EXPECT_EQ(make_status(parse(R"({"type": "ball", "center": [0, 0], "radius": 1})"), R"({"method": "softmax"})"),
            SR_INVALID_SET);
  EXPECT_EQ(make_status(parse(R"({"type": "box", "lower": [0, 1], "upper": [1, 1], "anchor": [0.5, 1]})"), ""), SR_OK);
  EXPECT_EQ(make_status(parse(R"({"type": "polyhedron", "A": [[1], [-1]], "b": [0, -1]})"), ""), SR_NO_INTERIOR);
}

TEST(CAbi, NullHandlesAreErrors) {
  const double u = 0;
  double x = 0;
  std::size_t size = 0;
  sr_set* set = nullptr;
  sr_layer* layer = nullptr;
  const sr_const_rows_f64 one = {&u, 1, 1, 1};
  const sr_rows_f64 result = {&x, 1, 1, 1};
  expect_error(sr_layer_make(nullptr, "", 0, &layer), SR_INVALID_ARGUMENT, "set is null");
  expect_error(sr_layer_make(parse(kCapped).get(), nullptr, 5, &layer), SR_INVALID_ARGUMENT, "options is null");
  for (const sr_status status : {sr_set_dim(nullptr, &size),
                                 sr_set_to_json(nullptr, nullptr, 0, &size),
                                 sr_set_to_text(nullptr, nullptr, 0, &size),
                                 sr_set_with_anchor(nullptr, &u, 1, &set),
                                 sr_set_find_anchor(nullptr, nullptr, 0, &x, 1, nullptr, nullptr),
                                 sr_set_violation_f64(nullptr, one, &x, 1),
                                 sr_set_violation_f32(nullptr, {}, nullptr, 0),
                                 sr_layer_dim(nullptr, &size),
                                 sr_layer_input_dim(nullptr, &size),
                                 sr_layer_hull_dim(nullptr, &size),
                                 sr_layer_anchor(nullptr, &x, 1),
                                 sr_layer_to_json(nullptr, nullptr, 0, &size),
                                 sr_project_f64(nullptr, one, result),
                                 sr_project_f32(nullptr, {}, {}),
                                 sr_evaluate_f64(nullptr, one, result),
                                 sr_evaluate_f32(nullptr, {}, {}),
                                 sr_project_vjp_f64(nullptr, one, one, result),
                                 sr_project_vjp_f32(nullptr, {}, {}, {}),
                                 sr_project_jvp_f64(nullptr, one, one, result),
                                 sr_project_jvp_f32(nullptr, {}, {}, {}),
                                 sr_inverse_f64(nullptr, one, result),
                                 sr_inverse_f32(nullptr, {}, {}),
                                 sr_log_abs_det_f64(nullptr, one, &x, 1),
                                 sr_log_abs_det_f32(nullptr, {}, nullptr, 0),
                                 sr_slack_f64(nullptr, one, &x, 1),
                                 sr_slack_f32(nullptr, {}, nullptr, 0),
                                 sr_set_types(nullptr, 0, nullptr),
                                 sr_methods(nullptr, 3, &size)}) {
    EXPECT_STREQ(sr_status_name(status), "SR_INVALID_ARGUMENT");
  }
  sr_set_free(nullptr);
  sr_layer_free(nullptr);
}

TEST(CAbi, LengthsThatDoNotFitAreErrors) {
  const LayerHandle layer = make(parse(kCapped));
  std::array<double, 6> u = {};
  std::array<double, 6> x = {};
  const auto project = [&](sr_const_rows_f64 from, sr_rows_f64 to) { return sr_project_f64(layer.get(), from, to); };
  const sr_const_rows_f64 good = {u.data(), 2, 3, 3};
  expect_ok(project(good, {x.data(), 2, 3, 3}));
  expect_error(project({u.data(), 3, 2, 2}, {x.data(), 3, 2, 2}), SR_SHAPE, "u has rows of 2 numbers, expected 3");
  expect_error(project(good, {x.data(), 2, 2, 2}), SR_SHAPE, "x has rows of 2 numbers, expected 3");
  expect_error(project(good, {x.data(), 1, 3, 3}), SR_SHAPE, "x has 1 rows, expected 2");
  expect_error(project({nullptr, 2, 3, 3}, {x.data(), 2, 3, 3}), SR_INVALID_ARGUMENT, "u.data is null");
  expect_error(project(good, {nullptr, 2, 3, 3}), SR_INVALID_ARGUMENT, "x.data is null");
  expect_error(project(good, {x.data(), 2, 3, 2}), SR_SHAPE,
               "x has rows of 3 numbers that are 2 numbers apart: they overlap");
  expect_error(project(good, {x.data(), 2, 3, 0}), SR_SHAPE,
               "x has rows of 3 numbers that are 0 numbers apart: they overlap");
  expect_error(project({u.data(), std::numeric_limits<std::size_t>::max(), 3, 3}, {x.data(), 2, 3, 3}), SR_SHAPE,
               "u has 18446744073709551615 rows 3 numbers apart: more than memory has");
  expect_error(project({u.data(), 2, 3, std::numeric_limits<std::ptrdiff_t>::min()}, {x.data(), 2, 3, 3}), SR_SHAPE,
               "u has 2 rows -9223372036854775808 numbers apart: more than memory has");
  const auto* crooked = reinterpret_cast<const double*>(reinterpret_cast<const char*>(u.data()) + 1);
  expect_error(project({crooked, 1, 3, 3}, {x.data(), 1, 3, 3}), SR_INVALID_ARGUMENT,
               "u.data is not aligned for its numbers");
  // No rows: nothing is looked at but the widths.
  expect_ok(project({nullptr, 0, 3, 0}, {nullptr, 0, 3, 0}));
  expect_error(project({nullptr, 0, 4, 0}, {nullptr, 0, 3, 0}), SR_SHAPE, "u has rows of 4 numbers, expected 3");

  expect_error(sr_project_vjp_f64(layer.get(), good, {u.data(), 1, 3, 3}, {x.data(), 2, 3, 3}), SR_SHAPE,
               "grad_x has 1 rows, expected 2");
  expect_error(sr_project_jvp_f64(layer.get(), good, good, {x.data(), 2, 4, 4}), SR_SHAPE,
               "tangent_x has rows of 4 numbers, expected 3");
  expect_error(sr_log_abs_det_f64(layer.get(), good, x.data(), 3), SR_SHAPE, "out has 3 places, expected 2");
  expect_error(sr_layer_anchor(layer.get(), x.data(), 2), SR_SHAPE, "anchor has 2 places, expected 3");
  // One row may be repeated without being copied.
  expect_ok(project({u.data(), 2, 3, 0}, {x.data(), 2, 3, 3}));
}

TEST(CAbi, TextsThatDoNotFitAreErrors) {
  const SetHandle set = parse(kCapped);
  std::size_t length = 0;
  expect_ok(sr_set_to_json(set.get(), nullptr, 0, &length));
  std::string buffer(length + 8, '?');
  EXPECT_EQ(sr_set_to_json(set.get(), buffer.data(), length - 1, &length), SR_BUFFER_TOO_SMALL);
  EXPECT_EQ(buffer, std::string(length + 8, '?'));
  expect_ok(sr_set_to_json(set.get(), buffer.data(), buffer.size(), &length));
  EXPECT_EQ(buffer.substr(length), std::string(8, '?')) << "nothing is written behind the text";
  expect_error(sr_set_to_json(set.get(), nullptr, 5, &length), SR_INVALID_ARGUMENT, "buffer is null");
  expect_error(sr_set_to_json(set.get(), nullptr, 0, nullptr), SR_INVALID_ARGUMENT, "length is null");
}

TEST(CAbi, QuantitiesThatAMethodDoesNotHaveAreErrors) {
  const LayerHandle layer = make(parse(kCapped), R"({"method": "orthogonal"})");
  const std::array<float, 3> u = {};
  std::array<float, 3> x = {};
  const sr_const_rows_f32 in = {u.data(), 1, 3, 3};
  expect_error(sr_inverse_f32(layer.get(), in, {x.data(), 1, 3, 3}), SR_NOT_AVAILABLE,
               "inverse is for soft_radial, hard_radial, gauge_map, soft_orthogonal and mirror, not for orthogonal");
  std::array<double, 3> anchor = {};
  expect_error(sr_layer_anchor(layer.get(), anchor.data(), 3), SR_NOT_AVAILABLE, "orthogonal has no anchor");
}

TEST(CAbi, RowsThatAreNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::array<float, 9> u = {1, 0, 0, 0, nan, 0, 0, 0, 1};
  std::array<float, 9> x = {};
  const sr_const_rows_f32 in = {u.data(), 3, 3, 3};
  const sr_rows_f32 out = {x.data(), 3, 3, 3};
  const SetHandle set = parse(kCapped);
  expect_ok(sr_project_f32(make(set).get(), in, out));
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(std::isnan(x[i]), i / 3 == 1) << i;
  for (const char* options : {R"({"check_finite": true})", R"({"method": "orthogonal", "check_finite": true})"}) {
    const LayerHandle layer = make(set, options);
    expect_error(sr_project_f32(layer.get(), in, out), SR_NOT_FINITE, "u has nan in row 1, column 1");
    expect_error(sr_project_vjp_f32(layer.get(), in, in, out), SR_NOT_FINITE, "u has nan in row 1, column 1");
  }
}

// Compiled for float at the first call in it, which fails where float cannot tell the anchor from the boundary: every time,
// and in no other precision.
TEST(CAbi, APrecisionThatIsTooCoarseIsAnError) {
  const LayerHandle layer = make(parse(R"({"type": "box", "lower": [1], "upper": [1.000000001]})"));
  const float narrow = 0;
  const double wide = 0;
  float narrow_x = 0;
  double wide_x = 0;
  for (int repeat = 0; repeat < 2; ++repeat) {
    EXPECT_EQ(sr_project_f32(layer.get(), {&narrow, 1, 1, 1}, {&narrow_x, 1, 1, 1}), SR_ANCHOR_NOT_INTERIOR);
    EXPECT_EQ(sr_project_f32(layer.get(), {nullptr, 0, 1, 1}, {nullptr, 0, 1, 1}), SR_ANCHOR_NOT_INTERIOR);
    expect_ok(sr_project_f64(layer.get(), {&wide, 1, 1, 1}, {&wide_x, 1, 1, 1}));
    EXPECT_TRUE(wide_x > 1 && wide_x < 1.000000001);
  }
}

// A layer keeps what it needs: its set may go first.
TEST(CAbi, LayersOutliveTheirSets) {
  SetHandle set = parse(kTriangle);
  const LayerHandle layer = make(set);
  set.reset();
  const std::array<double, 2> u = {30, 40};
  std::array<double, 2> x = {};
  expect_ok(sr_project_f64(layer.get(), {u.data(), 1, 2, 2}, {x.data(), 1, 2, 2}));
  EXPECT_TRUE(x[0] > 0 && x[1] > 0 && x[0] + x[1] < 1);
}

TEST(CAbi, ARowMayBeProjectedInPlace) {
  const LayerHandle layer = make(parse(kCapped));
  std::array<double, 3> u = {3, -1, 2};
  std::array<double, 3> x = {};
  expect_ok(sr_project_f64(layer.get(), {u.data(), 1, 3, 3}, {x.data(), 1, 3, 3}));
  expect_ok(sr_project_f64(layer.get(), {u.data(), 1, 3, 3}, {u.data(), 1, 3, 3}));
  EXPECT_EQ(u, x);
}

// sr_set_make

sr_field numbers(std::string_view name, const std::vector<double>& values, std::vector<std::size_t> shape) {
  sr_field field = {};
  field.name = name.data();
  field.name_length = name.size();
  field.numbers = values.data();
  field.rank = shape.size();
  std::ranges::copy(shape, field.shape);
  return field;
}

std::string made(std::string_view type, const std::vector<sr_field>& fields) {
  sr_set* out = nullptr;
  expect_ok(sr_set_make(type.data(), type.size(), fields.data(), fields.size(), &out));
  const SetHandle set(out);
  return written([&](char* buffer, std::size_t capacity, std::size_t* length) {
    return sr_set_to_json(set.get(), buffer, capacity, length);
  });
}

void expect_refused(std::string_view type, const std::vector<sr_field>& fields, const std::string& text) {
  sr_set* out = nullptr;
  expect_error(sr_set_make(type.data(), type.size(), fields.data(), fields.size(), &out), SR_INVALID_SET, text);
  EXPECT_EQ(out, nullptr);
}

TEST(CAbi, SetsAreMadeFromArrays) {
  const std::vector<double> A = {1, 1, -1, 0, 0, -1};
  const std::vector<double> b = {1, 0, 0};
  EXPECT_EQ(made("polyhedron", {numbers("A", A, {3, 2}), numbers("b", b, {3})}),
            R"({"type": "polyhedron", "A": [[1, 1], [-1, 0], [0, -1]], "b": [1, 0, 0]})");
  const std::vector<double> four = {4};
  const std::vector<double> cap = {0.4};
  EXPECT_EQ(made("capped_simplex", {numbers("cap", cap, {}), numbers("dim", four, {})}),
            R"({"type": "capped_simplex", "dim": 4, "cap": 0.4, "sum": 1})");
  const std::vector<double> lower = {0, -std::numeric_limits<double>::infinity()};
  const std::vector<double> upper = {1, 1};
  EXPECT_EQ(made("box", {numbers("lower", lower, {2}), numbers("upper", upper, {2})}),
            R"({"type": "box", "lower": [0, null], "upper": [1, 1]})");

  sr_field sparse = numbers("A", A, {3, 2});
  const std::vector<double> entries = {1, 1, -1, -1};
  const std::vector<std::size_t> rows = {0, 0, 1, 2};
  const std::vector<std::size_t> columns = {0, 1, 0, 1};
  sparse.numbers = entries.data();
  sparse.entry_rows = rows.data();
  sparse.entry_columns = columns.data();
  sparse.num_entries = 4;
  EXPECT_EQ(made("polyhedron", {sparse, numbers("b", b, {3})}),
            R"({"type": "polyhedron", "A": {"rows": 3, "cols": 2, "entries": [[0, 0, 1], [0, 1, 1], [1, 0, -1], )"
            R"([2, 1, -1]]}, "b": [1, 0, 0]})");

  const SetHandle first = parse(kTriangle);
  const SetHandle second = parse(R"({"type": "ball", "center": [0, 0], "radius": 1})");
  const std::array<const sr_set*, 2> parts = {first.get(), second.get()};
  sr_field sets = {};
  sets.name = "sets";
  sets.name_length = 4;
  sets.sets = parts.data();
  sets.num_sets = 2;
  EXPECT_EQ(made("intersection", {sets}), std::string(R"({"type": "intersection", "sets": [)") + kTriangle +
                                              R"(, {"type": "ball", "center": [0, 0], "radius": 1}]})");
}

TEST(CAbi, ArraysThatAreWrongAreErrors) {
  const std::vector<double> two = {1, 2};
  const std::vector<double> cap = {0.4};
  const std::vector<double> nan = {std::numeric_limits<double>::quiet_NaN()};
  const std::vector<double> dim = {4};
  const sr_field good = numbers("dim", dim, {});
  expect_refused("cube", {}, "cube: there is no set of this type");
  expect_refused({"\0a\nb", 4}, {}, "?a?b: there is no set of this type");
  expect_refused("capped_simplex", {good}, "capped_simplex: cap is missing");
  expect_refused("capped_simplex", {good, good}, "capped_simplex: dim: is given twice");
  expect_refused("capped_simplex", {good, numbers("caps", cap, {})}, "capped_simplex: caps: there is no such field");
  expect_refused("capped_simplex", {good, numbers("cap", nan, {})}, "capped_simplex: cap is nan, not a finite number");
  expect_refused("simplex", {numbers("dim", two, {2})}, "simplex: dim: expected 0 dimensions, got 1");
  expect_refused("polyhedron", {numbers("A", two, {2})}, "polyhedron: A: expected 2 dimensions, got 1");
  const std::size_t huge = std::size_t{1} << 40;
  expect_refused("polyhedron", {numbers("A", two, {huge, huge})}, "polyhedron: A: its shape is larger than memory");
  sr_field crooked = good;
  crooked.rank = 4;
  expect_refused("simplex", {crooked}, "simplex: dim: expected at most 3 dimensions, got 4");
  sr_field sparse = numbers("A", two, {2, 2});
  const std::vector<std::size_t> rows = {0, 2};
  sparse.entry_rows = sparse.entry_columns = rows.data();
  sparse.num_entries = 2;
  expect_refused("polyhedron", {sparse}, "polyhedron: A: entry 1, (2, 2), lies outside");
  const std::vector<std::size_t> same = {1, 1};
  sparse.entry_rows = sparse.entry_columns = same.data();
  expect_refused("polyhedron", {sparse}, "polyhedron: A: the entry (1, 1) is given twice");
  // Few numbers, and a shape that would take all memory.
  sparse.shape[0] = huge;
  sparse.shape[1] = 2;
  expect_refused("polyhedron", {sparse}, "polyhedron: A: has 1099511627776 rows or columns, expected at most 16777216");
  sr_field wrong = numbers("set", two, {2});
  expect_refused("scaled", {wrong}, "scaled: set: expected sets, got numbers");
  wrong.numbers = nullptr;
  expect_refused("scaled", {wrong}, "scaled: set: expected one set, got 0");

  sr_set* out = nullptr;
  sr_field missing = good;
  missing.numbers = nullptr;
  expect_error(sr_set_make("simplex", 7, &missing, 1, &out), SR_INVALID_ARGUMENT, "dim is null");
  expect_error(sr_set_make("simplex", 7, nullptr, 1, &out), SR_INVALID_ARGUMENT, "fields is null");
  const sr_set* no_set = nullptr;
  wrong.sets = &no_set;
  wrong.num_sets = 1;
  expect_error(sr_set_make("scaled", 6, &wrong, 1, &out), SR_INVALID_ARGUMENT, "set[0] is null");
}

TEST(CAbi, AnchorsOfTheCallers) {
  const SetHandle set = parse(kTriangle);
  const std::array<double, 2> anchor = {0.2, 0.3};
  sr_set* out = nullptr;
  expect_ok(sr_set_with_anchor(set.get(), anchor.data(), 2, &out));
  const SetHandle anchored(out);
  std::array<double, 2> found = {};
  expect_ok(sr_layer_anchor(make(anchored).get(), found.data(), 2));
  EXPECT_EQ(found, anchor);
  expect_error(sr_set_with_anchor(set.get(), anchor.data(), 1, &out), SR_SHAPE, "anchor has 1 places, expected 2");
  EXPECT_EQ(out, nullptr);
}

// Threads

TEST(CAbi, ErrorTextsBelongToTheirThreads) {
  EXPECT_EQ(sr_set_dim(nullptr, nullptr), SR_INVALID_ARGUMENT);
  const std::string mine = error_text();
  std::thread([] {
    EXPECT_EQ(error_text(), "");
    EXPECT_EQ(parse_status("?"), SR_INVALID_SET);
  }).join();
  EXPECT_EQ(error_text(), mine);
}

TEST(CAbi, ALayerServesManyThreads) {
  constexpr std::size_t kThreads = 8;
  constexpr std::size_t kRows = 64;
  for (const char* options : {"", R"({"method": "dc3"})", R"({"method": "orthogonal"})"}) {
    const SetHandle set = parse(kTriangle);
    const LayerHandle layer = make(set, options);
    std::vector<float> u(kRows * 2);
    std::mt19937 random(1);
    for (float& value : u) value = std::normal_distribution<float>(0, 3)(random);
    std::vector<std::vector<float>> results(kThreads, std::vector<float>(u.size()));
    std::vector<std::thread> threads;
    for (std::vector<float>& x : results) {
      threads.emplace_back([&] {
        // The first call in single precision compiles the layer: one of the threads does it for all.
        for (int repeat = 0; repeat < 20; ++repeat) {
          expect_ok(sr_evaluate_f32(layer.get(), {u.data(), kRows, 2, 2}, {x.data(), kRows, 2, 2}));
          std::vector<double> violation(kRows);
          expect_ok(sr_set_violation_f32(set.get(), {x.data(), kRows, 2, 2}, violation.data(), kRows));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::vector<float>& x : results) EXPECT_EQ(x, results.front()) << options;
  }
}

// Once a layer is warm, a map of the core takes no memory.
TEST(CAbi, CallsDoNotAllocate) {
  const LayerHandle layer = make(parse(kTriangle));
  const std::array<double, 4> u = {30, 40, -1, 0.5};
  std::array<double, 4> x = {};
  const auto project = [&] { return sr_project_f64(layer.get(), {u.data(), 2, 2, 2}, {x.data(), 2, 2, 2}); };
  expect_ok(project());
  sr_status worst = SR_OK;
  const support::AllocationGuard guard;
  for (int repeat = 0; repeat < 1000; ++repeat) worst |= project();
  const std::size_t allocations = guard.count();
  EXPECT_EQ(worst, SR_OK);
  EXPECT_EQ(allocations, 0U);
}

// Whatever bytes arrive, and however long they are: a handle or one line.

void expect_line() {
  const std::string text = error_text();
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
}

TEST(CAbi, AnyBytesAreASetOrAnError) {
  std::mt19937 random(3);
  const auto below = [&](std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random); };
  const SetHandle set = parse(kTriangle);
  const std::string options = R"({"method": "soft_radial", "lambda": 2, "anchor": [0.2, 0.3], "check_finite": true})";
  for (int i = 0; i < 4000; ++i) {
    for (const std::string& valid : {std::string(kTriangle), options}) {
      std::string text = valid;
      for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
        text[below(text.size())] = static_cast<char>(below(256));
      }
      text.resize(below(8) == 0 ? below(text.size() + 1) : text.size());
      if (parse_status(text) != SR_OK) expect_line();
      if (make_status(set, text) != SR_OK) expect_line();
    }
  }
  for (std::size_t length = 0; length < std::string_view(kTriangle).size(); ++length) {
    EXPECT_EQ(parse_status(std::string_view(kTriangle, length)), SR_INVALID_SET) << length;
  }
  const std::string deep(100'000, '[');
  EXPECT_EQ(parse_status(deep), SR_INVALID_SET);
  EXPECT_EQ(make_status(set, deep), SR_INVALID_OPTION);
}

}  // namespace
}  // namespace softradial::test
