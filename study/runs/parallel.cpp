#include "runs/parallel.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace softradial::study {

void in_parallel(int count, int jobs, const std::function<void(int index)>& work) {
  if (count <= 0) return;
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
  std::atomic<int> next = 0;
  std::atomic<bool> failed = false;
  const auto worker = [&] {
    // A new thread uses OpenMP's own default until it is told this process's number of threads.
    at::init_num_threads();
    for (int index = next++; index < count && !failed; index = next++) {
      try {
        work(index);
      } catch (...) {
        errors[static_cast<std::size_t>(index)] = std::current_exception();
        failed = true;
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int k = 1; k < std::min(jobs, count); ++k) threads.emplace_back(worker);
    worker();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace softradial::study
