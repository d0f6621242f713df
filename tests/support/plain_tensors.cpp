#include "support/plain_tensors.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

namespace softradial::support {
namespace {

using Shape = std::vector<std::size_t>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::size_t count_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

class PlainValue final : public TensorValue {
 public:
  PlainValue(Shape shape, std::vector<double> numbers) : shape_(std::move(shape)), numbers_(std::move(numbers)) {}

  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }

  [[nodiscard]] Tensor apply(Unary operation) const override {
    return each([&](double x) -> double {
      switch (operation) {
        case Unary::negated:
          return -x;
        case Unary::absolute:
          return std::abs(x);
        case Unary::sign:
          return (x > 0) - (x < 0);
        case Unary::root:
          return std::sqrt(x);
        case Unary::exponential:
          return std::exp(x);
        case Unary::logarithm:
          return std::log(x);
        case Unary::log_of_1_plus:
          return std::log1p(x);
        case Unary::tanh:
          return std::tanh(x);
        case Unary::is_finite:
          return std::isfinite(x) ? 1 : 0;
        case Unary::opposite:
          return x == 0 ? 1 : 0;
      }
      return x;
    });
  }
  [[nodiscard]] Tensor apply(Binary operation, const Tensor& right) const override {
    return together(*this, of(right), [&](double a, double b) { return result(operation, a, b); });
  }
  [[nodiscard]] Tensor apply(Binary operation, double right) const override {
    return each([&](double a) { return result(operation, a, right); });
  }
  [[nodiscard]] Tensor apply_after(double left, Binary operation) const override {
    return each([&](double b) { return result(operation, left, b); });
  }

  [[nodiscard]] Tensor reduce(Reduction reduction) const override {
    Shape shape = shape_;
    shape.back() = 1;
    std::vector<double> out;
    for (std::size_t row = 0; row < rows(); ++row) {
      const auto first = numbers_.begin() + static_cast<std::ptrdiff_t>(row * width());
      const auto last = first + static_cast<std::ptrdiff_t>(width());
      out.push_back(reduction == Reduction::sum       ? std::accumulate(first, last, 0.0)
                    : reduction == Reduction::largest ? *std::max_element(first, last)
                                                      : *std::min_element(first, last));
    }
    return make(std::move(shape), std::move(out));
  }

  [[nodiscard]] Tensor choose(const Tensor& yes, const Tensor& no) const override {
    const Tensor taken = together(*this, of(yes), [](double c, double x) { return c != 0 ? x : 0; });
    const Tensor other = together(*this, of(no), [](double c, double x) { return c != 0 ? 0 : x; });
    return taken + other;
  }
  [[nodiscard]] Tensor where(const Tensor& condition, double otherwise) const override {
    return together(*this, of(condition), [&](double x, double c) { return c != 0 ? x : otherwise; });
  }

  [[nodiscard]] double largest_number() const override { return std::numeric_limits<double>::max(); }
  [[nodiscard]] std::size_t width() const override { return shape_.back(); }
  [[nodiscard]] Tensor columns(std::size_t first, std::size_t count) const override {
    Shape shape = shape_;
    shape.back() = count;
    std::vector<double> out;
    for (std::size_t row = 0; row < rows(); ++row) {
      for (std::size_t j = 0; j < count; ++j) out.push_back(numbers_[row * width() + first + j]);
    }
    return make(std::move(shape), std::move(out));
  }
  [[nodiscard]] Tensor beside(const Tensor& right) const override {
    const PlainValue& other = of(right);
    Shape shape = shape_;
    shape.back() += other.width();
    std::vector<double> out;
    for (std::size_t row = 0; row < rows(); ++row) {
      for (std::size_t j = 0; j < width(); ++j) out.push_back(numbers_[row * width() + j]);
      for (std::size_t j = 0; j < other.width(); ++j) out.push_back(other.numbers_[row * other.width() + j]);
    }
    return make(std::move(shape), std::move(out));
  }
  [[nodiscard]] Tensor product(const Tensor& matrix) const override {
    return wrapped(vectors() * of(matrix).matrix(0), shape_);
  }
  [[nodiscard]] Tensor rows_times(const Tensor& vectors) const override {
    const PlainValue& d = of(vectors);
    if (shape_.size() == 2) return wrapped(d.vectors() * matrix(0).transpose(), d.shape_);
    Matrix out(static_cast<Eigen::Index>(d.rows()), static_cast<Eigen::Index>(shape_[shape_.size() - 2]));
    for (Eigen::Index i = 0; i < out.rows(); ++i) out.row(i) = matrix(i) * d.vectors().row(i).transpose();
    return wrapped(out, d.shape_);
  }
  [[nodiscard]] Tensor row_norms() const override {
    Shape shape(shape_.begin(), shape_.end() - 1);
    const Eigen::VectorXd norms = vectors().rowwise().norm();
    return make(std::move(shape), {norms.begin(), norms.end()});
  }

