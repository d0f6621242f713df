#include "layer_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "csv_reader.hpp"
#include "csv_writer.hpp"
#include "failure.hpp"
#include "progress.hpp"
#include "softradial/set_json.hpp"

namespace softradial::program {
namespace {

constexpr std::size_t kBlockNumbers = std::size_t{1} << 16;

template <class T>
void run(const ProjectOptions& options, const LayerMethod& method, bool evaluate) {
  const Set set = load_set(options.set_file);
  const ProjectionOptions how = {.anchor = options.anchor.search, .anchor_point = options.anchor.point(set.dim())};
  const LayerPtr<T> layer =
      options.anchor.naming_the_file(options.set_file, [&] { return make_layer<T>(set, method, how); });
  const std::size_t rows = std::max<std::size_t>(1, kBlockNumbers / layer->input_dim());
  const NonFinite non_finite = options.check_finite ? NonFinite::reject : NonFinite::accept;
  CsvReader<T> input(InputFile::standard_input(), layer->input_dim(), non_finite);
  std::optional<CsvReader<T>> cotangents;
  if (options.quantity == Quantity::vjp) {
    cotangents.emplace(InputFile::open(options.second_file), layer->dim(), non_finite);
  }
  std::vector<T> u(rows * layer->input_dim());
  std::vector<T> x(rows * layer->dim());
  std::vector<T> state(rows * layer->state_dim());
  std::vector<T> g(rows * layer->dim());
  std::vector<T> grad_u(rows * layer->input_dim());
  OutputFile out(STDOUT_FILENO);
  Progress progress;
  for (;;) {
    const std::size_t count = input.read({u.data(), rows, layer->input_dim()});
    if (cotangents) {
      // At the end of stdin one row more is asked for: there must be none.
      const std::size_t given = cotangents->read({g.data(), std::max<std::size_t>(count, 1), layer->dim()});
      if (given != count) {
        throw BadInput(input.name() + " and " + cotangents->name() + " have different numbers of rows");
      }
    }
    if (count == 0) break;
    const Rows<const T> from(u.data(), count, layer->input_dim());
    const Rows<T> to(x.data(), count, layer->dim());
    const Rows<T> kept(state.data(), count, layer->state_dim());
    if (evaluate) {
      layer->evaluate(from, to);
    } else {
      layer->project(from, to, kept);
    }
    if (cotangents) {
      const Rows<T> back(grad_u.data(), count, layer->input_dim());
      layer->project_vjp(from, to, kept, {g.data(), count, layer->dim()}, back);
      write_csv<T>(out, back);
    } else {
      write_csv<T>(out, to);
    }
    out.end_block();
    progress.show(input.rows_read());
  }
  out.finish();
}

}  // namespace

void layer_stream(const ProjectOptions& options, const LayerMethod& method, bool evaluate) {
  if (options.quantity != Quantity::value && options.quantity != Quantity::vjp) {
    throw BadInput("--jvp, --inverse, --log-det and --slack are for soft_radial, hard_radial and gauge_map; " +
                   std::string(method_name(method)) + " has --vjp only");
  }
  if (evaluate && options.quantity == Quantity::vjp) throw BadInput("--evaluate and --vjp exclude each other");
  if (options.precision == Precision::f32) {
    run<float>(options, method, evaluate);
  } else {
    run<double>(options, method, evaluate);
  }
}

}  // namespace softradial::program
