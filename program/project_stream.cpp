#include "project_stream.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "constraints.hpp"
#include "outcome.hpp"
#include "progress.hpp"
#include "row_reader.hpp"
#include "row_writer.hpp"
#include "set_file.hpp"
#include "softradial/projection.hpp"
#include "softradial/reach.hpp"

namespace softradial::program {

namespace {

// The number of rows that one thread maps at a time. These pieces do not depend on the number of threads, so the result does
// not either, to the bit.
constexpr std::size_t kPieceRows = 256;

// A method on a set, reduced to what a stream needs: the width of rows, and a function from rows to rows.
template <class T>
struct RowMap {
  std::size_t in_dim = 0;      // numbers in a row of stdin
  std::size_t second_dim = 0;  // numbers in a row of the second file; 0: no second file
  std::size_t out_dim = 0;     // numbers in a row of stdout
  std::function<void(Rows<const T> in, Rows<const T> second, Rows<T> out)> apply;
  std::optional<InteriorCheck> interior;  // explains why a row has no inverse; only for Quantity::inverse
};

template <class RowsType>
RowsType part(RowsType rows, std::size_t first, std::size_t count) {
  return {rows.data() + first * rows.dim(), count, rows.dim()};
}

// Calls work(piece) for all pieces below `count`, on up to `threads` threads. Rethrows the first exception.
void for_each_piece(std::size_t count, std::size_t threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto loop = [&] {
    try {
      for (std::size_t piece = next++; piece < count; piece = next++) work(piece);
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t k = 1; k < std::min(threads, count); ++k) others.emplace_back(loop);
    loop();
  }
  if (failure) std::rethrow_exception(failure);
}

template <class T>
Tolerance tolerance_of() {
  return {.epsilon = std::numeric_limits<T>::epsilon(), .absolute = std::nullopt};
}

// The radial maps of the core, which have all quantities and their own threads.
template <class T>
RowMap<T> radial_map(const NamedSet& named, const Method& method, const ProjectOptions& options,
                     const ProjectionOptions& how) {
  const auto projection = std::make_shared<const Projection<T>>(named.set, method, how);
  const auto workspace = std::make_shared<Workspace<T>>(projection->make_workspace());
  const std::size_t dim = projection->dim();
  const auto numbers = [](Rows<T> out) { return std::span<T>(out.data(), out.count()); };
  const auto map = [=](std::size_t second_dim, std::size_t out_dim, auto apply) {
    return RowMap<T>{.in_dim = dim, .second_dim = second_dim, .out_dim = out_dim, .apply = apply, .interior = {}};
  };
  switch (options.quantity) {
    case Quantity::value:
    case Quantity::evaluation:
      break;
    case Quantity::vjp:
      return map(dim, dim, [=](Rows<const T> u, Rows<const T> g, Rows<T> grad_u) {
        projection->project_vjp(u, g, grad_u, *workspace);
      });
    case Quantity::jvp:
      return map(dim, dim, [=](Rows<const T> u, Rows<const T> v, Rows<T> out) {
        projection->project_jvp(u, v, out, *workspace);
      });
    case Quantity::log_det:
      return map(0, 1, [=](Rows<const T> u, Rows<const T>, Rows<T> out) {
        projection->log_abs_det(u, numbers(out), *workspace);
      });
    case Quantity::slack:
      return map(0, 1,
                 [=](Rows<const T> u, Rows<const T>, Rows<T> out) { projection->slack(u, numbers(out), *workspace); });
    case Quantity::inverse: {
      RowMap<T> inverse =
          map(0, dim, [=](Rows<const T> x, Rows<const T>, Rows<T> u) { projection->inverse(x, u, *workspace); });
      inverse.interior.emplace(named, projection->anchor(), tolerance_of<T>());
      return inverse;
    }
  }
  return map(0, dim, [=](Rows<const T> u, Rows<const T>, Rows<T> x) { projection->project(u, x, *workspace); });
}

// The other layers. All have values and J'g, some have more. Their objects may be called from several threads at once.
template <class T>
RowMap<T> layer_map(const NamedSet& named, const ProjectOptions& options, const ProjectionOptions& how) {
  const std::shared_ptr<const Layer<T>> layer = make_layer<T>(named.set, options.method, how);
  const Quantity quantity = options.quantity;
  const auto threads = static_cast<std::size_t>(options.threads);
  const auto map_piece = [layer, quantity](Rows<const T> u, Rows<const T> g, Rows<T> out) {
    if (quantity == Quantity::evaluation) {
      layer->evaluate(u, out);
    } else if (quantity == Quantity::value) {
      std::vector<T> state(u.count() * layer->state_dim());
      layer->project(u, out, {state.data(), u.count(), layer->state_dim()});
    } else if (quantity == Quantity::jvp) {
      layer->project_jvp(u, g, out);
    } else if (quantity == Quantity::inverse) {
      layer->inverse(u, out);
    } else if (quantity == Quantity::log_det) {
      layer->log_abs_det(u, {out.data(), out.count()});
    } else {
      std::vector<T> x(u.count() * layer->dim());
      std::vector<T> state(u.count() * layer->state_dim());
      const Rows<T> points(x.data(), u.count(), layer->dim());
      const Rows<T> states(state.data(), u.count(), layer->state_dim());
      layer->project(u, points, states);
      layer->project_vjp(u, points, states, g, out);
    }
  };
  const auto apply = [=](Rows<const T> u, Rows<const T> g, Rows<T> out) {
    for_each_piece((u.count() + kPieceRows - 1) / kPieceRows, threads, [&](std::size_t piece) {
      const std::size_t first = piece * kPieceRows;
      const std::size_t count = std::min(kPieceRows, u.count() - first);
      map_piece(part(u, first, count), g.dim() == 0 ? g : part(g, first, count), part(out, first, count));
    });
  };
  const bool is_vjp = quantity == Quantity::vjp;
  RowMap<T> map{.in_dim = layer->input_dim(),
                .second_dim = is_vjp || quantity == Quantity::jvp ? layer->dim() : 0,
                .out_dim = is_vjp                          ? layer->input_dim()
                           : quantity == Quantity::log_det ? 1
                                                           : layer->dim(),
                .apply = apply,
                .interior = {}};
  if (quantity == Quantity::inverse) {
    map.interior.emplace(
        named, how.anchor_point ? check_anchor(named.set, *how.anchor_point) : require_anchor(named.set, how.anchor),
        tolerance_of<T>());
  }
  return map;
}

template <class T>
RowMap<T> make_row_map(const ProjectOptions& options) {
  const NamedSet named = load_set_file(options.set_file);
  const Set& set = named.set;
  ProjectionOptions how = {.anchor = options.anchor.search, .anchor_point = options.anchor.point(set.dim())};
  return options.anchor.naming_the_file(options.set_file, [&] {
    auto method = radial_method(options.method);
    if (!method) return layer_map<T>(named, options, how);
    if (auto* soft = std::get_if<SoftRadial>(&*method); soft != nullptr && options.auto_lambda) {
      *soft = with_auto_lambda(*soft, set, how);
    }
    how.threads = options.threads;
    return radial_map<T>(named, *method, options, how);
  });
}

template <class T>
class Stream {
 public:
  explicit Stream(const ProjectOptions& options)
      : map_(make_row_map<T>(options)),
        max_rows_(std::max<std::size_t>(1, kBlockNumbers / map_.in_dim)),
        input_(InputFile::standard_input(), map_.in_dim, non_finite(options)),
        in_(max_rows_ * map_.in_dim),
        second_(max_rows_ * map_.second_dim),
        out_(max_rows_ * map_.out_dim) {
    if (map_.second_dim > 0) {
      second_input_.emplace(InputFile::open(options.second_file), map_.second_dim, non_finite(options));
    }
  }

