// softradial.h: each function checks its arguments and calls the library, inside `guarded`.
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "errors.hpp"
#include "finite_rows.hpp"
#include "handles.hpp"
#include "layer_options.hpp"
#include "set_fields.hpp"
#include "softradial/set_json.hpp"

namespace softradial::c_abi {
namespace {

// Makes a handle. A call that fails leaves null in `out`.
template <class Handle, class Make>
sr_status make_handle(Handle** out, const Make& make) {
  return guarded([&] {
    Handle*& handle = required(out, "out");
    handle = nullptr;
    handle = make().release();
  });
}

template <class Make>
sr_status make_set_handle(sr_set** out, const Make& make) {
  return make_handle(out, [&] { return std::make_unique<sr_set>(make()); });
}

template <class Make>
sr_status write_text(char* buffer, std::size_t capacity, std::size_t* length, const Make& make) {
  return guarded([&] {
    std::size_t& size = required(length, "length");
    size = 0;
    if (capacity > 0) static_cast<void>(required(buffer, "buffer"));
    const std::string text = make();
    size = text.size();
    if (buffer == nullptr) return;
    if (capacity < text.size()) {
      throw Refusal(SR_BUFFER_TOO_SMALL,
                    "the buffer has " + std::to_string(capacity) + " bytes, the text " + std::to_string(text.size()));
    }
    std::copy(text.begin(), text.end(), buffer);
  });
}

void write_point(const Eigen::VectorXd& point, double* out, std::size_t length, const std::string& name) {
  std::copy(point.begin(), point.end(), numbers(out, length, static_cast<std::size_t>(point.size()), name).begin());
}

std::size_t hull_dim(const Anchor& anchor) { return anchor.hull.dim() - anchor.hull.codimension(); }

const Anchor& anchor_of(const sr_layer* handle) {
  const sr_layer& layer = required(handle, "layer");
  if (const Anchor* anchor = layer.anchor()) return *anchor;
  throw Refusal(SR_NOT_AVAILABLE, std::string(method_name(layer.options.method)) + " has no anchor");
}

template <class T, class Given>
sr_status violation(const sr_set* handle, const Given& given, double* out, std::size_t length) {
  return guarded([&] {
    const sr_set& set = required(handle, "set");
    const Rows<const T> x = input_rows(given, set.set.dim(), "x");
    const auto violations = numbers(out, length, x.count(), "out");
    const auto meter = set.meters.lend([&] { return ViolationMeter(set.set); });
    std::vector<double> point(x.dim());
    for (std::size_t i = 0; i < x.count(); ++i) {
      std::copy_n(x.row(i), x.dim(), point.begin());
      violations[i] = (*meter).beyond_rounding(point, std::numeric_limits<T>::epsilon());
    }
  });
}

// Checks the rows that are the first argument of every call of a layer.
template <class T, class Given>
Rows<const T> layer_input(const sr_layer& layer, const Given& given, std::size_t dim, const char* name) {
  const Rows<const T> rows = input_rows(given, dim, name);
  if (layer.options.check_finite) require_finite(rows, name);
  return rows;
}

enum class Pass { training, evaluation };

template <class T, class Given, class Out>
sr_status project(Pass pass, const sr_layer* handle, const Given& given_u, const Out& given_x) {
  return guarded([&] {
    const sr_layer& layer = required(handle, "layer");
    const auto u = layer_input<T>(layer, given_u, layer.input_dim(), "u");
    const Rows<T> x = output_rows(given_x, u.count(), layer.dim(), "x");
    if (const RadialMap* map = layer.map()) {
      const auto workspace = map->lend_workspace<T>();
      map->evaluator<T>().project(u, x, *workspace);
      return;
    }
    const Layer<T>& other = std::get<OtherLayer>(layer.made).layer<T>();
    if (pass == Pass::evaluation) {
      other.evaluate(u, x);
    } else {
      other.project(u, x, {});
    }
  });
}

// Runs the forward pass, then the backward pass, which needs what the forward pass saved.
template <class T>
void vjp_of_layer(const Layer<T>& layer, Rows<const T> u, Rows<const T> grad_x, Rows<T> grad_u) {
  std::vector<T> points(u.count() * layer.dim());
  std::vector<T> states(u.count() * layer.state_dim());
  const Rows<T> x(points.data(), u.count(), layer.dim());
  const Rows<T> state(states.data(), u.count(), layer.state_dim());
  layer.project(u, x, state);
  layer.project_vjp(u, x, state, grad_x, grad_u);
}

template <class T, class Given, class Out>
sr_status project_vjp(const sr_layer* handle, const Given& given_u, const Given& given_grad_x, const Out& given_out) {
  return guarded([&] {
    const sr_layer& layer = required(handle, "layer");
    const auto u = layer_input<T>(layer, given_u, layer.input_dim(), "u");
    const Rows<const T> grad_x = input_rows(given_grad_x, u.count(), layer.dim(), "grad_x");
    const Rows<T> grad_u = output_rows(given_out, u.count(), layer.input_dim(), "grad_u");
    if (const RadialMap* map = layer.map()) {
      const auto workspace = map->lend_workspace<T>();
      map->evaluator<T>().project_vjp(u, grad_x, grad_u, *workspace);
    } else {
      vjp_of_layer(std::get<OtherLayer>(layer.made).layer<T>(), u, grad_x, grad_u);
    }
  });
}

[[noreturn]] void refuse(const sr_layer& layer, const char* quantity, bool (*quality)(const LayerMethod&)) {
  throw Refusal(SR_NOT_AVAILABLE, std::string(quantity) + " is for " + methods_with(quality) + ", not for " +
                                      std::string(method_name(layer.options.method)));
}

// Computes a quantity of the methods that have an inverse. The maps of the core work in a workspace: use(evaluator, rows,
// workspace...); the other layers bring their own memory: use(layer, rows).
template <class T, class Given, class Use>
sr_status with_bijection(const sr_layer* handle, const char* quantity, const Given& given, const char* name,
                         const Use& use) {
  return guarded([&] {
    const sr_layer& layer = required(handle, "layer");
    if (!has_inverse(layer.options.method)) refuse(layer, quantity, has_inverse);
    const auto rows = layer_input<T>(layer, given, layer.dim(), name);
    if (const RadialMap* const map = layer.map()) {
      const auto workspace = map->lend_workspace<T>();
      use(map->evaluator<T>(), rows, *workspace);
    } else {
      use(std::get<OtherLayer>(layer.made).layer<T>(), rows);
    }
  });
}

template <class T, class Given, class Out>
sr_status project_jvp(const sr_layer* layer, const Given& given_u, const Given& given_tangent, const Out& given_out) {
  return with_bijection<T>(layer, "project_jvp", given_u, "u", [&](const auto& map, auto u, auto&... workspace) {
    const Rows<const T> tangent_u = input_rows(given_tangent, u.count(), u.dim(), "tangent_u");
    const Rows<T> tangent_x = output_rows(given_out, u.count(), u.dim(), "tangent_x");
    map.project_jvp(u, tangent_u, tangent_x, workspace...);
  });
}

template <class T, class Given, class Out>
sr_status inverse(const sr_layer* layer, const Given& given_x, const Out& given_u) {
  return with_bijection<T>(layer, "inverse", given_x, "x", [&](const auto& map, auto x, auto&... workspace) {
    map.inverse(x, output_rows(given_u, x.count(), x.dim(), "u"), workspace...);
  });
}

template <class T, class Given>
sr_status log_abs_det(const sr_layer* layer, const Given& given_u, T* out, std::size_t length) {
  return with_bijection<T>(layer, "log_abs_det", given_u, "u", [&](const auto& map, auto u, auto&... workspace) {
    map.log_abs_det(u, numbers(out, length, u.count(), "out"), workspace...);
  });
}

template <class T, class Given>
sr_status slack(const sr_layer* handle, const Given& given_u, T* out, std::size_t length) {
  return guarded([&] {
    const sr_layer& layer = required(handle, "layer");
    const RadialMap* const map = layer.map();
    if (map == nullptr) refuse(layer, "slack", [](const LayerMethod& m) { return radial_method(m).has_value(); });
    const auto u = layer_input<T>(layer, given_u, layer.dim(), "u");
    const auto workspace = map->lend_workspace<T>();
    map->evaluator<T>().slack(u, numbers(out, length, u.count(), "out"), *workspace);
  });
}

// The options that make the same layer again, with the anchor and the lambda that were found.
LayerOptions found_options(const sr_layer& layer) {
  LayerOptions options = layer.options;
  if (const Anchor* anchor = layer.anchor()) options.projection.anchor_point = anchor->point;
  if (const RadialMap* map = layer.map()) {
    if (const auto* soft = std::get_if<SoftRadial>(&map->method())) {
      options.method = *soft;
      options.auto_lambda = false;
    }
  }
  return options;
}

}  // namespace
}  // namespace softradial::c_abi

