// A trained policy in a C++ program without Python: from the latest prices to weights.
//
//   softradial export --model runs/mine --format torchscript --out policy.pt
//   softradial_torch_trained_policy policy.pt prices.csv
//
// prices.csv has a date in the first column and one column for each ticker.
#include <torch/script.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

// The columns of these names, (1, days, names).
torch::Tensor read_prices(const char* file, const std::vector<std::string>& names) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) throw std::runtime_error(std::string(file) + ": cannot be read");
  const std::vector<std::string> head = cells_of(line);
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    const auto place = std::find(head.begin(), head.end(), name);
    if (place == head.end()) throw std::runtime_error(std::string(file) + ": has no column " + name);
    columns.push_back(static_cast<std::size_t>(place - head.begin()));
  }
  std::vector<double> values;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = cells_of(line);
    for (const std::size_t column : columns) values.push_back(std::stod(cells.at(column)));
  }
  return torch::tensor(values, torch::kDouble).view({1, -1, static_cast<int64_t>(names.size())});
}

void print_weights(const char* policy_file, const char* prices_file) {
  const torch::NoGradGuard no_grad;
  torch::jit::Module policy = torch::jit::load(policy_file);
  const auto names = policy.attr("names").to<std::vector<std::string>>();
  const torch::Tensor prices = read_prices(prices_file, names);  // (1, days, N), doubles
  const torch::Tensor weights = policy.forward({prices}).toTensor()[0];
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::printf("%s,%.9g\n", names[k].c_str(), weights[static_cast<int64_t>(k)].item<double>());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: softradial_torch_trained_policy POLICY.pt PRICES.csv\n";
    return 2;
  }
  try {
    print_weights(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
