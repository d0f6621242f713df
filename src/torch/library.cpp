#include <ATen/ATen.h>
#include <torch/custom_class.h>
#include <torch/library.h>

#include <string>
#include <tuple>
#include <vector>

#include "analytic_center.hpp"
#include "composite/radial_map.hpp"
#include "described/description.hpp"
#include "eigen_tensors.hpp"
#include "layer_object.hpp"
#include "layer_samples.hpp"
#include "map_object.hpp"
#include "method_names.hpp"
#include "project.hpp"
#include "samples.hpp"
#include "saved_objects.hpp"
#include "set_builders.hpp"
#include "set_facts.hpp"
#include "set_object.hpp"
#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"

// The schemas of all ops and the three classes that TorchScript knows. Kernels are registered where they are written: cpu/,
// autograd/, composite/, described/.
namespace softradial::ops {
namespace {

// torch.export asks an object how it wants to be traced, and else replaces it by a fake one. Descriptions stand in for ours.
const std::string kKeptAsItIs = "real";

std::tuple<at::Tensor, at::Tensor> analytic_center_op(const at::Tensor& A, const at::Tensor& b, const MaybeTensor& E,
                                                      const MaybeTensor& f, const MaybeTensor& start,
                                                      bool differentiable) {
  Centers centers = analytic_center(A, b, E, f, start, differentiable);
  return {centers.point, centers.status};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> two_sided_rows(const SetPtr& set) {
  const TwoSidedRows rows = softradial::two_sided_rows(set->set());
  return {to_tensor(rows.A), to_tensor(rows.lower), to_tensor(rows.upper)};
}

}  // namespace

TORCH_LIBRARY(softradial, m) {
  m.class_<SetObject>("Set")
      .def_property("dim", [](const SetPtr& set) { return static_cast<int64_t>(set->set().dim()); })
      .def_property("type", [](const SetPtr& set) { return set->set()->describe().type; })
      .def_property("anchor", [](const SetPtr& set) { return known_anchor(set->set()); })
      .def("violation", [](const SetPtr& set, const at::Tensor& x) { return violation(x, set); })
      .def("to_json", [](const SetPtr& set) { return to_json(set->set()); })
      .def("learned", [](const SetPtr& set) { return set->learned(); })
      .def("with_learned",
           [](const SetPtr& set, const SetObject::Tensors& learned) {
             return c10::make_intrusive<SetObject>(set->set(), learned);
           })
      .def("with_anchor",
           [](const SetPtr& set, const at::Tensor& anchor) {
             return c10::make_intrusive<SetObject>(set->set().with_anchor(to_vector(anchor, "anchor")), set->learned());
           })
      .def("equals", [](const SetPtr& set, const SetPtr& other) { return set->set() == other->set(); })
      .def("hash", [](const SetPtr& set) { return hash_of(set->set()); })
      .def("__repr__", [](const SetPtr& set) { return to_string(set->set()); })
      .def("__str__", [](const SetPtr& set) { return to_string(set->set()); })
      .def_pickle([](const SetPtr& set) -> std::string { return to_json(set->set()); },
                  [](const std::string& json) -> SetPtr { return read_set(json); });

  m.class_<MapObject>("Projection")
      .def(torch::init(&make_map))
      .def("with_auto_lambda", [](const MapPtr& map) { return map->with_auto_lambda(); })
      .def_property("lambda_", [](const MapPtr& map) { return method_names(map->method()).lambda; })
      // The ops as methods: from Python, passing an object to an op costs 17 us, calling a method of the object 2 us.
      .def("project",
           [](const MapPtr& map, const at::Tensor& u) { return map->last().watch([&] { return project(u, map); }); })
      .def("project_samples",
           [](const MapPtr& map, const at::Tensor& u, const c10::Dict<std::string, at::Tensor>& data,
              bool anchor_gradient) {
             SampleResult result = project_samples(u, scripted_sample_data(data, *map), anchor_gradient, map);
             map->last().note(result.status);
             return result.x;
           })
      // By plain tensor operations, whatever the dispatcher would choose: graph tracers may keep an op as a whole.
      .def("plain_project", [](const MapPtr& map, const at::Tensor& u) { return composite::project(u, map); })
      .def("plain_log_abs_det", [](const MapPtr& map, const at::Tensor& u) { return composite::log_abs_det(u, map); })
      .def("describe", [](const MapPtr& map) { return describe(map); })
      .def("tracing_mode", [](const MapPtr&) { return kKeptAsItIs; })
      .def("status", [](const MapPtr& map) { return map->last().read(); })
      .def("inverse_samples", [](const MapPtr& map, const at::Tensor& x,
                                 const NamedTensors& data) { return inverse_samples(x, sample_data(data, *map), map); })
      .def("log_abs_det_samples",
           [](const MapPtr& map, const at::Tensor& u, const NamedTensors& data) {
             return log_abs_det_samples(u, sample_data(data, *map), map);
           })
      .def("inverse", [](const MapPtr& map, const at::Tensor& x) { return inverse(x, map); })
      .def("log_abs_det", [](const MapPtr& map, const at::Tensor& u) { return log_abs_det(u, map); })
      .def_property("set", [](const MapPtr& map) { return map->set(); })
      .def_property("dim", [](const MapPtr& map) { return map->dim(); })
      .def_property("hull_dim", [](const MapPtr& map) { return map->hull_dim(); })
      .def_property("anchor", [](const MapPtr& map) { return to_tensor(map->anchor().point); })
      .def_property("normals", [](const MapPtr& map) { return to_tensor(map->anchor().hull.normals); })
      .def_pickle([](const MapPtr& map) -> SavedMap { return save_map(map); },
                  [](const SavedMap& saved) -> MapPtr { return load_map(saved); });

  m.class_<LayerObject>("Layer")
      .def(torch::init(&make_layer_object))
      .def("project", [](const LayerObjectPtr& layer, const at::Tensor& u,
                         bool training) { return project_layer(u, layer, training); })
      .def("project_samples", [](const LayerObjectPtr& layer, const at::Tensor& u, const NamedTensors& data,
                                 bool training) { return project_layer_samples(u, data, layer, training).x; })
      .def("inverse_samples", [](const LayerObjectPtr& layer, const at::Tensor& x,
                                 const NamedTensors& data) { return layer_inverse_samples(x, data, layer); })
      .def("log_abs_det_samples", [](const LayerObjectPtr& layer, const at::Tensor& u,
                                     const NamedTensors& data) { return layer_log_abs_det_samples(u, data, layer); })
      .def("inverse", [](const LayerObjectPtr& layer, const at::Tensor& x) { return layer_inverse(x, layer); })
      .def("log_abs_det", [](const LayerObjectPtr& layer, const at::Tensor& u) { return layer_log_abs_det(u, layer); })
      .def_property("set", [](const LayerObjectPtr& layer) { return layer->set(); })
      .def_property("method",
                    [](const LayerObjectPtr& layer) { return std::string(softradial::method_name(layer->method())); })
      .def_property("input_dim", [](const LayerObjectPtr& layer) { return layer->input_dim(); })
      .def_property("dim", [](const LayerObjectPtr& layer) { return layer->dim(); })
      .def_property("state_dim", [](const LayerObjectPtr& layer) { return layer->state_dim(); })
      .def_property("differs_in_training", [](const LayerObjectPtr& layer) { return layer->differs_in_training(); })
      .def("describe", [](const LayerObjectPtr& layer) { return describe(layer); })
      .def("tracing_mode", [](const LayerObjectPtr&) { return kKeptAsItIs; })
      .def_pickle([](const LayerObjectPtr& layer) -> SavedLayer { return save_layer(layer); },
                  [](const SavedLayer& saved) -> LayerObjectPtr { return load_layer(saved); });

  m.def(
      "make_set(str type, Dict(str, Tensor) data, __torch__.torch.classes.softradial.Set[] sets) -> "
      "__torch__.torch.classes.softradial.Set",
      make_set);
  m.def("set_types() -> str", set_types_json);
  m.def("read_set(str json) -> __torch__.torch.classes.softradial.Set", read_set);
  m.def("read_set_file(str path) -> __torch__.torch.classes.softradial.Set", read_set_file);

  m.def("project(Tensor u, __torch__.torch.classes.softradial.Projection map) -> Tensor");
  m.def("project_with_state(Tensor u, __torch__.torch.classes.softradial.Projection map) -> (Tensor x, Tensor state)");
  m.def(
      "project_backward(Tensor grad_x, Tensor u, Tensor state, __torch__.torch.classes.softradial.Projection map) -> "
      "Tensor");
  m.def("inverse(Tensor x, __torch__.torch.classes.softradial.Projection map) -> Tensor");
  m.def("find_inverse(Tensor x, __torch__.torch.classes.softradial.Projection map) -> Tensor");
  m.def("log_abs_det(Tensor u, __torch__.torch.classes.softradial.Projection map) -> Tensor");
  m.def(
      "profile_step(Tensor rho, Tensor gamma, Tensor scale, str method, str contraction, float lambda_, float epsilon) "
      "-> Tensor");
  m.def(
      "profile_log_scale(Tensor rho, Tensor gamma, Tensor scale, str method, str contraction, float lambda_, "
      "float epsilon) -> (Tensor log_phi, Tensor log_radial)");
  m.def(
      "profile_inverse_scale(Tensor s, Tensor eta, str method, str contraction, float lambda_, float epsilon) -> "
      "Tensor");
  m.def(
      "project_bounds(Tensor u, Tensor lower, Tensor upper, Tensor? sum, Tensor? anchor, "
      "__torch__.torch.classes.softradial.Projection map) -> (Tensor x, Tensor status, Tensor state)");
  m.def(
      "project_bounds_backward(Tensor grad_x, Tensor u, Tensor lower, Tensor upper, Tensor? sum, Tensor? anchor, "
      "Tensor status, Tensor state, bool[4] wanted, __torch__.torch.classes.softradial.Projection map) -> "
      "(Tensor u, Tensor lower, Tensor upper, Tensor sum, Tensor anchor)");
  m.def(
      "project_polyhedra(Tensor u, Tensor A, Tensor b, Tensor? image, Tensor anchor, "
      "__torch__.torch.classes.softradial.Projection map) -> (Tensor x, Tensor status, Tensor state)");
  m.def(
      "project_polyhedra_backward(Tensor grad_x, Tensor u, Tensor A, Tensor b, Tensor? image, Tensor anchor, "
      "Tensor status, Tensor state, bool[3] wanted, __torch__.torch.classes.softradial.Projection map) -> "
      "(Tensor u, Tensor A, Tensor b, Tensor anchor)");
  m.def(
      "project_samples(Tensor u, __torch__.torch.classes.softradial.Projection map, Dict(str, Tensor) data, "
      "bool anchor_gradient=False) -> (Tensor x, Tensor status)");
  m.def(
      "analytic_center(Tensor A, Tensor b, Tensor? E=None, Tensor? f=None, Tensor? start=None, *, "
      "bool differentiable=False) -> (Tensor point, Tensor status)",
      analytic_center_op);
  m.def(
      "find_interior(Tensor A, Tensor b, Tensor? E, Tensor? f, Tensor point, Tensor distances, Tensor? shift) -> "
      "(Tensor point, Tensor status)");
  m.def("find_centers(Tensor A, Tensor b, Tensor? E, Tensor? f, Tensor? start) -> (Tensor point, Tensor status)");
  m.def(
      "layer_forward(Tensor u, __torch__.torch.classes.softradial.Layer layer, bool training) -> "
      "(Tensor x, Tensor state)");
  m.def(
      "layer_backward(Tensor grad_x, Tensor u, Tensor x, Tensor state, __torch__.torch.classes.softradial.Layer layer) "
      "-> Tensor");
  m.def(
      "nearest_polyhedra(Tensor u, Tensor b, Tensor f, Tensor A, Tensor E, int? steps, "
      "__torch__.torch.classes.softradial.Projection map) -> (Tensor x, Tensor duals)");
  m.def(
      "nearest_polyhedra_backward(Tensor grad_x, Tensor u, Tensor b, Tensor f, Tensor A, Tensor E, Tensor x, "
      "Tensor duals, int[] wanted, __torch__.torch.classes.softradial.Projection map) -> "
      "(Tensor u, Tensor b, Tensor f, Tensor A, Tensor E)");
  m.def(
      "layer_each(Tensor u, Tensor[] data, str[] names, __torch__.torch.classes.softradial.Layer layer, bool training) "
      "-> (Tensor x, Tensor status)");
  m.def(
      "layer_each_backward(Tensor grad_x, Tensor u, Tensor[] data, str[] names, "
      "__torch__.torch.classes.softradial.Layer layer) -> Tensor");
  m.def(
      "violation_samples(Tensor x, Tensor[] data, str[] names, __torch__.torch.classes.softradial.Set set) -> Tensor");
  m.def("layer_inverse(Tensor x, __torch__.torch.classes.softradial.Layer layer) -> Tensor");
  m.def("layer_log_abs_det(Tensor u, __torch__.torch.classes.softradial.Layer layer) -> Tensor");
  // The ops on a description (described/description.hpp): no class in the signature, for compiled and exported programs.
  m.def("described_project(Tensor u, Tensor map, bool check_finite=False) -> (Tensor x, Tensor state)");
  m.def("described_project_backward(Tensor grad_x, Tensor u, Tensor state, Tensor map) -> Tensor");
  m.def("described_inverse(Tensor x, Tensor map) -> Tensor");
  m.def("described_inverse_backward(Tensor grad_u, Tensor x, Tensor map) -> Tensor");
  m.def("described_log_abs_det(Tensor u, Tensor map) -> Tensor");
  m.def("described_log_abs_det_backward(Tensor grad, Tensor u, Tensor map) -> Tensor");
  m.def(
      "described_samples(Tensor u, Tensor[] data, str[] names, bool anchor_gradient, Tensor map, "
      "bool check_finite=False) -> (Tensor x, Tensor status)");
  m.def(
      "described_samples_backward(Tensor grad_x, Tensor u, Tensor[] data, str[] names, int[] wanted, "
      "bool anchor_gradient, Tensor map) -> Tensor[]");
  m.def("described_layer(Tensor u, Tensor layer, int dim, int state_dim, bool training) -> (Tensor x, Tensor state)");
  m.def("described_penalty(Tensor x, Tensor layer) -> Tensor");
  m.def("described_penalty_backward(Tensor grad, Tensor x, Tensor layer) -> Tensor");
  m.def("described_layer_backward(Tensor grad_x, Tensor u, Tensor x, Tensor state, Tensor layer) -> Tensor");
  // This op has no kernel for shapes: compilers end their graph here, and their error shows its name.
  m.def("level_set_cannot_be_part_of_a_graph(Tensor rows) -> Tensor");
  m.def("two_sided_rows(__torch__.torch.classes.softradial.Set set) -> (Tensor rows, Tensor lower, Tensor upper)",
        two_sided_rows);
  m.def("violation(Tensor x, __torch__.torch.classes.softradial.Set set) -> Tensor");
  m.def("penalty(Tensor x, __torch__.torch.classes.softradial.Set set) -> Tensor");
  m.def("penalty_rows(Tensor x, __torch__.torch.classes.softradial.Set set) -> Tensor");
  m.def("penalty_backward(Tensor grad, Tensor x, __torch__.torch.classes.softradial.Set set) -> Tensor");
  m.def("qp(Tensor p, Tensor h, Tensor b, Tensor Q, Tensor G, Tensor A) -> Tensor");
  m.def(
      "qp_solve(Tensor p, Tensor h, Tensor b, Tensor Q, Tensor G, Tensor A) -> "
      "(Tensor x, Tensor wide_x, Tensor duals, Tensor prices)");
  m.def(
      "qp_solve_backward(Tensor grad_x, Tensor p, Tensor h, Tensor b, Tensor Q, Tensor G, Tensor A, Tensor wide_x, "
      "Tensor duals, Tensor prices) -> (Tensor p, Tensor h, Tensor b, Tensor Q, Tensor G, Tensor A)");
  m.def("check_finite(Tensor(a) u) -> Tensor(a)", check_finite);
  m.def("in_transform() -> bool", [] { return false; });
}

// Python asks this op whether a transform is running, because it cannot ask the dispatcher itself.
TORCH_LIBRARY_IMPL(softradial, FuncTorchDynamicLayerFrontMode, m) {
  m.impl("in_transform", [] { return true; });
}

TORCH_LIBRARY_IMPL(softradial, CPU, m) {
  m.impl("level_set_cannot_be_part_of_a_graph", [](const at::Tensor& rows) { return at::empty({0}, rows.options()); });
}

}  // namespace softradial::ops
