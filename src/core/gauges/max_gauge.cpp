#include <algorithm>
#include <vector>

#include "gauges/margin.hpp"
#include "gauges/part_hull.hpp"
#include "softradial/sets/combinators.hpp"

namespace softradial {
namespace {

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

  [[nodiscard]] GaugeForm form() const override {
    MaxForm max;
    for (const auto& part : parts_) max.parts.push_back({part.gauge->form(), part.first_column, part.dim});
    return max;
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

GaugePtr<float> Intersection::gauge_f32(const AnchoredHull& at) const { return intersection_gauge<float>(*this, at); }
GaugePtr<double> Intersection::gauge_f64(const AnchoredHull& at) const { return intersection_gauge<double>(*this, at); }
GaugePtr<float> Product::gauge_f32(const AnchoredHull& at) const { return product_gauge<float>(*this, at); }
GaugePtr<double> Product::gauge_f64(const AnchoredHull& at) const { return product_gauge<double>(*this, at); }

}  // namespace softradial
