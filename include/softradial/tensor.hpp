#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Tensors of another library: batches of numbers on a device, in its precision, with its derivatives and traces. The
// core uses them as a number type only, so that a formula which is a template over its numbers has one definition for
// rows in memory and for tensors. src/torch/at_tensor.* implements them by ATen.
namespace softradial {

class TensorValue;

// A batch of numbers (..., 1), of vectors (..., n), of truth values of either shape, or a constant that broadcasts against
// them. A value type: copies share their data, which never change.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(std::shared_ptr<const TensorValue> value) : value_(std::move(value)) {}

  [[nodiscard]] bool defined() const noexcept { return value_ != nullptr; }
  [[nodiscard]] const TensorValue& value() const noexcept { return *value_; }

 private:
  std::shared_ptr<const TensorValue> value_;
};

// The operations that a library of tensors has to offer. They broadcast; `last` is the dimension of a vector's entries.
class TensorValue {
 public:
  enum class Unary { negated, absolute, sign, root, exponential, logarithm, log_of_1_plus, tanh, is_finite, opposite };
  enum class Binary { plus, minus, times, over, larger, smaller, power, above, at_least, both, either };
  enum class Reduction { sum, largest, all };

  virtual ~TensorValue() = default;

  [[nodiscard]] virtual Tensor apply(Unary operation) const = 0;
  [[nodiscard]] virtual Tensor apply(Binary operation, const Tensor& right) const = 0;
  [[nodiscard]] virtual Tensor apply(Binary operation, double right) const = 0;
  // left operation this
  [[nodiscard]] virtual Tensor apply_after(double left, Binary operation) const = 0;
  // Reduces over `last`, which is kept with size 1. The gradient of `largest` goes to one of several equal entries.
  [[nodiscard]] virtual Tensor reduce(Reduction reduction) const = 0;

  // This tensor is the condition. No derivative passes to the side that is not taken, as long as its numbers are finite.
  [[nodiscard]] virtual Tensor choose(const Tensor& yes, const Tensor& no) const = 0;
  // These values where the condition holds; elsewhere a constant, and no derivative passes there.
  [[nodiscard]] virtual Tensor where(const Tensor& condition, double otherwise) const = 0;

  [[nodiscard]] virtual double largest_number() const = 0;  // the largest finite number in this precision
  [[nodiscard]] virtual std::size_t width() const = 0;      // the size of `last`
  [[nodiscard]] virtual Tensor columns(std::size_t first, std::size_t count) const = 0;
  [[nodiscard]] virtual Tensor beside(const Tensor& right) const = 0;  // joins both along `last`
  // This tensor, (..., n), times a constant (n, m).
  [[nodiscard]] virtual Tensor product(const Tensor& matrix) const = 0;
  // This tensor is a matrix for all samples, (m, n), or for each, (..., m, n). rows_times: its product with vectors;
  // row_norms: the norms of its rows, (..., m).
  [[nodiscard]] virtual Tensor rows_times(const Tensor& vectors) const = 0;
  [[nodiscard]] virtual Tensor row_norms() const = 0;

  [[nodiscard]] virtual Tensor frozen() const = 0;     // without derivatives
  [[nodiscard]] virtual Tensor in_double() const = 0;  // exact
  [[nodiscard]] virtual Tensor rounded_like(const Tensor& other) const = 0;

  // Symmetric matrices (..., k, k), for linear matrix inequalities.
  // sum_i this_i G_i for constants G (n, k, k)
  [[nodiscard]] virtual Tensor combination(const Tensor& G) const = 0;
  [[nodiscard]] virtual Tensor largest_eigenvalue() const = 0;  // (..., 1)
  // First: L^-1 with L L' = this, or the identity where this is not positive definite. Second: whether it is, (..., 1).
  [[nodiscard]] virtual std::pair<Tensor, Tensor> inverse_factor() const = 0;
  // factor this factor'
  [[nodiscard]] virtual Tensor congruent(const Tensor& factor) const = 0;
  // The sum of the squares of a matrix's entries, (..., 1).
  [[nodiscard]] virtual Tensor squared_norm() const = 0;
};

// Where the tensors of one call live, and how they are rounded.
class TensorSpace {
 public:
  virtual ~TensorSpace() = default;

  // Constants, in double.
  [[nodiscard]] virtual Tensor constant(double value) const = 0;  // (1)
  [[nodiscard]] virtual Tensor constant(const Eigen::VectorXd& values) const = 0;
  [[nodiscard]] virtual Tensor constant(const Eigen::MatrixXd& values) const = 0;
  [[nodiscard]] virtual Tensor constant(const std::vector<Eigen::MatrixXd>& values) const = 0;  // (n, k, k)

  // The values, rounded to the precision of the directions.
  [[nodiscard]] virtual Tensor working(const Tensor& values) const = 0;

