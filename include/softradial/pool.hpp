#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace softradial {

// Buffers that calls borrow, so that calls from several threads do not meet and none allocates twice. A lease must not
// outlive its pool.
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

  // An idle buffer, or make() where all are out.
  template <class Make>
  [[nodiscard]] Lease lend(const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Buffer> buffer = std::move(idle_.back());
        idle_.pop_back();
        return {*this, std::move(buffer)};
      }
      // Room for every buffer that is out, so that giving one back cannot fail.
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
