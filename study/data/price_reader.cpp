#include "data/price_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "data/data_error.hpp"

namespace softradial::study {

namespace {

bool is_price_file(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz") || path.ends_with(".txt") || path.ends_with(".txt.gz");
}

std::vector<std::string> price_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file() && is_price_file(entry.path().string())) files.push_back(entry.path().string());
  }
  if (error) throw DataError(folder + ": cannot be read: " + error.message());
  if (files.empty()) throw DataError(folder + ": the folder has no price files (*.csv, *.csv.gz, *.txt)");
  std::ranges::sort(files);
  return files;
}

}  // namespace

PriceData read_prices(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return align_prices(read_price_series(path));
  std::vector<PriceSeries> all;
  for (const std::string& file : price_files(path)) {
    std::vector<PriceSeries> some = read_price_series(file);
    std::ranges::move(some, std::back_inserter(all));
  }
  return align_prices(std::move(all));
}

}  // namespace softradial::study
