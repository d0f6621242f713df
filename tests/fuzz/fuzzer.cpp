// A target for libFuzzer, which brings main. The build says which one.
#include <cstddef>
#include <cstdint>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  softradial::fuzz::SOFTRADIAL_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
