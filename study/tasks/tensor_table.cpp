#include "tasks/tensor_table.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace softradial::study {

at::Tensor to_tensor(const Table& table, at::ScalarType dtype) {
  const at::Tensor out = at::empty({table.rows(), table.cols()}, at::kDouble);
  std::copy_n(table.data(), table.size(), out.data_ptr<double>());
  return out.to(dtype);
}

Table to_table(const at::Tensor& tensor) {
  const at::Tensor wide = tensor.detach().to(at::kDouble).contiguous();
  return Eigen::Map<const Table>(wide.data_ptr<double>(), wide.size(0), wide.size(1));
}

}  // namespace softradial::study
