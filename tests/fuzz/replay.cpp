// Gives every input of a corpus to its target, without libFuzzer: softradial_fuzz_replay TARGET FOLDER [STEP]
// With STEP, each input is cut off instead, after 0, STEP, 2 STEP, ... bytes. The target's own seeds are inputs, too;
// softradial_fuzz_replay TARGET FOLDER seeds writes them into the folder, for libFuzzer.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "targets.hpp"

namespace {

struct Input {
  std::string name;
  std::string bytes;
};

std::vector<Input> seeds_of(const softradial::fuzz::Target& target) {
  std::vector<Input> inputs;
  if (target.seeds == nullptr) return inputs;
  for (std::string& bytes : target.seeds())
    inputs.push_back({"seed_" + std::to_string(inputs.size()), std::move(bytes)});
  return inputs;
}

std::vector<Input> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Input> inputs;
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    inputs.push_back({file.string(), std::string(std::istreambuf_iterator<char>(in), {})});
  }
  return inputs;
}

}  // namespace

int main(int argc, char** argv) {
  namespace fuzz = softradial::fuzz;
  if (argc != 3 && argc != 4) return 2;
  const auto all = fuzz::targets();
  const auto target = std::ranges::find(all, std::string_view(argv[1]), &fuzz::Target::name);
  if (target == all.end()) return 2;
  const std::filesystem::path folder = argv[2];
  const std::vector<Input> seeds = seeds_of(*target);
  if (argc == 4 && std::string_view(argv[3]) == "seeds") {
    for (const Input& seed : seeds) std::ofstream(folder / seed.name, std::ios::binary) << seed.bytes;
    return 0;
  }
  const int step = argc == 4 ? std::atoi(argv[3]) : 0;
  std::vector<Input> inputs = files_in(folder);
  if (inputs.empty()) return 1;
  inputs.insert(inputs.end(), seeds.begin(), seeds.end());
  for (const Input& input : inputs) {
    const auto give = [&](std::size_t size) {
      std::printf("%s, %zu bytes\n", input.name.c_str(), size);  // the last line names the input that ends the program
      std::fflush(stdout);
      target->run(std::string_view(input.bytes).substr(0, size));
    };
    if (step <= 0) give(input.bytes.size());
    for (std::size_t size = 0; step > 0 && size < input.bytes.size(); size += static_cast<std::size_t>(step))
      give(size);
  }
  return 0;
}
