// Loads the model that roundtrip.py saved, checks its output, and saves it for Python again.
#include <torch/script.h>

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  torch::jit::Module model = torch::jit::load(folder + "/from_python.pt");
  const torch::jit::Module expected = torch::jit::load(folder + "/expected_module.pt");
  const auto tensor = [&](const char* name) { return expected.attr(name).toTensor(); };
  const torch::Tensor x = model.forward({tensor("z"), tensor("caps")}).toTensor();
  if (!torch::equal(x, tensor("x"))) {
    std::fprintf(stderr, "the loaded model differs by %g\n", (x - tensor("x")).abs().max().item<double>());
    return 1;
  }
  model.save(folder + "/from_cpp.pt");
  return 0;
}
