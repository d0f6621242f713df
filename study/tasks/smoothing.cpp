#include "tasks/smoothing.hpp"

#include <Eigen/Core>
#include <cmath>

namespace softradial::study {
namespace {

constexpr double kForgotten = 1e-6;

template <class T>
using Rows = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

template <class T>
void smooth(Rows<T> x, T s) {
  for (Eigen::Index t = 1; t < x.rows(); ++t) x.row(t) += s * (x.row(t - 1) - x.row(t));
}

//   h_t = g_t + s h_{t+1}     dloss/dx_t = (1 - s) h_t, and h_0 for the first day
template <class T>
void smooth_back(Rows<T> grad, T s) {
  for (Eigen::Index t = grad.rows() - 1; t-- > 0;) grad.row(t) += s * grad.row(t + 1);
  grad.bottomRows(grad.rows() - 1) *= 1 - s;
}

template <class T>
Rows<T> rows_of(at::Tensor& x) {
  return {x.data_ptr<T>(), x.size(0), x.size(1)};
}

}  // namespace

void smooth_rows(at::Tensor& x, double s) {
  if (x.scalar_type() == at::kFloat) {
    smooth(rows_of<float>(x), static_cast<float>(s));
  } else {
    smooth(rows_of<double>(x), s);
  }
}

void smooth_rows_backward(at::Tensor& grad, double s) {
  if (grad.scalar_type() == at::kFloat) {
    smooth_back(rows_of<float>(grad), static_cast<float>(s));
  } else {
    smooth_back(rows_of<double>(grad), s);
  }
}

int64_t smoothing_memory(double s) {
  return s > 0 ? static_cast<int64_t>(std::ceil(std::log(kForgotten) / std::log(s))) : 0;
}

}  // namespace softradial::study
