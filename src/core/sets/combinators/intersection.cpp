#include <algorithm>
#include <utility>
#include <vector>

#include "numbers.hpp"
#include "sets/combinators/part_hull.hpp"
#include "sets/combinators/parts.hpp"
#include "sets/margin.hpp"
#include "sets/sized_gauge.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets/combinators.hpp"

namespace softradial {
namespace {

constexpr std::string_view kIntersection = "intersection";
constexpr std::string_view kProduct = "product";

// The sum of the parts' barriers.
std::optional<BarrierTerms> sum_of_barriers(const std::vector<Set>& parts, BarrierOf barrier_of,
                                            const Eigen::VectorXd& x, double t) {
  BarrierTerms terms(parts.front().dim());
  for (const Set& part : parts) {
    const std::optional<BarrierTerms> added = ((*part).*barrier_of)(x, t);
    if (!added) return std::nullopt;
    terms.value += added->value;
    terms.gradient += added->gradient;
    terms.hessian += added->hessian;
  }
  return terms;
}

// The sum of the blocks' barriers; they meet in t only.
std::optional<BarrierTerms> sum_of_blocks(const std::vector<Set>& parts, BarrierOf barrier_of, const Eigen::VectorXd& x,
                                          double t) {
  const Eigen::Index last = x.size();
  BarrierTerms terms(static_cast<std::size_t>(last));
  Eigen::Index first = 0;
  for (const Set& part : parts) {
    const auto size = static_cast<Eigen::Index>(part.dim());
    const std::optional<BarrierTerms> block = ((*part).*barrier_of)(x.segment(first, size), t);
    if (!block) return std::nullopt;
    terms.value += block->value;
    terms.gradient.segment(first, size) = block->gradient.head(size);
    terms.gradient[last] += block->gradient[size];
    terms.hessian.block(first, first, size, size) = block->hessian.topLeftCorner(size, size);
    terms.hessian.col(last).segment(first, size) = block->hessian.col(size).head(size);
    terms.hessian.row(last).segment(first, size) = block->hessian.row(size).head(size);
    terms.hessian(last, last) += block->hessian(size, size);
    first += size;
  }
  return terms;
}

struct TensorPart {
  TensorGauge gauge;
  std::size_t first_column;
  std::size_t dim;
};

TensorGauge largest_of(std::vector<TensorPart> parts) {
  return [parts = std::move(parts)](const Tensor& d) {
    Tensor gauges;
    for (const TensorPart& part : parts) {
      const Tensor gauge = part.gauge(d.value().columns(part.first_column, part.dim));
      gauges = gauges.defined() ? gauges.value().beside(gauge) : gauge;
    }
    return larger(largest(gauges), 0);
  };
}

// The largest of gauges that have an anchor for each sample.
TensorGaugeAt largest_of(const std::vector<TensorGaugeAt>& gauges, const std::vector<std::size_t>& first_columns,
                         const std::vector<Set>& sets) {
  std::vector<TensorPart> parts;
  TensorGaugeAt all = gauges.front();
  for (std::size_t k = 0; k < gauges.size(); ++k) {
    parts.push_back({gauges[k].gauge, first_columns[k], sets[k].dim()});
    all.kappa = larger(all.kappa, gauges[k].kappa);
    all.interior = all.interior && gauges[k].interior;
    all.lipschitz = larger(all.lipschitz, gauges[k].lipschitz);
  }
  all.gauge = largest_of(std::move(parts));
  return all;
}

// A part and the columns of d that it looks at: all of them in an intersection, its block in a product.
template <class T>
struct Part {
  GaugePtr<T> gauge;
  std::size_t first_column;
  std::size_t dim;
};

template <class T>
Margin largest_margin(const std::vector<Part<T>>& parts) {
  Margin margin;
  for (const auto& part : parts) {
    margin.sigma = std::max(margin.sigma, part.gauge->sigma());
    margin.kappa = std::max(margin.kappa, part.gauge->kappa());
    margin.lipschitz = std::max(margin.lipschitz, part.gauge->lipschitz());
  }
  return margin;
}

// gamma(d) = max over the parts; ties take the first. The guard's constants are the largest of the parts': a block's |d|
// is at most that of the whole. `active` numbers the pieces of the parts one after another.
template <class T>
class MaxGauge final : public GuardedGauge<T> {
 public:
  explicit MaxGauge(std::vector<Part<T>> parts) : GuardedGauge<T>(largest_margin(parts)), parts_(std::move(parts)) {
    for (const auto& part : parts_) {
      first_piece_.push_back(num_pieces_);
      num_pieces_ += part.gauge->num_pieces();
    }
  }

