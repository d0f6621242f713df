#include "at_tensor.hpp"

#include <ATen/ATen.h>

#include <limits>
#include <utility>
#include <vector>

#include "eigen_tensors.hpp"

namespace softradial::ops {
namespace {

class AtValue final : public TensorValue {
 public:
  explicit AtValue(at::Tensor tensor) : tensor_(std::move(tensor)) {}

  [[nodiscard]] const at::Tensor& tensor() const noexcept { return tensor_; }

  [[nodiscard]] Tensor apply(Unary operation) const override { return wrap(evaluate(operation)); }
  [[nodiscard]] Tensor apply(Binary operation, const Tensor& right) const override {
    return wrap(evaluate(operation, tensor_, unwrap(right)));
  }
  [[nodiscard]] Tensor apply(Binary operation, double right) const override {
    return wrap(evaluate(operation, tensor_, right));
  }
  [[nodiscard]] Tensor apply_after(double left, Binary operation) const override {
    return wrap(evaluate(operation, left, tensor_));
  }

  // Unlike amax, the gradient of max with a dimension goes to one of several equal entries.
  [[nodiscard]] Tensor reduce(Reduction reduction) const override {
    switch (reduction) {
      case Reduction::sum:
        return wrap(tensor_.sum(-1, true));
      case Reduction::largest:
        return wrap(std::get<0>(tensor_.max(-1, true)));
      case Reduction::all:
        return wrap(tensor_.all(-1, true));
    }
    return {};
  }

  [[nodiscard]] Tensor choose(const Tensor& yes, const Tensor& no) const override {
    return wrap(at::where(tensor_, unwrap(yes), unwrap(no)));
  }
  // masked_fill keeps the dtype when it is exported; a `where` with a filled tensor does not.
  [[nodiscard]] Tensor where(const Tensor& condition, double otherwise) const override {
    return wrap(tensor_.masked_fill(unwrap(condition).bitwise_not(), otherwise));
  }

  [[nodiscard]] double largest_number() const override {
    return tensor_.scalar_type() == at::kDouble ? std::numeric_limits<double>::max()
                                                : std::numeric_limits<float>::max();
  }
  // Reads the last size alone: the size of a batch may be a symbol.
  [[nodiscard]] std::size_t width() const override {
    return static_cast<std::size_t>(tensor_.sym_sizes().back().guard_int(__FILE__, __LINE__));
  }
  [[nodiscard]] Tensor columns(std::size_t first, std::size_t count) const override {
    return wrap(tensor_.narrow(-1, static_cast<int64_t>(first), static_cast<int64_t>(count)));
  }
  [[nodiscard]] Tensor beside(const Tensor& right) const override {
    return wrap(at::cat({tensor_, unwrap(right)}, -1));
  }
  [[nodiscard]] Tensor product(const Tensor& matrix) const override { return wrap(tensor_.matmul(unwrap(matrix))); }
  [[nodiscard]] Tensor rows_times(const Tensor& vectors) const override {
    const at::Tensor& d = unwrap(vectors);
    return wrap(tensor_.dim() == 2 ? d.matmul(tensor_.t()) : tensor_.matmul(d.unsqueeze(-1)).squeeze(-1));
  }
  [[nodiscard]] Tensor row_norms() const override { return wrap((tensor_ * tensor_).sum(-1).sqrt()); }

  [[nodiscard]] Tensor frozen() const override { return wrap(tensor_.detach()); }
  [[nodiscard]] Tensor in_double() const override { return wrap(tensor_.to(at::kDouble)); }
  [[nodiscard]] Tensor rounded_like(const Tensor& other) const override {
    return wrap(tensor_.to(unwrap(other).scalar_type()));
  }

  [[nodiscard]] Tensor combination(const Tensor& G) const override {
    return wrap(at::tensordot(tensor_, unwrap(G), {-1}, {0}));
  }
  [[nodiscard]] Tensor largest_eigenvalue() const override {
    return wrap(at::linalg_eigvalsh(tensor_).narrow(-1, static_cast<int64_t>(width()) - 1, 1));
  }
  [[nodiscard]] std::pair<Tensor, Tensor> inverse_factor() const override {
    const at::Tensor positive = std::get<1>(at::linalg_cholesky_ex(tensor_.detach())) == 0;
    const at::Tensor eye = at::eye(static_cast<int64_t>(width()), tensor_.options());
    const at::Tensor safe = at::where(positive.unsqueeze(-1).unsqueeze(-1), tensor_, eye);
    return {wrap(at::linalg_inv(at::linalg_cholesky(safe))), wrap(positive.unsqueeze(-1))};
  }
  [[nodiscard]] Tensor congruent(const Tensor& factor) const override {
    const at::Tensor& L = unwrap(factor);
    return wrap(L.matmul(tensor_).matmul(L.transpose(-1, -2)));
  }
  [[nodiscard]] Tensor squared_norm() const override { return wrap(tensor_.square().sum({-1, -2}).unsqueeze(-1)); }

