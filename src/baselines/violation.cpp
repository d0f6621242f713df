#include <algorithm>
#include <cmath>
#include <vector>

#include "builders.hpp"
#include "softradial/errors.hpp"
#include "softradial/layer.hpp"

namespace softradial {
namespace {

// Calls take(v) with the violation of every inequality and equality at x.
template <class Take>
void for_each_violation(const Set& set, std::span<const double> x, const Take& take) {
  if (x.size() != set.dim()) {
    throw ShapeError("x has " + std::to_string(x.size()) + " numbers, the set has dimension " +
                     std::to_string(set.dim()));
  }
  std::vector<double> slacks(set->num_inequalities());
  set->slacks(x, slacks);
  for (const double slack : slacks) take(std::max(0.0, -slack));
  LinearSystem system(set.dim());
  set->append_linear(system);
  for (const auto& row : system.equalities()) take(std::abs(residual(row, x.data())));
}

// x = u.
template <class T>
class IdentityLayer final : public Layer<T> {
 public:
  explicit IdentityLayer(std::size_t dim) : dim_(dim) {}
  [[nodiscard]] std::size_t dim() const noexcept override { return dim_; }
  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    copy(u, x);
    return 0;
  }
  void project_vjp(Rows<const T>, Rows<const T>, Rows<const T>, Rows<const T> grad_x, Rows<T> grad_u) const override {
    copy(grad_x, grad_u);
  }

 private:
  static void copy(Rows<const T> from, Rows<T> to) {
    for (std::size_t i = 0; i < from.count(); ++i) std::ranges::copy(from[i], to.row(i));
  }
  std::size_t dim_;
};

}  // namespace

double penalty(const Set& set, std::span<const double> x) {
  double sum = 0;
  for_each_violation(set, x, [&](double v) { sum += v * v; });
  return sum;
}

double violation(const Set& set, std::span<const double> x) {
  double worst = 0;
  for_each_violation(set, x, [&](double v) { worst = std::isnan(v) ? v : std::max(worst, v); });
  return worst;
}

namespace baselines {

template <class T>
LayerPtr<T> make_soft_penalty(const Set& set) {
  return std::make_unique<IdentityLayer<T>>(set.dim());
}
template LayerPtr<float> make_soft_penalty<float>(const Set&);
template LayerPtr<double> make_soft_penalty<double>(const Set&);

}  // namespace baselines
}  // namespace softradial
