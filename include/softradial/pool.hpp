#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace softradial {

// A pool of buffers that calls borrow. Calls from several threads get different buffers, and a buffer that was given back
// is lent again instead of allocating another. A lease must not outlive its pool.
template <class Buffer>
class Pool {
 public:
  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<Buffer> buffer) : pool_(pool), buffer_(std::move(buffer)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.give_back(std::move(buffer_)); }
    [[nodiscard]] Buffer& operator*() const noexcept { return *buffer_; }

   private:
    Pool& pool_;
    std::unique_ptr<Buffer> buffer_;
  };

  // Lends an idle buffer, or a new one from make() if all are lent.
  template <class Make>
  [[nodiscard]] Lease lend(const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Buffer> buffer = std::move(idle_.back());
        idle_.pop_back();
        return {*this, std::move(buffer)};
      }
      // Room for every buffer that is lent, so that giving one back cannot fail.
      idle_.reserve(++made_);
    }
    return {*this, std::make_unique<Buffer>(make())};
  }

 private:
  void give_back(std::unique_ptr<Buffer> buffer) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(buffer));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Buffer>> idle_;
  std::size_t made_ = 0;
};

}  // namespace softradial