  struct Scratch final : GaugeScratch {
    std::vector<std::unique_ptr<GaugeScratch>> parts;
    std::vector<GaugeAt<T>> at;
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t max_rows) const override {
    auto scratch = std::make_unique<Scratch>();
    for (const auto& part : parts_) scratch->parts.push_back(part.gauge->make_scratch(max_rows));
    scratch->at.resize(max_rows);
    return scratch;
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    auto& s = static_cast<Scratch&>(scratch);
    std::fill(at.begin(), at.end(), GaugeAt<T>{});
    const std::span<GaugeAt<T>> found(s.at.data(), d.count());
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      parts_[p].gauge->evaluate(d.columns(parts_[p].first_column, parts_[p].dim), found, *s.parts[p]);
      for (std::size_t i = 0; i < d.count(); ++i) {
        if (found[i].gamma > at[i].gamma) at[i] = {found[i].gamma, first_piece_[p] + found[i].active};
      }
    }
  }

  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch& scratch) const noexcept override {
    if (!(at.gamma > 0)) return;
    std::size_t p = parts_.size() - 1;
    while (p > 0 && first_piece_[p] > at.active) --p;
    const auto& part = parts_[p];
    part.gauge->add_gradient(scale, d.subspan(part.first_column, part.dim), {at.gamma, at.active - first_piece_[p]},
                             out.subspan(part.first_column, part.dim), *static_cast<Scratch&>(scratch).parts[p]);
  }

  [[nodiscard]] std::int32_t num_pieces() const noexcept override { return num_pieces_; }

  [[nodiscard]] std::vector<double> steepness(std::size_t dim) const override {
    std::vector<double> steepest(dim, 0);
    for (const auto& part : parts_) {
      const std::vector<double> own = part.gauge->steepness(part.dim);
      for (std::size_t j = 0; j < part.dim; ++j) {
        double& at = steepest[part.first_column + j];
        at = std::max(at, own[j]);
      }
    }
    return steepest;
  }

  [[nodiscard]] TensorGauge in_tensors(const TensorSpace& space) const override {
    std::vector<TensorPart> parts;
    for (const auto& part : parts_) parts.push_back({part.gauge->in_tensors(space), part.first_column, part.dim});
    return largest_of(std::move(parts));
  }

 private:
  std::vector<Part<T>> parts_;
  std::vector<std::int32_t> first_piece_;
  std::int32_t num_pieces_ = 0;
};

template <class T>
GaugePtr<T> intersection_gauge(const Intersection& set, const AnchoredHull& at) {
  std::vector<Part<T>> parts;
  for (const Set& part : set.parts()) parts.push_back({part->gauge<T>(at), 0, set.dim()});
  return std::make_unique<MaxGauge<T>>(std::move(parts));
}

template <class T>
GaugePtr<T> product_gauge(const Product& set, const AnchoredHull& at) {
  std::vector<Part<T>> parts;
  std::size_t first = 0;
  for (const Set& part : set.parts()) {
    const auto begin = static_cast<Eigen::Index>(first);
    const auto size = static_cast<Eigen::Index>(part.dim());
    const Eigen::VectorXd point = at.point.segment(begin, size);
    const AffineHull hull = block_hull(at.hull, begin, size);
    parts.push_back({part->gauge<T>({point, hull}), first, part.dim()});
    first += part.dim();
  }
  return std::make_unique<MaxGauge<T>>(std::move(parts));
}

}  // namespace

Intersection::Intersection(std::vector<Set> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) reject(kIntersection, "there are no sets");
  for (std::size_t k = 1; k < parts_.size(); ++k) {
    if (parts_[k].dim() != dim()) {
      reject(kIntersection, "sets[" + std::to_string(k) + "] has dimension " + std::to_string(parts_[k].dim()) +
                                ", sets[0] has dimension " + std::to_string(dim()));
    }
  }
}

Description Intersection::describe() const { return {std::string(kIntersection), {{"sets", described(parts_)}}}; }

bool Intersection::append_linear(LinearSystem& out) const {
  bool all_linear = true;
  for (std::size_t k = 0; k < parts_.size(); ++k) all_linear &= append_part(parts_, k, 0, out);
  return all_linear;
}

std::optional<Set> Intersection::in_sizes(const Eigen::VectorXd& sizes) const {
  std::vector<Set> parts;
  for (const Set& part : parts_) parts.push_back(set_in_sizes(part, sizes));
  return Intersection(std::move(parts));
}

std::size_t Intersection::num_inequalities() const { return count_inequalities(parts_); }

std::string Intersection::inequality_name(std::size_t index) const { return inequality_of_part(parts_, index); }

void Intersection::slacks(std::span<const double> x, std::span<double> out) const {
  for (const Set& part : parts_) {
    const std::size_t count = part->num_inequalities();
    part->slacks(x, out.first(count));
    out = out.subspan(count);
  }
}

std::optional<BarrierTerms> Intersection::barrier(const Eigen::VectorXd& x, double t) const {
  return sum_of_barriers(parts_, &ConvexSet::barrier, x, t);
}

std::optional<BarrierTerms> Intersection::nonlinear_barrier(const Eigen::VectorXd& x, double t) const {
  return sum_of_barriers(parts_, &ConvexSet::nonlinear_barrier, x, t);
}

