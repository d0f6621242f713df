#pragma once

#include <CLI/CLI.hpp>
#include <Eigen/Core>
#include <optional>
#include <string>

#include "outcome.hpp"
#include "softradial/anchor.hpp"
#include "softradial/errors.hpp"

namespace softradial::program {

// The value of --anchor: a way to search, or a file with the user's own point.
struct AnchorChoice {
  AnchorSearch search = AnchorSearch::automatic;
  std::optional<std::string> file;

  [[nodiscard]] bool is_automatic() const { return search == AnchorSearch::automatic && !file; }

  // The point in the file, if a file is named. Throws BadInput unless it is one row of `dim` numbers.
  [[nodiscard]] std::optional<Eigen::VectorXd> point(std::size_t dim) const;

  // Returns use(). The message of an error about the anchor begins with the file that the anchor came from.
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