 private:
  [[nodiscard]] at::Tensor evaluate(Unary operation) const {
    switch (operation) {
      case Unary::negated:
        return -tensor_;
      case Unary::absolute:
        return tensor_.abs();
      case Unary::sign:
        return tensor_.sign();
      case Unary::root:
        return tensor_.sqrt();
      case Unary::exponential:
        return tensor_.exp();
      case Unary::logarithm:
        return tensor_.log();
      case Unary::log_of_1_plus:
        return at::log1p(tensor_);
      case Unary::tanh:
        return tensor_.tanh();
      case Unary::is_finite:
        // Uses only operations that every exporter knows.
        return tensor_ - tensor_ == 0;
      case Unary::opposite:
        return tensor_.bitwise_not();
    }
    return {};
  }

  // Either operand may be a plain number.
  template <class Left, class Right>
  [[nodiscard]] static at::Tensor evaluate(Binary operation, const Left& a, const Right& b) {
    switch (operation) {
      case Binary::plus:
        return a + b;
      case Binary::minus:
        return difference(a, b);
      case Binary::times:
        return a * b;
      case Binary::over:
        return quotient(a, b);
      case Binary::power:
        return at::pow(a, b);
      case Binary::above:
        return a > b;
      case Binary::at_least:
        return a >= b;
      case Binary::larger:
        return larger_of(a, b);
      case Binary::smaller:
        return smaller_of(a, b);
      case Binary::both:
        return as_tensor(a, b).logical_and(as_tensor(b, a));
      case Binary::either:
        return as_tensor(a, b).logical_or(as_tensor(b, a));
    }
    return {};
  }

  // ATen's operators with a number on the left work in place, which traces cannot always export.
  template <class Right>
  [[nodiscard]] static at::Tensor difference(const at::Tensor& a, const Right& b) {
    return a - b;
  }
  [[nodiscard]] static at::Tensor difference(double a, const at::Tensor& b) { return at::rsub(b, a); }
  template <class Right>
  [[nodiscard]] static at::Tensor quotient(const at::Tensor& a, const Right& b) {
    return a / b;
  }
  // A division: the tangent of a reciprocal squares it, which overflows where the tangent of the quotient does not.
  [[nodiscard]] static at::Tensor quotient(double a, const at::Tensor& b) {
    return at::scalar_tensor(a, b.options()) / b;
  }

  // At a tie of two tensors the derivative is shared by halves. At a tie with a number it is 0 for relu and 1 for a
  // clamp.
  [[nodiscard]] static at::Tensor larger_of(const at::Tensor& a, const at::Tensor& b) { return at::maximum(a, b); }
  [[nodiscard]] static at::Tensor larger_of(const at::Tensor& a, double b) {
    return b == 0 ? a.relu() : a.clamp_min(b);
  }
  [[nodiscard]] static at::Tensor larger_of(double a, const at::Tensor& b) { return larger_of(b, a); }
  [[nodiscard]] static at::Tensor smaller_of(const at::Tensor& a, const at::Tensor& b) { return at::minimum(a, b); }
  [[nodiscard]] static at::Tensor smaller_of(const at::Tensor& a, double b) { return a.clamp_max(b); }
  [[nodiscard]] static at::Tensor smaller_of(double a, const at::Tensor& b) { return b.clamp_max(a); }

  [[nodiscard]] static at::Tensor as_tensor(const at::Tensor& values, double) { return values; }
  [[nodiscard]] static at::Tensor as_tensor(const at::Tensor& values, const at::Tensor&) { return values; }
  [[nodiscard]] static at::Tensor as_tensor(double value, const at::Tensor& like) {
    return at::scalar_tensor(value, like.options());
  }

  at::Tensor tensor_;
};

}  // namespace

Tensor wrap(at::Tensor tensor) { return Tensor(std::make_shared<const AtValue>(std::move(tensor))); }

const at::Tensor& unwrap(const Tensor& tensor) { return static_cast<const AtValue&>(tensor.value()).tensor(); }

AtGauge unwrap(TensorGauge gauge) {
  return [gauge = std::move(gauge)](const at::Tensor& d) { return unwrap(gauge(wrap(d))); };
}

at::ScalarType working_type(at::ScalarType type) { return type == at::kDouble ? at::kDouble : at::kFloat; }
at::ScalarType wide_type(at::ScalarType type) { return type == at::kFloat ? at::kDouble : working_type(type); }

double ulp(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return std::numeric_limits<double>::epsilon();
    case at::kHalf:
      return 0x1p-10;
    case at::kBFloat16:
      return 0x1p-7;
    default:
      return std::numeric_limits<float>::epsilon();
  }
}

Tensor AtSpace::constant(double value) const {
  return wrap(at::full({1}, value, at::TensorOptions().device(device_).dtype(at::kDouble)));
}
Tensor AtSpace::constant(const Eigen::VectorXd& values) const { return wrap(to_tensor(values).to(device_)); }
Tensor AtSpace::constant(const Eigen::MatrixXd& values) const { return wrap(to_tensor(values).to(device_)); }
Tensor AtSpace::constant(const std::vector<Eigen::MatrixXd>& values) const {
  std::vector<at::Tensor> all;
  all.reserve(values.size());
  for (const Eigen::MatrixXd& matrix : values) all.push_back(to_tensor(matrix));
  return wrap(at::stack(all).to(device_));
}
Tensor AtSpace::working(const Tensor& values) const { return wrap(unwrap(values).to(working_)); }
double AtSpace::ulp() const { return ops::ulp(working_); }
double AtSpace::coarse_ulp() const { return type_ == working_ ? 0 : ops::ulp(type_); }

}  // namespace softradial::ops
