#pragma once

#include "gauges/scaled_rows.hpp"

namespace softradial {

// gamma(d) = max(0, max_i w_i.d) over scaled rows: by a matrix kernel, or by the non-zeros alone.
template <class T>
[[nodiscard]] GaugePtr<T> make_dense_rows_gauge(const ScaledRows& rows, std::size_t dim);
template <class T>
[[nodiscard]] GaugePtr<T> make_sparse_rows_gauge(const ScaledRows& rows, std::size_t dim);

}  // namespace softradial
