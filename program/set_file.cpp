#include "set_file.hpp"

#include "outcome.hpp"

namespace softradial::program {

NamedSet load_set_file(const std::string& file) {
  if (file.ends_with(".toml")) {
    throw BadInput(file + ": limits by name need the columns of data (softradial train); expected a SET.json here");
  }
  return load_named_set(file);
}

}  // namespace softradial::program
