#include "project_stream.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "constraints.hpp"
#include "csv_reader.hpp"
#include "csv_writer.hpp"
#include "failure.hpp"
#include "progress.hpp"
#include "softradial/projection.hpp"
#include "softradial/set_json.hpp"

namespace softradial::program {

namespace {

// Numbers in a block: large enough for a polyhedron's matrix product, small enough for the cache.
constexpr std::size_t kBlockNumbers = std::size_t{1} << 16;

template <class T>
class Stream {
 public:
  explicit Stream(const ProjectOptions& options)
      : quantity_(options.quantity),
        projection_(make_projection(options)),
        workspace_(projection_.make_workspace()),
        dim_(projection_.dim()),
        max_rows_(std::max<std::size_t>(1, kBlockNumbers / dim_)),
        input_(InputFile::standard_input(), dim_, non_finite(options)),
        in_(max_rows_ * dim_),
        result_(max_rows_ * (prints_points() ? dim_ : 1)) {
    if (!options.second_file.empty()) {
      second_input_.emplace(InputFile::open(options.second_file), dim_, non_finite(options));
      second_.resize(max_rows_ * dim_);
    }
    if (quantity_ == Quantity::inverse) {
      interior_.emplace(projection_.set(), projection_.anchor(),
                        Tolerance{.epsilon = std::numeric_limits<T>::epsilon(), .absolute = std::nullopt});
    }
  }

  void run() {
    OutputFile out(STDOUT_FILENO);
    Progress progress;
    while (const std::size_t count = read_block()) {
      evaluate(count);
      write_csv<T>(out, {result_.data(), count, result_.size() / max_rows_});
      out.end_block();
      progress.show(input_.rows_read());
    }
    out.finish();
  }

 private:
  static NonFinite non_finite(const ProjectOptions& options) {
    return options.check_finite ? NonFinite::reject : NonFinite::accept;
  }

  static Projection<T> make_projection(const ProjectOptions& options) {
    const Set set = load_set(options.set_file);
    const ProjectionOptions how = {
        .anchor = options.anchor.search, .anchor_point = options.anchor.point(set.dim()), .threads = options.threads};
    return options.anchor.naming_the_file(options.set_file, [&] { return Projection<T>(set, options.method, how); });
  }

  [[nodiscard]] bool prints_points() const { return quantity_ != Quantity::log_det && quantity_ != Quantity::slack; }

  std::size_t read_block() {
    const std::size_t count = input_.read({in_.data(), max_rows_, dim_});
    if (!second_input_) return count;
    // At the end of stdin one row more is asked for: there must be none.
    const std::size_t expected = std::max<std::size_t>(count, 1);
    const std::size_t second_count = second_input_->read({second_.data(), expected, dim_});
    if (second_count < count) fail_lengths(second_input_->name(), second_input_->rows_read(), input_.name());
    if (second_count > count) fail_lengths(input_.name(), input_.rows_read(), second_input_->name());
    return count;
  }

  [[noreturn]] static void fail_lengths(const std::string& shorter, std::size_t rows, const std::string& longer) {
    throw BadInput(fmt::format("{} ends after row {}, but {} has more", shorter, rows, longer));
  }

  void evaluate(std::size_t count) {
    const Rows<const T> in(in_.data(), count, dim_);
    const Rows<const T> second(second_.data(), count, dim_);
    const Rows<T> points(result_.data(), count, dim_);
    const std::span<T> numbers(result_.data(), count);
    switch (quantity_) {
      case Quantity::value:
        projection_.project(in, points, workspace_);
        return;
      case Quantity::vjp:
        return projection_.project_vjp(in, second, points, workspace_);
      case Quantity::jvp:
        return projection_.project_jvp(in, second, points, workspace_);
      case Quantity::inverse:
        projection_.inverse(in, points, workspace_);
        return require_inverted(in, points);
      case Quantity::log_det:
        return projection_.log_abs_det(in, numbers, workspace_);
      case Quantity::slack:
        return projection_.slack(in, numbers, workspace_);
    }
  }

  // A point that is not strictly inside has no inverse: an error. The library's own judgement, a row of NaN, comes from
  // the gauge and cannot tell the boundary from the last numbers before it; the constraints themselves can.
  void require_inverted(Rows<const T> x, Rows<const T> u) const {
    std::vector<double> point(dim_);
    for (std::size_t i = 0; i < u.count(); ++i) {
      std::copy_n(x.row(i), dim_, point.begin());
      auto complaint = interior_->why_not_inside(point);
      if (!complaint && std::isnan(u.row(i)[0])) complaint = interior_->why_no_inverse(point);
      if (complaint) input_.fail(input_.rows_read() - u.count() + i + 1, *complaint);
    }
  }

  Quantity quantity_;
  Projection<T> projection_;
  Workspace<T> workspace_;
  std::size_t dim_;
  std::size_t max_rows_;
  CsvReader<T> input_;
  std::optional<CsvReader<T>> second_input_;  // of vjp and jvp
  std::optional<InteriorCheck> interior_;     // of inverse
  std::vector<T> in_;
  std::vector<T> second_;
  std::vector<T> result_;
};

}  // namespace

void project_stream(const ProjectOptions& options) {
  if (options.precision == Precision::f32) {
    Stream<float>(options).run();
  } else {
    Stream<double>(options).run();
  }
}

}  // namespace softradial::program
