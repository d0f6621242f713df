#include "anchor_choice.hpp"

#include <vector>

#include "row_reader.hpp"

namespace softradial::program {

std::optional<Eigen::VectorXd> AnchorChoice::point(std::size_t dim) const {
  if (!file) return std::nullopt;
  const std::vector<double> row = read_single_row(*file, dim);
  return Eigen::Map<const Eigen::VectorXd>(row.data(), static_cast<Eigen::Index>(row.size()));
}

CLI::Option* add_anchor_option(CLI::App& command, AnchorChoice& choice) {
  const auto choose = [&choice](const std::string& word) {
    choice = {};
    if (word == "chebyshev") {
      choice.search = AnchorSearch::chebyshev;
    } else if (word == "analytic") {
      choice.search = AnchorSearch::analytic;
    } else if (word != "auto") {
      choice.file = word;
    }
  };
  return command
      .add_option_function<std::string>("--anchor", choose,
                                        "Interior point to start from: auto, chebyshev, analytic, or a CSV file with "
                                        "one row")
      ->type_name("auto|chebyshev|analytic|FILE")
      ->default_str("auto");
}

}  // namespace softradial::program
