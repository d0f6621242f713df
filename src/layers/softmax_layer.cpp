#include "builders.hpp"
#include "kernels/simplex_kernels.hpp"
#include "option_checks.hpp"
#include "softradial/sets/coordinates.hpp"

namespace softradial::layers {
namespace {

template <class T>
class SoftmaxLayer final : public Layer<T> {
 public:
  SoftmaxLayer(std::size_t dim, double total, double temperature)
      : dim_(dim), total_(static_cast<T>(total)), inverse_temperature_(static_cast<T>(1 / temperature)) {}

  [[nodiscard]] std::size_t dim() const noexcept override { return dim_; }
  std::size_t project(Rows<const T> u, Rows<T> x, Rows<T>) const override {
    kernels::softmax(u, total_, inverse_temperature_, x);
    return 0;
  }
  void project_vjp(Rows<const T>, Rows<const T> x, Rows<const T>, Rows<const T> grad_x, Rows<T> grad_u) const override {
    kernels::softmax_vjp(x, grad_x, total_, inverse_temperature_, grad_u);
  }

 private:
  std::size_t dim_;
  T total_;
  T inverse_temperature_;
};

}  // namespace

template <class T>
LayerPtr<T> make_softmax(const Set& set, const Softmax& method) {
  const auto* simplex = dynamic_cast<const Simplex*>(&*set);
  if (simplex == nullptr) reject_set("softmax", "simplices", set);
  require_invertible<T>("temperature", method.temperature);
  return std::make_unique<SoftmaxLayer<T>>(set.dim(), *simplex->total(), method.temperature);
}
template LayerPtr<float> make_softmax<float>(const Set&, const Softmax&);
template LayerPtr<double> make_softmax<double>(const Set&, const Softmax&);

}  // namespace softradial::layers
