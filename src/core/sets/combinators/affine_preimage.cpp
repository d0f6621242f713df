#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "algebra/as_doubles.hpp"
#include "kernels/row_kernels.hpp"
#include "numbers.hpp"
#include "sets/combinators/part_hull.hpp"
#include "sets/combinators/parts.hpp"
#include "sets/margin.hpp"
#include "sets/ordinary_size.hpp"
#include "sets/sized_gauge.hpp"
#include "sets/validation.hpp"
#include "softradial/set_type.hpp"
#include "softradial/sets/combinators.hpp"

namespace softradial {
namespace {

constexpr std::string_view kAffinePreimage = "affine_preimage";
constexpr std::string_view kScaled = "scaled";

// A sum that is 0 up to the rounding of its terms is 0. The columns of a computed A that sum to 0 in theory would
// otherwise turn sum(y) = 1 into an equality in x, with a random normal.
class CancellingSum {
 public:
  void add(long double term) {
    sum_ += term;
    size_ += std::abs(term);
  }
  [[nodiscard]] double value() const {
    constexpr long double kRounding = std::numeric_limits<double>::epsilon();
    return std::abs(sum_) <= kRounding * size_ ? 0 : static_cast<double>(sum_);
  }

 private:
  long double sum_ = 0;
  long double size_ = 0;
};

// a.(A x + b) <= beta  as  (A'a).x <= beta - a.b; each number is rounded once.
LinearSystem::Row pulled_back(const LinearSystem::Row& row, const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  CancellingSum bound;
  bound.add(row.bound);
  for (const LinearSystem::Entry& a : row.entries) bound.add(-static_cast<long double>(a.value) * b[a.column]);
  LinearSystem::Row result{.entries = {}, .bound = bound.value(), .name = row.name};
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    CancellingSum coefficient;
    for (const LinearSystem::Entry& a : row.entries)
      coefficient.add(static_cast<long double>(a.value) * A(a.column, j));
    if (const double value = coefficient.value(); value != 0) {
      result.entries.push_back({static_cast<std::size_t>(j), value});
    }
  }
  return result;
}

// With the chain matrix J = diag(A, 1):  gradient J'g,  Hessian J'HJ.
std::optional<BarrierTerms> chained(const std::optional<BarrierTerms>& inner, const Eigen::MatrixXd& A) {
  if (!inner) return std::nullopt;
  const Eigen::Index m = A.rows();
  const Eigen::Index n = A.cols();
  BarrierTerms terms(static_cast<std::size_t>(n));
  terms.value = inner->value;
  terms.gradient << A.transpose() * inner->gradient.head(m), inner->gradient[m];
  terms.hessian.topLeftCorner(n, n) = A.transpose() * inner->hessian.topLeftCorner(m, m) * A;
  terms.hessian.col(n).head(n) = A.transpose() * inner->hessian.col(m).head(m);
  terms.hessian.row(n).head(n) = terms.hessian.col(n).head(n).transpose();
  terms.hessian(n, n) = inner->hessian(m, m);
  return terms;
}

// Slacks of a scaled set are factor times those of the inner set at x / factor: distances in the units of x, and
// rows  a.y <= b  become  a.x <= factor b  with their coefficients as they were given.

LinearSystem::Row scaled_row(LinearSystem::Row row, double factor) {
  row.bound *= factor;
  return row;
}

// factor slack_i(x / factor) + t = factor (slack_i(x / factor) + t / factor): the inner barrier at (x, t) / factor, up
// to a constant.
std::optional<BarrierTerms> rescaled(std::optional<BarrierTerms> terms, double factor) {
  if (terms) {
    terms->gradient /= factor;
    terms->hessian /= factor * factor;
  }
  return terms;
}

// gamma(d) = gamma_inner(A d): A a matrix (rows x dim), or a number times the identity. A is kept as 2^-e A, whose largest entry is
// of ordinary size, and so is A d for the inner gauge.
template <class T>
class AffineGauge final : public GuardedGauge<T> {
 public:
  AffineGauge(GaugePtr<T> inner, const Eigen::MatrixXd& A, Margin margin)
      : GuardedGauge<T>(margin),
        inner_(std::move(inner)),
        rows_(static_cast<std::size_t>(A.rows())),
        dim_(static_cast<std::size_t>(A.cols())),
        exponent_(exponent_of(A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0)),
        grow_(static_cast<T>(1 / (1 - margin.sigma))) {
    for (Eigen::Index k = 0; k < A.rows(); ++k) {
      for (Eigen::Index j = 0; j < A.cols(); ++j) A_.push_back(static_cast<T>(std::ldexp(A(k, j), -exponent_)));
    }
  }
  AffineGauge(GaugePtr<T> inner, double factor, std::size_t dim, Margin margin)
      : GuardedGauge<T>(margin),
        inner_(std::move(inner)),
        rows_(dim),
        dim_(dim),
        exponent_(exponent_of(factor)),
        factor_(static_cast<T>(std::ldexp(factor, -exponent_))),
        grow_(static_cast<T>(1 / (1 - margin.sigma))) {}

