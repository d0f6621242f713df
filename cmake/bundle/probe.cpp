// Calls what the core calls of the libraries that a wheel has to bring: the program loads them and no others.
#include <hwy/targets.h>

#include <ClpSimplex.hpp>

int main() {
  ClpSimplex model;
  return model.primal() + static_cast<int>(hwy::SupportedTargets());
}