namespace c = softradial::c_abi;

extern "C" {

const char* sr_status_name(sr_status status) {
  switch (status) {
    case SR_OK:
      return "SR_OK";
    case SR_INVALID_ARGUMENT:
      return "SR_INVALID_ARGUMENT";
    case SR_INVALID_SET:
      return "SR_INVALID_SET";
    case SR_INVALID_OPTION:
      return "SR_INVALID_OPTION";
    case SR_NO_INTERIOR:
      return "SR_NO_INTERIOR";
    case SR_ANCHOR_NOT_INTERIOR:
      return "SR_ANCHOR_NOT_INTERIOR";
    case SR_SHAPE:
      return "SR_SHAPE";
    case SR_NOT_FINITE:
      return "SR_NOT_FINITE";
    case SR_NOT_AVAILABLE:
      return "SR_NOT_AVAILABLE";
    case SR_BUFFER_TOO_SMALL:
      return "SR_BUFFER_TOO_SMALL";
    case SR_OUT_OF_MEMORY:
      return "SR_OUT_OF_MEMORY";
    case SR_INTERNAL:
      return "SR_INTERNAL";
    default:
      return "unknown status";
  }
}

const char* sr_error_text(size_t* length) {
  const c::ErrorText error = c::last_error();
  if (length != nullptr) *length = error.length;
  return error.text;
}

const char* sr_version(void) { return SOFTRADIAL_VERSION; }
int32_t sr_abi_version(void) { return SR_ABI_VERSION; }

sr_status sr_set_parse(const char* json, size_t length, sr_set** out) {
  return c::make_set_handle(out, [&] { return softradial::parse_set(c::text(json, length, "json")); });
}

sr_status sr_set_load(const char* path, size_t length, sr_set** out) {
  return c::make_set_handle(out, [&] { return softradial::load_set(c::text(path, length, "path")); });
}

sr_status sr_set_make(const char* type, size_t type_length, const sr_field* fields, size_t num_fields, sr_set** out) {
  return c::make_set_handle(out, [&] {
    if (num_fields > 0) static_cast<void>(c::required(fields, "fields"));
    return c::make_set(c::word(type, type_length, "type"), {fields, num_fields});
  });
}

sr_status sr_set_with_anchor(const sr_set* set, const double* anchor, size_t length, sr_set** out) {
  return c::make_set_handle(out, [&] {
    const softradial::Set& given = c::required(set, "set").set;
    const auto point = c::numbers(anchor, length, given.dim(), "anchor");
    return given.with_anchor(Eigen::Map<const Eigen::VectorXd>(point.data(), static_cast<Eigen::Index>(length)));
  });
}

void sr_set_free(sr_set* set) { delete set; }

sr_status sr_set_dim(const sr_set* set, size_t* out) {
  return c::guarded([&] { c::required(out, "out") = c::required(set, "set").set.dim(); });
}

sr_status sr_set_to_json(const sr_set* set, char* buffer, size_t capacity, size_t* length) {
  return c::write_text(buffer, capacity, length, [&] { return softradial::to_json(c::required(set, "set").set); });
}

sr_status sr_set_to_text(const sr_set* set, char* buffer, size_t capacity, size_t* length) {
  return c::write_text(buffer, capacity, length, [&] { return to_string(c::required(set, "set").set); });
}

sr_status sr_set_find_anchor(const sr_set* set, const char* search, size_t search_length, double* anchor, size_t length,
                             double* slack, size_t* hull_dim) {
  return c::guarded([&] {
    const softradial::Set& given = c::required(set, "set").set;
    const std::string word = c::word(search, search_length, "search");
    const softradial::Anchor found =
        require_anchor(given, word.empty() ? softradial::AnchorSearch::automatic : softradial::anchor_search(word));
    c::write_point(found.point, anchor, length, "anchor");
    if (slack != nullptr) *slack = found.slack;
    if (hull_dim != nullptr) *hull_dim = c::hull_dim(found);
  });
}

sr_status sr_set_violation_f32(const sr_set* set, sr_const_rows_f32 x, double* out, size_t length) {
  return c::violation<float>(set, x, out, length);
}
sr_status sr_set_violation_f64(const sr_set* set, sr_const_rows_f64 x, double* out, size_t length) {
  return c::violation<double>(set, x, out, length);
}

sr_status sr_set_types(char* buffer, size_t capacity, size_t* length) {
  return c::write_text(buffer, capacity, length, [] { return softradial::set_types_json(); });
}

sr_status sr_layer_make(const sr_set* set, const char* options, size_t length, sr_layer** out) {
  return c::make_handle(out, [&] {
    const softradial::Set& given = c::required(set, "set").set;
    return std::make_unique<sr_layer>(given, c::parse_layer_options(c::text(options, length, "options")));
  });
}

void sr_layer_free(sr_layer* layer) { delete layer; }

sr_status sr_layer_dim(const sr_layer* layer, size_t* out) {
  return c::guarded([&] { c::required(out, "out") = c::required(layer, "layer").dim(); });
}

sr_status sr_layer_input_dim(const sr_layer* layer, size_t* out) {
  return c::guarded([&] { c::required(out, "out") = c::required(layer, "layer").input_dim(); });
}

sr_status sr_layer_to_json(const sr_layer* layer, char* buffer, size_t capacity, size_t* length) {
  return c::write_text(buffer, capacity, length,
                       [&] { return c::to_json(c::found_options(c::required(layer, "layer"))); });
}

sr_status sr_layer_anchor(const sr_layer* layer, double* anchor, size_t length) {
  return c::guarded([&] { c::write_point(c::anchor_of(layer).point, anchor, length, "anchor"); });
}

sr_status sr_layer_hull_dim(const sr_layer* layer, size_t* out) {
  return c::guarded([&] { c::required(out, "out") = c::hull_dim(c::anchor_of(layer)); });
}

sr_status sr_project_f32(const sr_layer* layer, sr_const_rows_f32 u, sr_rows_f32 x) {
  return c::project<float>(c::Pass::training, layer, u, x);
}
sr_status sr_project_f64(const sr_layer* layer, sr_const_rows_f64 u, sr_rows_f64 x) {
  return c::project<double>(c::Pass::training, layer, u, x);
}
sr_status sr_evaluate_f32(const sr_layer* layer, sr_const_rows_f32 u, sr_rows_f32 x) {
  return c::project<float>(c::Pass::evaluation, layer, u, x);
}
sr_status sr_evaluate_f64(const sr_layer* layer, sr_const_rows_f64 u, sr_rows_f64 x) {
  return c::project<double>(c::Pass::evaluation, layer, u, x);
}

sr_status sr_project_vjp_f32(const sr_layer* layer, sr_const_rows_f32 u, sr_const_rows_f32 grad_x, sr_rows_f32 grad_u) {
  return c::project_vjp<float>(layer, u, grad_x, grad_u);
}
sr_status sr_project_vjp_f64(const sr_layer* layer, sr_const_rows_f64 u, sr_const_rows_f64 grad_x, sr_rows_f64 grad_u) {
  return c::project_vjp<double>(layer, u, grad_x, grad_u);
}

sr_status sr_project_jvp_f32(const sr_layer* layer, sr_const_rows_f32 u, sr_const_rows_f32 tangent_u,
                             sr_rows_f32 tangent_x) {
  return c::project_jvp<float>(layer, u, tangent_u, tangent_x);
}
sr_status sr_project_jvp_f64(const sr_layer* layer, sr_const_rows_f64 u, sr_const_rows_f64 tangent_u,
                             sr_rows_f64 tangent_x) {
  return c::project_jvp<double>(layer, u, tangent_u, tangent_x);
}

sr_status sr_inverse_f32(const sr_layer* layer, sr_const_rows_f32 x, sr_rows_f32 u) {
  return c::inverse<float>(layer, x, u);
}
sr_status sr_inverse_f64(const sr_layer* layer, sr_const_rows_f64 x, sr_rows_f64 u) {
  return c::inverse<double>(layer, x, u);
}

sr_status sr_log_abs_det_f32(const sr_layer* layer, sr_const_rows_f32 u, float* out, size_t length) {
  return c::log_abs_det(layer, u, out, length);
}
sr_status sr_log_abs_det_f64(const sr_layer* layer, sr_const_rows_f64 u, double* out, size_t length) {
  return c::log_abs_det(layer, u, out, length);
}

sr_status sr_slack_f32(const sr_layer* layer, sr_const_rows_f32 u, float* out, size_t length) {
  return c::slack(layer, u, out, length);
}
sr_status sr_slack_f64(const sr_layer* layer, sr_const_rows_f64 u, double* out, size_t length) {
  return c::slack(layer, u, out, length);
}

sr_status sr_methods(char* buffer, size_t capacity, size_t* length) {
  return c::write_text(buffer, capacity, length, [] { return c::methods_json(); });
}

}  // extern "C"
