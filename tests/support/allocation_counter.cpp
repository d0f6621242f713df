#include "support/allocation_counter.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocations{0};

}  // namespace

namespace softradial::support {

AllocationGuard::AllocationGuard() noexcept : before_(allocations.load()) {}
std::size_t AllocationGuard::count() const noexcept { return allocations.load() - before_; }

}  // namespace softradial::support

// GCC defines macros of its own for its sanitizers, clang has features.
#if defined(__SANITIZE_THREAD__)
#define SOFTRADIAL_THREAD_SANITIZER
#elif defined(__SANITIZE_ADDRESS__)
#define SOFTRADIAL_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SOFTRADIAL_THREAD_SANITIZER
#elif __has_feature(address_sanitizer)
#define SOFTRADIAL_ADDRESS_SANITIZER
#endif
#endif

// Eigen allocates with malloc, the rest of the library with operator new, which calls malloc. With glibc alone, malloc itself
// is counted. The address sanitizer has its own malloc: operator new alone is counted. The thread sanitizer has its own
// operator new, too, which clang 14 lets nobody replace: nothing is counted there.
#if defined(SOFTRADIAL_THREAD_SANITIZER)
#elif defined(__GLIBC__) && !defined(SOFTRADIAL_ADDRESS_SANITIZER)

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  ++allocations;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  ++allocations;
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
}

#else

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#endif