Product::Product(std::vector<Set> parts) : parts_(std::move(parts)) {
  if (parts_.empty()) reject(kProduct, "there are no sets");
  for (const Set& part : parts_) dim_ += part.dim();
  require_dim(kProduct, dim_);
}

Description Product::describe() const { return {std::string(kProduct), {{"sets", described(parts_)}}}; }

bool Product::append_linear(LinearSystem& out) const {
  bool all_linear = true;
  std::size_t first_column = 0;
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    all_linear &= append_part(parts_, k, first_column, out);
    first_column += parts_[k].dim();
  }
  return all_linear;
}

std::optional<Set> Product::in_sizes(const Eigen::VectorXd& sizes) const {
  std::vector<Set> parts;
  Eigen::Index first = 0;
  for (const Set& part : parts_) {
    const auto size = static_cast<Eigen::Index>(part.dim());
    parts.push_back(set_in_sizes(part, sizes.segment(first, size)));
    first += size;
  }
  return Product(std::move(parts));
}

std::size_t Product::num_inequalities() const { return count_inequalities(parts_); }

std::string Product::inequality_name(std::size_t index) const { return inequality_of_part(parts_, index); }

void Product::slacks(std::span<const double> x, std::span<double> out) const {
  for (const Set& part : parts_) {
    const std::size_t count = part->num_inequalities();
    part->slacks(x.first(part.dim()), out.first(count));
    x = x.subspan(part.dim());
    out = out.subspan(count);
  }
}

std::optional<BarrierTerms> Product::barrier(const Eigen::VectorXd& x, double t) const {
  return sum_of_blocks(parts_, &ConvexSet::barrier, x, t);
}

std::optional<BarrierTerms> Product::nonlinear_barrier(const Eigen::VectorXd& x, double t) const {
  return sum_of_blocks(parts_, &ConvexSet::nonlinear_barrier, x, t);
}

std::optional<Eigen::VectorXd> Product::closed_form_anchor() const {
  Eigen::VectorXd anchor(static_cast<Eigen::Index>(dim_));
  Eigen::Index first = 0;
  for (const Set& part : parts_) {
    const std::optional<Eigen::VectorXd> block = given_or_closed_form_anchor(part);
    if (!block) return std::nullopt;
    anchor.segment(first, block->size()) = *block;
    first += block->size();
  }
  return anchor;
}

GaugePtr<float> Intersection::gauge_f32(const AnchoredHull& at) const { return intersection_gauge<float>(*this, at); }
GaugePtr<double> Intersection::gauge_f64(const AnchoredHull& at) const { return intersection_gauge<double>(*this, at); }
GaugePtr<float> Product::gauge_f32(const AnchoredHull& at) const { return product_gauge<float>(*this, at); }
GaugePtr<double> Product::gauge_f64(const AnchoredHull& at) const { return product_gauge<double>(*this, at); }

TensorGaugeAt Intersection::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  std::vector<TensorGaugeAt> gauges;
  for (std::size_t k = 0; k < parts_.size(); ++k)
    gauges.push_back(parts_[k]->gauge_in_tensors(anchor, data.of_part(k)));
  return largest_of(gauges, std::vector<std::size_t>(parts_.size(), 0), parts_);
}

TensorGaugeAt Product::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  std::vector<TensorGaugeAt> gauges;
  std::vector<std::size_t> first_columns;
  std::size_t first = 0;
  for (const Set& part : parts_) {
    gauges.push_back(part->gauge_in_tensors(anchor.value().columns(first, part.dim()), data));
    first_columns.push_back(first);
    first += part.dim();
  }
  return largest_of(gauges, first_columns, parts_);
}

SetType Intersection::type() {
  return {.name = kIntersection,
          .title = "Intersection",
          .formula = "the points that all of the sets contain",
          .fields = {{.name = "sets", .kind = FieldKind::sets, .meaning = "sets of the same dimension"}},
          .sample_data = {},
          .example = R"({"type": "intersection", "sets": [{"type": "simplex", "dim": 3},
                     {"type": "ball", "center": [0.3, 0.3, 0.4], "radius": 0.3}]})",
          .make = [](const Fields& f) -> Set { return Intersection(f.sets("sets")); }};
}

SetType Product::type() {
  return {.name = kProduct,
          .title = "Product",
          .formula = "(x_1, x_2, ...) with x_k in the k-th of the sets",
          .fields = {{.name = "sets", .kind = FieldKind::sets, .meaning = "sets of any dimensions, in the order of x"}},
          .sample_data = {},
          .example = R"({"type": "product", "sets": [{"type": "simplex", "dim": 3},
                     {"type": "box", "lower": [0], "upper": [1]}]})",
          .make = [](const Fields& f) -> Set { return Product(f.sets("sets")); },
          .in_blocks = true};
}

}  // namespace softradial
