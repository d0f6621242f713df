#pragma once

#include <cstdio>
#include <cstdlib>
#include <new>

namespace softradial::fuzz {

// A law that must hold for every input.
inline void require(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", law);
  std::abort();
}

// Runs the work and returns whether the input was accepted. `Refusal` is what the reader says no with; there may be too little
// memory for what an input asks for. Anything else goes on to the fuzzer.
template <class Refusal, class Work>
bool accepts(const Work& work) {
  try {
    work();
    return true;
  } catch (const Refusal&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace softradial::fuzz