  [[nodiscard]] Tensor frozen() const override { return make(shape_, numbers_); }
  [[nodiscard]] Tensor in_double() const override { return frozen(); }
  [[nodiscard]] Tensor rounded_like(const Tensor& /*other*/) const override { return frozen(); }

  [[nodiscard]] Tensor combination(const Tensor& G) const override {
    const PlainValue& matrices = of(G);
    const std::size_t size = matrices.width();
    const Matrix flat = matrices.reshaped(matrices.shape_[0], size * size);
    const Matrix sums = vectors() * flat;
    Shape shape(shape_.begin(), shape_.end() - 1);
    shape.insert(shape.end(), {size, size});
    return make(std::move(shape), {sums.data(), sums.data() + sums.size()});
  }
  [[nodiscard]] Tensor largest_eigenvalue() const override {
    return each_matrix([](const Matrix& M) {
      return Matrix::Constant(1, 1, Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(M).eigenvalues().maxCoeff());
    });
  }
  [[nodiscard]] std::pair<Tensor, Tensor> inverse_factor() const override {
    const auto definite = [](const Matrix& M) { return Eigen::LLT<Eigen::MatrixXd>(M).info() == Eigen::Success; };
    const Tensor factors = each_matrix([&](const Matrix& M) -> Matrix {
      if (!definite(M)) return Matrix::Identity(M.rows(), M.cols());
      return Eigen::LLT<Eigen::MatrixXd>(M).matrixL().solve(Eigen::MatrixXd::Identity(M.rows(), M.cols()));
    });
    Shape of_factors = shape_;
    return {make(std::move(of_factors), of(factors).numbers_),
            each_matrix([&](const Matrix& M) { return Matrix::Constant(1, 1, definite(M) ? 1.0 : 0.0); })};
  }
  [[nodiscard]] Tensor congruent(const Tensor& factor) const override {
    const PlainValue& L = of(factor);
    const auto in_L = static_cast<Eigen::Index>(L.numbers_.size() / (L.width() * L.width()));
    const auto mine = static_cast<Eigen::Index>(numbers_.size() / (width() * width()));
    std::vector<double> out;
    for (Eigen::Index i = 0; i < std::max(in_L, mine); ++i) {
      const Matrix F = L.matrix(in_L == 1 ? 0 : i);
      const Matrix product = F * matrix(mine == 1 ? 0 : i) * F.transpose();
      out.insert(out.end(), product.data(), product.data() + product.size());
    }
    return make(in_L > mine ? L.shape_ : shape_, std::move(out));
  }
  [[nodiscard]] Tensor squared_norm() const override {
    return each_matrix([](const Matrix& M) { return Matrix::Constant(1, 1, M.squaredNorm()); });
  }

  static const PlainValue& of(const Tensor& tensor) { return static_cast<const PlainValue&>(tensor.value()); }
  static Tensor make(Shape shape, std::vector<double> numbers) {
    return Tensor(std::make_shared<const PlainValue>(std::move(shape), std::move(numbers)));
  }

 private:
  static double result(Binary operation, double a, double b) {
    switch (operation) {
      case Binary::plus:
        return a + b;
      case Binary::minus:
        return a - b;
      case Binary::times:
        return a * b;
      case Binary::over:
        return a / b;
      case Binary::larger:
        return std::isnan(a) || a > b ? a : b;
      case Binary::smaller:
        return std::isnan(a) || a < b ? a : b;
      case Binary::power:
        return std::pow(a, b);
      case Binary::above:
        return a > b ? 1 : 0;
      case Binary::at_least:
        return a >= b ? 1 : 0;
      case Binary::both:
        return a != 0 && b != 0 ? 1 : 0;
      case Binary::either:
        return a != 0 || b != 0 ? 1 : 0;
    }
    return a;
  }

