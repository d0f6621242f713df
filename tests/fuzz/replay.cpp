// Gives every input of a corpus to its target, without libFuzzer: softradial_fuzz_replay TARGET FOLDER [STEP]
// With STEP, each input is cut off instead, after 0, STEP, 2 STEP, ... bytes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "targets.hpp"

int main(int argc, char** argv) {
  namespace fuzz = softradial::fuzz;
  if (argc != 3 && argc != 4) return 2;
  const int step = argc == 4 ? std::atoi(argv[3]) : 0;
  const auto all = fuzz::targets();
  const auto target = std::ranges::find(all, std::string_view(argv[1]), &fuzz::Target::name);
  if (target == all.end()) return 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    const auto give = [&](std::size_t size) {
      std::printf("%s, %zu bytes\n", file.c_str(), size);  // the last line names the input that ends the program
      std::fflush(stdout);
      target->run(std::string_view(bytes).substr(0, size));
    };
    if (step <= 0) give(bytes.size());
    for (std::size_t size = 0; step > 0 && size < bytes.size(); size += static_cast<std::size_t>(step)) give(size);
  }
  return files.empty() ? 1 : 0;
}