  struct Scratch final : GaugeScratch {
    std::unique_ptr<GaugeScratch> inner;
    std::vector<T> images;       // A d, row by row
    std::vector<int> exponents;  // what each image was divided by
    std::vector<T> gradient;     // of the inner gauge
  };
  [[nodiscard]] std::unique_ptr<GaugeScratch> make_scratch(std::size_t max_rows) const override {
    auto scratch = std::make_unique<Scratch>();
    scratch->inner = inner_->make_scratch(max_rows);
    scratch->images.resize(max_rows * rows_);
    scratch->exponents.resize(max_rows);
    scratch->gradient.resize(rows_);
    return scratch;
  }

  void evaluate(Rows<const T> d, std::span<GaugeAt<T>> at, GaugeScratch& scratch) const noexcept override {
    auto& s = static_cast<Scratch&>(scratch);
    const Rows<T> images(s.images.data(), d.count(), rows_);
    for (std::size_t i = 0; i < d.count(); ++i) s.exponents[i] = map(d[i], images[i]);
    inner_->evaluate(images, at, *s.inner);
    for (std::size_t i = 0; i < d.count(); ++i) at[i].gamma = std::ldexp(at[i].gamma * grow_, s.exponents[i]);
  }

  // n = A' grad gamma_inner(A d)
  void add_gradient(T scale, std::span<const T> d, const GaugeAt<T>& at, std::span<T> out,
                    GaugeScratch& scratch) const noexcept override {
    if (!(at.gamma > 0)) return;
    auto& s = static_cast<Scratch&>(scratch);
    const std::span<T> image(s.images.data(), rows_);
    const int exponent = map(d, image);
    std::fill(s.gradient.begin(), s.gradient.end(), T{0});
    inner_->add_gradient(scale * grow_, image, {std::ldexp(at.gamma, -exponent) / grow_, at.active}, s.gradient,
                         *s.inner);
    for (T& v : s.gradient) v = std::ldexp(v, exponent_);
    if (A_.empty()) {
      kernels::add_scaled(factor_, s.gradient.data(), out.data(), dim_);
      return;
    }
    for (std::size_t k = 0; k < rows_; ++k) {
      kernels::add_scaled(s.gradient[k], A_.data() + k * dim_, out.data(), dim_);
    }
  }

  [[nodiscard]] std::int32_t num_pieces() const noexcept override { return inner_->num_pieces(); }

  // gamma_inner(A e_j) <= sum_k |A_kj| times the inner steepness along k
  [[nodiscard]] std::vector<double> steepness(std::size_t dim) const override {
    const std::vector<double> inner = inner_->steepness(rows_);
    std::vector<double> steepest(dim, 0);
    for (std::size_t j = 0; j < dim; ++j) {
      if (A_.empty()) steepest[j] = static_cast<double>(factor_) * inner[j];
      for (std::size_t k = 0; k < rows_ && !A_.empty(); ++k) {
        steepest[j] += std::abs(static_cast<double>(A_[k * dim + j])) * inner[k];
      }
      steepest[j] = std::ldexp(steepest[j] * static_cast<double>(grow_), exponent_);
    }
    return steepest;
  }

