#pragma once

#include <CLI/CLI.hpp>
#include <Eigen/Core>
#include <optional>
#include <string>

#include "failure.hpp"
#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"

namespace softradial::program {

// What --anchor says: a way to search, or a file with the user's own point.
struct AnchorChoice {
  AnchorSearch search = AnchorSearch::automatic;
  std::optional<std::string> file;

  // The point in the file, if one is named. Throws BadInput where it is not one row of `dim` numbers.
  [[nodiscard]] std::optional<Eigen::VectorXd> point(std::size_t dim) const;

  // What `use` returns; an error about the anchor comes with the file in front that the anchor is from, or should be.
  template <class Use>
  auto naming_the_file(const std::string& set_file, const Use& use) const {
    try {
      return use();
    } catch (const InvalidOption&) {
      throw;
    } catch (const Error& error) {
      throw BadInput(file.value_or(set_file) + ": " + error.what());
    }
  }
};

CLI::Option* add_anchor_option(CLI::App& command, AnchorChoice& choice);

}  // namespace softradial::program