  void run() {
    OutputFile out(STDOUT_FILENO);
    Progress progress;
    while (const std::size_t count = read_block()) {
      const Rows<const T> in(in_.data(), count, map_.in_dim);
      const Rows<T> results(out_.data(), count, map_.out_dim);
      map_.apply(in, {second_.data(), count, map_.second_dim}, results);
      if (map_.interior) require_inverted(in, results);
      write_rows<T>(out, results);
      out.end_block();
      progress.show(input_.rows_read());
    }
    out.finish();
  }

 private:
  static NonFinite non_finite(const ProjectOptions& options) {
    return options.check_finite ? NonFinite::reject : NonFinite::accept;
  }

  std::size_t read_block() {
    const std::size_t count = input_.read({in_.data(), max_rows_, map_.in_dim});
    if (!second_input_) return count;
    // At the end of stdin one more row of the second file is asked for: there must be none.
    const std::size_t expected = std::max<std::size_t>(count, 1);
    const std::size_t second_count = second_input_->read({second_.data(), expected, map_.second_dim});
    if (second_count < count) fail_lengths(second_input_->name(), second_input_->rows_read(), input_.name());
    if (second_count > count) fail_lengths(input_.name(), input_.rows_read(), second_input_->name());
    return count;
  }

  [[noreturn]] static void fail_lengths(const std::string& shorter, std::size_t rows, const std::string& longer) {
    throw BadInput(fmt::format("{} ends after row {}, but {} has more", shorter, rows, longer));
  }

  // A point that is not strictly inside has no inverse, which is an error. The library judges by the gauge and returns a row
  // of NaN; it cannot tell the boundary from the last numbers before it. The constraints themselves can.
  void require_inverted(Rows<const T> x, Rows<const T> u) const {
    std::vector<double> point(map_.in_dim);
    for (std::size_t i = 0; i < u.count(); ++i) {
      std::copy_n(x.row(i), map_.in_dim, point.begin());
      auto complaint = map_.interior->why_not_inside(point);
      if (!complaint && std::isnan(u.row(i)[0])) complaint = map_.interior->why_no_inverse(point);
      if (complaint) input_.fail(input_.rows_read() - u.count() + i + 1, *complaint);
    }
  }

  RowMap<T> map_;
  std::size_t max_rows_;
  RowReader<T> input_;
  std::optional<RowReader<T>> second_input_;
  std::vector<T> in_;
  std::vector<T> second_;
  std::vector<T> out_;
};

void require_supported(const ProjectOptions& options) {
  const std::string name(method_name(options.method));
  const std::string others =
      name + (has_inverse(options.method) ? " has --vjp, --jvp, --inverse and --log-det only" : " has --vjp only");
  const auto is_radial = [](const LayerMethod& method) { return radial_method(method).has_value(); };
  if (options.quantity == Quantity::slack && !is_radial(options.method)) {
    throw BadInput("--slack is for " + methods_with(is_radial) + "; " + others);
  }
  const bool is_of_bijections = options.quantity == Quantity::jvp || options.quantity == Quantity::inverse ||
                                options.quantity == Quantity::log_det;
  if (is_of_bijections && !has_inverse(options.method)) {
    throw BadInput("--jvp, --inverse and --log-det are for " + methods_with(has_inverse) + "; " + others);
  }
  if (!options.anchor.is_automatic() && !has_anchor(options.method)) {
    throw BadInput("--anchor: " + name + " has no anchor");
  }
}

}  // namespace

void project_stream(const ProjectOptions& options) {
  require_supported(options);
  if (options.precision == Precision::f32) {
    Stream<float>(options).run();
  } else {
    Stream<double>(options).run();
  }
}

}  // namespace softradial::program
