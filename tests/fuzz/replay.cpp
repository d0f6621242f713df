// Gives every input of a corpus to its target, without libFuzzer: softradial_fuzz_replay TARGET FOLDER
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "targets.hpp"

int main(int argc, char** argv) {
  namespace fuzz = softradial::fuzz;
  if (argc != 3) return 2;
  const auto all = fuzz::targets();
  const auto target = std::ranges::find(all, std::string_view(argv[1]), &fuzz::Target::name);
  if (target == all.end()) return 2;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const std::filesystem::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    std::printf("%s\n", file.c_str());  // the last line names the input that ends the program
    std::fflush(stdout);
    target->run(bytes);
  }
  return files.empty() ? 1 : 0;
}