  [[nodiscard]] TensorGauge in_tensors(const TensorSpace& space) const override {
    const TensorGauge inner = of_any_size(inner_->in_tensors(space));
    const double grow = std::ldexp(static_cast<double>(grow_), exponent_);
    if (A_.empty()) {
      return [inner, grow, factor = static_cast<double>(factor_)](const Tensor& d) { return grow * inner(factor * d); };
    }
    const Tensor columns = space.working_constant(Eigen::MatrixXd(as_doubles<T>(A_, dim_).transpose()));
    return [=](const Tensor& d) { return grow * inner(product(columns, d)); };
  }

 private:
  [[nodiscard]] static int exponent_of(double largest) noexcept { return largest > 0 ? std::ilogb(largest) : 0; }

  // image = 2^-k A d; returns k.
  [[nodiscard]] int map(std::span<const T> d, std::span<T> image) const noexcept {
    if (A_.empty()) {
      for (std::size_t j = 0; j < dim_; ++j) image[j] = factor_ * d[j];
    } else {
      for (std::size_t k = 0; k < rows_; ++k) image[k] = kernels::dot(A_.data() + k * dim_, d.data(), dim_);
    }
    return bring_to_ordinary_size(image) + exponent_;
  }

  GaugePtr<T> inner_;
  std::size_t rows_;
  std::size_t dim_;
  int exponent_;      // e
  std::vector<T> A_;  // 2^-e A, row by row; empty: factor_ times the identity
  T factor_ = 1;
  T grow_;
};

// An error e of x moves A x by |A| |e|, and A d itself is rounded by at most ulp (terms / 2) |A| |d|; the inner gauge
// enlarges both at most by its Lipschitz constant, to `lipschitz` for the whole. `offset` is what it makes of the terms that make
// up the inner anchor.
template <class N>
MarginOf<N> affine_margin(Ulps ulps, const N& lipschitz, const N& inner_kappa, double norm, std::size_t terms,
                          const N& anchor_size, const N& offset) {
  MarginOf<N> margin = general_margin<N>(ulps, lipschitz, terms, anchor_size, 4 * kUlp<double> * offset);
  margin.kappa = margin.kappa + inner_kappa * norm;
  return margin;
}

template <class T>
Margin affine_margin(const Gauge<T>& inner, double lipschitz, double norm, std::size_t terms, const Eigen::VectorXd& u0,
                     double offset) {
  const Margin margin =
      affine_margin<double>({kUlp<T>}, lipschitz, inner.kappa(), norm, terms, u0.stableNorm(), offset);
  require_resolvable<T>(margin.sigma, "affine map", 1 / margin.lipschitz);
  return margin;
}

TensorGaugeAt image_gauge(const TensorGaugeAt& inner, TensorGauge gauge, double norm, std::size_t terms,
                          const Tensor& anchor, const Tensor& offset, const TensorSpace& space) {
  const MarginOf<Tensor> margin =
      affine_margin<Tensor>({space.ulp(), space.coarse_ulp()}, inner.lipschitz * norm, inner.kappa.value().in_double(),
                            norm, terms, softradial::norm(frozen(anchor)), inner.lipschitz * frozen(offset));
  return guarded(std::move(gauge), margin, inner.interior, space);
}

// A bound of what the inner gauge makes of vectors whose entries are at most these: by its Lipschitz constant, or entry by entry,
// which is less where it is steep along few of them.
template <class T>
double enlarged(const Gauge<T>& inner, const Eigen::VectorXd& entries) {
  const std::vector<double> steepness = inner.steepness(static_cast<std::size_t>(entries.size()));
  const Eigen::Map<const Eigen::VectorXd> along(steepness.data(), entries.size());
  return std::min(inner.lipschitz() * entries.stableNorm(), along.dot(entries));
}

template <class T>
GaugePtr<T> preimage_gauge(const Set& inner, const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                           const AnchoredHull& at) {
  const Eigen::VectorXd point = A * at.point + b;
  const AffineHull hull = image_hull(at.hull, A);
  GaugePtr<T> gauge = gauge_of_part<T>(inner, {point, hull, at.parts_in_sizes});
  const double lipschitz = enlarged(*gauge, A.rowwise().stableNorm());
  const double offset =
      enlarged(*gauge, static_cast<double>(A.cols()) * (A.cwiseAbs() * at.point.cwiseAbs() + b.cwiseAbs()));
  const Margin margin =
      affine_margin<T>(*gauge, lipschitz, A.stableNorm(), static_cast<std::size_t>(A.cols()), at.point, offset);
  return std::make_unique<AffineGauge<T>>(std::move(gauge), A, margin);
}

template <class T>
GaugePtr<T> scaled_gauge(const Set& inner, double factor, const AnchoredHull& at) {
  const Eigen::VectorXd point = at.point / factor;
  GaugePtr<T> gauge = gauge_of_part<T>(inner, {point, at.hull, at.parts_in_sizes});
  const Margin margin = affine_margin<T>(*gauge, gauge->lipschitz() / factor, 1 / factor, 1, at.point,
                                         gauge->lipschitz() * point.stableNorm());
  return std::make_unique<AffineGauge<T>>(std::move(gauge), 1 / factor, inner.dim(), margin);
}

}  // namespace

