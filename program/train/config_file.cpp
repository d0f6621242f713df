#include "train/config_file.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "outcome.hpp"

namespace softradial::program {
namespace {

constexpr std::string_view kFlag = "--config";

// The file that the words name, if any.
std::string config_file(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == kFlag && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(std::string(kFlag) + "=")) return words[i].substr(kFlag.size() + 1);
  }
  return "";
}

}  // namespace

std::vector<std::string> expand_config(std::vector<std::string> words) {
  const std::string file = config_file(words);
  if (file.empty()) return words;
  if (!std::filesystem::exists(file)) throw BadInput(file + ": no such file");
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_file(file);
  } catch (const CLI::Error& error) {
    throw BadInput(file + ": " + error.what());
  }
  const std::vector<std::string> given = words;
  for (const CLI::ConfigItem& item : items) {
    const std::string flag = "--" + item.name;
    const std::string with_value = flag + "=";
    const bool beaten = std::ranges::any_of(
        given, [&](const std::string& word) { return word == flag || word.starts_with(with_value); });
    if (beaten) continue;
    for (const std::string& value : item.inputs) words.push_back(with_value + value);
  }
  return words;
}

}  // namespace softradial::program
