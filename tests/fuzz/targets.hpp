#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

// Everything that reads bytes from outside and needs no LibTorch, one function each. Whatever the bytes are, a target returns:
// input that cannot be used is an error of the library, and what was accepted obeys the laws of its reader. A broken law aborts.
namespace softradial::fuzz {

void set_json(std::string_view bytes);  // SET.json; small sets are anchored, and rows projected
void limits(std::string_view bytes);    // limits by name, TOML or JSON
void toml(std::string_view bytes);      // flags of a command in a TOML file
void rows(std::string_view bytes);      // rows of numbers, as `softradial project` reads them
void prices(std::string_view bytes);
void demand(std::string_view bytes);
void model(std::string_view bytes);     // model files and checkpoints
void store(std::string_view bytes);     // the results of sweeps
void c_abi(std::string_view bytes);     // SET.json, options and rows through the C interface
void c_fields(std::string_view bytes);  // sets from arrays through the C interface

// An input for every type of set: its example, as these two targets read it. A new set needs no file in a corpus.
[[nodiscard]] std::vector<std::string> set_json_seeds();
[[nodiscard]] std::vector<std::string> c_abi_seeds();

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
  std::vector<std::string> (*seeds)() = nullptr;
};
[[nodiscard]] std::span<const Target> targets();

}  // namespace softradial::fuzz
