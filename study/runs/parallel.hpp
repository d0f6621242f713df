#pragma once

#include <functional>

namespace softradial::study {

// Calls work(0), ..., work(count - 1) on up to `jobs` threads, each index once, in this order of beginning. Rethrows the
// exception of the smallest index that threw one; after an exception no other index is begun.
void in_parallel(int count, int jobs, const std::function<void(int index)>& work);

}  // namespace softradial::study