AffinePreimage::AffinePreimage(Set inner, Eigen::MatrixXd A, Eigen::VectorXd b)
    : inner_(std::move(inner)), A_(std::move(A)), b_(std::move(b)) {
  require_dim(kAffinePreimage, dim());
  if (static_cast<std::size_t>(A_.rows()) != inner_.dim()) {
    reject(kAffinePreimage,
           "A has " + std::to_string(A_.rows()) + " rows, the set has dimension " + std::to_string(inner_.dim()));
  }
  require_entries(kAffinePreimage, "b", b_.size(), A_.rows(), "rows of A");
  require_finite(kAffinePreimage, "A", A_);
  require_finite(kAffinePreimage, "b", b_);
}

Description AffinePreimage::describe() const {
  return {std::string(kAffinePreimage), {{"set", std::vector{described(inner_)}}, {"A", A_}, {"b", b_}}};
}

bool AffinePreimage::append_linear(LinearSystem& out) const {
  LinearSystem inner(inner_.dim());
  const bool all_linear = inner_->append_linear(inner);
  for (const LinearSystem::Row& row : inner.inequalities()) out.add_inequality(pulled_back(row, A_, b_));
  for (const LinearSystem::Row& row : inner.equalities()) out.add_equality(pulled_back(row, A_, b_));
  return all_linear;
}

std::optional<Set> AffinePreimage::in_sizes(const Eigen::VectorXd& sizes) const {
  return AffinePreimage(inner_, A_ * sizes.asDiagonal(), b_);
}

std::string AffinePreimage::inequality_name(std::size_t index) const { return inner_->inequality_name(index); }

// The inner slacks at A x + b.
void AffinePreimage::slacks(std::span<const double> x, std::span<double> out) const {
  const Eigen::Map<const Eigen::VectorXd> point(x.data(), A_.cols());
  Eigen::VectorXd image(A_.rows());
  for (Eigen::Index i = 0; i < A_.rows(); ++i) {
    long double sum = b_[i];
    for (Eigen::Index j = 0; j < A_.cols(); ++j) sum += static_cast<long double>(A_(i, j)) * point[j];
    image[i] = static_cast<double>(sum);
  }
  inner_->slacks({image.data(), inner_.dim()}, out);
}

std::optional<BarrierTerms> AffinePreimage::barrier(const Eigen::VectorXd& x, double t) const {
  return chained(inner_->barrier(A_ * x + b_, t), A_);
}

std::optional<BarrierTerms> AffinePreimage::nonlinear_barrier(const Eigen::VectorXd& x, double t) const {
  return chained(inner_->nonlinear_barrier(A_ * x + b_, t), A_);
}

Scaled::Scaled(Set inner, double factor) : inner_(std::move(inner)), factor_(factor) {
  require_positive(kScaled, "factor", factor_);
}

Description Scaled::describe() const {
  return {std::string(kScaled), {{"set", std::vector{described(inner_)}}, {"factor", factor_}}};
}

bool Scaled::append_linear(LinearSystem& out) const {
  LinearSystem inner(inner_.dim());
  const bool all_linear = inner_->append_linear(inner);
  for (const LinearSystem::Row& row : inner.inequalities()) out.add_inequality(scaled_row(row, factor_));
  for (const LinearSystem::Row& row : inner.equalities()) out.add_equality(scaled_row(row, factor_));
  return all_linear;
}

std::optional<Set> Scaled::in_sizes(const Eigen::VectorXd& sizes) const {
  return Scaled(set_in_sizes(inner_, sizes), factor_);
}

