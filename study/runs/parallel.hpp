#pragma once

#include <functional>

namespace softradial::study {

// Calls work(0), ..., work(count - 1), each once, on up to `jobs` threads; calls begin in this order. Rethrows the exception
// of the smallest index that threw one; after an exception no further call begins.
void in_parallel(int count, int jobs, const std::function<void(int index)>& work);

}  // namespace softradial::study
