#pragma once

#include <atomic>
#include <mutex>
#include <optional>

namespace softradial {

// A value that is made at its first use, by whichever thread comes first, and then never changes. If make() throws, there is
// no value, and the next call tries again. Not std::call_once: after an exception it hangs under the thread sanitizer and
// wherever pthread_once does not know exceptions.
template <class Value>
class Lazy {
 public:
  template <class Make>
  const Value& get(const Make& make) {
    if (!made_.load(std::memory_order_acquire)) {
      const std::lock_guard lock(mutex_);
      if (!made_.load(std::memory_order_relaxed)) {
        value_.emplace(make());
        made_.store(true, std::memory_order_release);
      }
    }
    return *value_;
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> made_ = false;
  std::optional<Value> value_;
};

}  // namespace softradial