  template <class Function>
  [[nodiscard]] Tensor each(const Function& function) const {
    std::vector<double> out(numbers_.size());
    std::transform(numbers_.begin(), numbers_.end(), out.begin(), function);
    return make(shape_, std::move(out));
  }

  // Shapes are matched from the last dimension on; a dimension of size 1 is repeated.
  template <class Function>
  [[nodiscard]] static Tensor together(const PlainValue& a, const PlainValue& b, const Function& function) {
    Shape shape(std::max(a.shape_.size(), b.shape_.size()));
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const std::size_t here = a.size_from_end(k);
      shape[shape.size() - 1 - k] = here == 1 ? b.size_from_end(k) : here;
    }
    std::vector<double> out(count_of(shape));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = function(a.at(shape, i), b.at(shape, i));
    return make(std::move(shape), std::move(out));
  }
  [[nodiscard]] std::size_t size_from_end(std::size_t k) const {
    return k < shape_.size() ? shape_[shape_.size() - 1 - k] : 1;
  }
  // The number that stands at place `index` of a larger shape.
  [[nodiscard]] double at(const Shape& shape, std::size_t index) const {
    std::size_t place = 0;
    std::size_t stride = 1;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const std::size_t size = shape[shape.size() - 1 - k];
      const std::size_t mine = size_from_end(k);
      if (mine > 1) place += index % size * stride;
      stride *= mine;
      index /= size;
    }
    return numbers_[place];
  }

  [[nodiscard]] Matrix reshaped(std::size_t count, std::size_t size) const {
    return Eigen::Map<const Matrix>(numbers_.data(), static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(size));
  }
  [[nodiscard]] std::size_t rows() const { return count_of({shape_.begin(), shape_.end() - 1}); }
  [[nodiscard]] Matrix vectors() const { return reshaped(rows(), width()); }
  // Matrix i of a batch, or the only one.
  [[nodiscard]] Matrix matrix(Eigen::Index i) const {
    const std::size_t height = shape_[shape_.size() - 2];
    return Eigen::Map<const Matrix>(numbers_.data() + static_cast<std::size_t>(i) * height * width(),
                                    static_cast<Eigen::Index>(height), static_cast<Eigen::Index>(width()));
  }
  // Vectors, one for each of a batch that `like` is the shape of.
  [[nodiscard]] static Tensor wrapped(const Matrix& rows, Shape like) {
    like.back() = static_cast<std::size_t>(rows.cols());
    return make(std::move(like), {rows.data(), rows.data() + rows.size()});
  }
  // A row of numbers for each matrix of a batch.
  template <class Function>
  [[nodiscard]] Tensor each_matrix(const Function& function) const {
    std::vector<double> out;
    const std::size_t count = numbers_.size() / (width() * width());
    for (std::size_t i = 0; i < count; ++i) {
      const Matrix result = function(matrix(static_cast<Eigen::Index>(i)));
      out.insert(out.end(), result.data(), result.data() + result.size());
    }
    Shape shape(shape_.begin(), shape_.end() - 2);
    shape.push_back(out.size() / count);
    return make(std::move(shape), std::move(out));
  }

  Shape shape_;
  std::vector<double> numbers_;
};

}  // namespace

Tensor PlainSpace::constant(double value) const { return PlainValue::make({1}, {value}); }
Tensor PlainSpace::constant(const Eigen::VectorXd& values) const {
  return PlainValue::make({static_cast<std::size_t>(values.size())}, {values.begin(), values.end()});
}
Tensor PlainSpace::constant(const Eigen::MatrixXd& values) const {
  const Matrix rows = values;
  return PlainValue::make({static_cast<std::size_t>(rows.rows()), static_cast<std::size_t>(rows.cols())},
                          {rows.data(), rows.data() + rows.size()});
}
Tensor PlainSpace::constant(const std::vector<Eigen::MatrixXd>& values) const {
  std::vector<double> all;
  for (const Matrix matrix : values) all.insert(all.end(), matrix.data(), matrix.data() + matrix.size());
  const auto size = static_cast<std::size_t>(values.front().rows());
  return PlainValue::make({values.size(), size, size}, std::move(all));
}
double PlainSpace::ulp() const { return std::numeric_limits<double>::epsilon(); }

std::vector<double> numbers(const Tensor& tensor) { return PlainValue::of(tensor).numbers(); }

}  // namespace softradial::support