  // ulp(): an ulp of 1 in that precision. coarse_ulp(): one in the type that x is rounded to at the end; 0 if it is the same.
  [[nodiscard]] virtual double ulp() const = 0;
  [[nodiscard]] virtual double coarse_ulp() const = 0;

  [[nodiscard]] Tensor working_constant(const Eigen::VectorXd& values) const { return working(constant(values)); }
  [[nodiscard]] Tensor working_constant(const Eigen::MatrixXd& values) const { return working(constant(values)); }
};

// gamma(d) without kappa |d|: (..., dim) -> (..., 1). Differentiable twice; on the device and in the precision of d.
using TensorGauge = std::function<Tensor(const Tensor& d)>;

// The gauge by tensors, for one anchor per sample.
struct TensorGaugeAt {
  TensorGauge gauge;
  Tensor kappa;      // (..., 1), in the working precision
  Tensor interior;   // (..., 1): whether the anchor is inside, far enough from the boundary for the precision
  Tensor lipschitz;  // (..., 1), in double: a bound of gamma over unit vectors
};

// A set's data that come with the samples, by name and in double: numbers (..., 1), vectors (..., n), matrices (..., m, n).
class SampleTensors {
 public:
  explicit SampleTensors(const TensorSpace& space) : space_(space) {}

  void give(std::string_view name, Tensor values) { given_.emplace_back(name, std::move(values)); }
  [[nodiscard]] const TensorSpace& space() const noexcept { return space_; }

  // The data for one part of an intersection: "1.b" is "b" of part 1.
  [[nodiscard]] SampleTensors of_part(std::size_t index) const {
    SampleTensors out(space_);
    const std::string prefix = std::to_string(index) + ".";
    for (const auto& [key, values] : given_) {
      if (key.starts_with(prefix)) out.give(std::string_view(key).substr(prefix.size()), values);
    }
    return out;
  }

  // The samples' own data of this name, or else the set's.
  template <class Values>
  [[nodiscard]] Tensor value_or(std::string_view name, const Values& own) const {
    for (const auto& [key, values] : given_) {
      if (key == name) return values;
    }
    return space_.constant(own);
  }

 private:
  const TensorSpace& space_;
  std::vector<std::pair<std::string, Tensor>> given_;
};

inline Tensor operator-(const Tensor& a) { return a.value().apply(TensorValue::Unary::negated); }

#define SOFTRADIAL_TENSOR_OPERATOR(SIGN, NAME)                                                                     \
  inline Tensor operator SIGN(const Tensor& a, const Tensor& b) {                                                  \
    return a.value().apply(TensorValue::Binary::NAME, b);                                                          \
  }                                                                                                                \
  inline Tensor operator SIGN(const Tensor& a, double b) { return a.value().apply(TensorValue::Binary::NAME, b); } \
  inline Tensor operator SIGN(double a, const Tensor& b) { return b.value().apply_after(a, TensorValue::Binary::NAME); }
SOFTRADIAL_TENSOR_OPERATOR(+, plus)
SOFTRADIAL_TENSOR_OPERATOR(-, minus)
SOFTRADIAL_TENSOR_OPERATOR(*, times)
SOFTRADIAL_TENSOR_OPERATOR(/, over)
#undef SOFTRADIAL_TENSOR_OPERATOR

// Truth values.
inline Tensor operator>(const Tensor& a, const Tensor& b) { return a.value().apply(TensorValue::Binary::above, b); }
inline Tensor operator>(const Tensor& a, double b) { return a.value().apply(TensorValue::Binary::above, b); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return a.value().apply(TensorValue::Binary::at_least, b); }
inline Tensor operator>=(const Tensor& a, double b) { return a.value().apply(TensorValue::Binary::at_least, b); }
inline Tensor operator<(const Tensor& a, const Tensor& b) { return b > a; }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return b >= a; }
inline Tensor operator&&(const Tensor& a, const Tensor& b) { return a.value().apply(TensorValue::Binary::both, b); }
inline Tensor operator||(const Tensor& a, const Tensor& b) { return a.value().apply(TensorValue::Binary::either, b); }
inline Tensor operator!(const Tensor& a) { return a.value().apply(TensorValue::Unary::opposite); }

inline Tensor abs(const Tensor& x) { return x.value().apply(TensorValue::Unary::absolute); }
inline Tensor exp(const Tensor& x) { return x.value().apply(TensorValue::Unary::exponential); }
inline Tensor log(const Tensor& x) { return x.value().apply(TensorValue::Unary::logarithm); }
inline Tensor log1p(const Tensor& x) { return x.value().apply(TensorValue::Unary::log_of_1_plus); }
inline Tensor tanh(const Tensor& x) { return x.value().apply(TensorValue::Unary::tanh); }
inline Tensor isfinite(const Tensor& x) { return x.value().apply(TensorValue::Unary::is_finite); }

}  // namespace softradial
