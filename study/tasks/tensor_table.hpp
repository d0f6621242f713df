#pragma once

#include <ATen/core/Tensor.h>

#include "data/price_table.hpp"

namespace softradial::study {

// Copies between tables and tensors of any floating type, (rows, columns).
at::Tensor to_tensor(const Table& table, at::ScalarType dtype);
Table to_table(const at::Tensor& tensor);

}  // namespace softradial::study