void Scaled::slacks(std::span<const double> x, std::span<double> out) const {
  const Eigen::VectorXd y = Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())) / factor_;
  inner_->slacks({y.data(), x.size()}, out);
  for (double& slack : out) slack *= factor_;
}

std::optional<BarrierTerms> Scaled::barrier(const Eigen::VectorXd& x, double t) const {
  return rescaled(inner_->barrier(x / factor_, t / factor_), factor_);
}

std::optional<BarrierTerms> Scaled::nonlinear_barrier(const Eigen::VectorXd& x, double t) const {
  return rescaled(inner_->nonlinear_barrier(x / factor_, t / factor_), factor_);
}

std::optional<Eigen::VectorXd> Scaled::closed_form_anchor() const {
  std::optional<Eigen::VectorXd> anchor = given_or_closed_form_anchor(inner_);
  if (anchor) *anchor *= factor_;
  return anchor;
}

GaugePtr<float> AffinePreimage::gauge_f32(const AnchoredHull& at) const {
  return preimage_gauge<float>(inner_, A_, b_, at);
}
GaugePtr<double> AffinePreimage::gauge_f64(const AnchoredHull& at) const {
  return preimage_gauge<double>(inner_, A_, b_, at);
}
GaugePtr<float> Scaled::gauge_f32(const AnchoredHull& at) const { return scaled_gauge<float>(inner_, factor_, at); }
GaugePtr<double> Scaled::gauge_f64(const AnchoredHull& at) const { return scaled_gauge<double>(inner_, factor_, at); }

TensorGaugeAt AffinePreimage::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  const TensorSpace& space = data.space();
  const Tensor columns = space.constant(Eigen::MatrixXd(A_.transpose()));
  const TensorGaugeAt inner = inner_->gauge_in_tensors(product(columns, anchor) + space.constant(b_), data);
  const TensorGauge gauge = [gauge = inner.gauge, columns = space.working(columns)](const Tensor& d) {
    return gauge(product(columns, d));
  };
  const Tensor offset = static_cast<double>(A_.cols()) * (A_.stableNorm() * norm(anchor) + b_.stableNorm());
  return image_gauge(inner, gauge, A_.stableNorm(), static_cast<std::size_t>(A_.cols()), anchor, offset, space);
}

TensorGaugeAt Scaled::gauge_in_tensors(const Tensor& anchor, const SampleTensors& data) const {
  const TensorGaugeAt inner = inner_->gauge_in_tensors(anchor / factor_, data);
  const TensorGauge gauge = [gauge = inner.gauge, factor = factor_](const Tensor& d) { return gauge(d / factor); };
  return image_gauge(inner, gauge, 1 / factor_, 1, anchor, norm(anchor) / factor_, data.space());
}

SetType AffinePreimage::type() {
  return {.name = kAffinePreimage,
          .title = "AffinePreimage",
          .formula = "{x : A x + b in set}",
          .fields = {{.name = "set", .kind = FieldKind::set, .meaning = "the set that A x + b lies in, of dimension k"},
                     {.name = "A", .kind = FieldKind::matrix, .meaning = "(k, dim)"},
                     {.name = "b", .kind = FieldKind::numbers, .meaning = "(k)"}},
          .sample_data = {},
          .example = R"({"type": "affine_preimage", "set": {"type": "ball", "center": [0, 0], "radius": 1},
                     "A": [[1, 0.5, 0], [0, 1, 0.5]], "b": [0, 0.1]})",
          .make = [](const Fields& f) -> Set { return AffinePreimage(f.set("set"), f.matrix("A"), f.numbers("b")); }};
}

SetType Scaled::type() {
  return {.name = kScaled,
          .title = "Scaled",
          .formula = "{factor y : y in set}, factor > 0",
          .fields = {{.name = "set", .kind = FieldKind::set, .meaning = "the set that is scaled"},
                     {.name = "factor", .kind = FieldKind::number, .meaning = "a positive number"}},
          .sample_data = {},
          .example = R"({"type": "scaled", "set": {"type": "simplex", "dim": 3}, "factor": 100})",
          .make = [](const Fields& f) -> Set { return Scaled(f.set("set"), f.number("factor")); }};
}

}  // namespace softradial
