#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/tables.hpp"
#include "runs/policy_file.hpp"
#include "runs/record.hpp"

namespace softradial::study {

using NamedValues = std::vector<std::pair<std::string, double>>;

// The decisions of a saved policy over a period of any data, with the statistics and the set from its training.
struct PolicyPeriod {
  std::string method;
  Record record;  // includes the outcomes of the baselines
  NamedValues metrics;
  std::vector<std::pair<std::string, NamedValues>> baselines;
  double violation = 0;
  double least_slack = 0;       // smallest slack over all inequalities and decisions
  std::size_t in_sample = 0;    // decisions of the period that training or validation has seen
  std::string in_sample_until;  // the last day or hour of training and validation
};

// Bounds of a period: days or hours as records write them, or the beginning of such a text (2021, 2021-03, 2021-03-01).
struct Period {
  std::optional<std::string> from;
  std::optional<std::string> to;
};

// The data must have the assets or zones that the policy was trained on, in any order. Rows without a whole history are left
// out, so that no decision depends on where the data begin. Throws DataError if too few rows are left.
[[nodiscard]] PolicyPeriod apply_policy(const std::filesystem::path& model, const PriceTable& prices,
                                        const Period& period);
[[nodiscard]] PolicyPeriod apply_policy(const std::filesystem::path& model, const DemandTable& demand,
                                        const Period& period);

// The decision that follows the data: weights after the last day, or shares for the hour after the last hour.
struct Prediction {
  std::string time;  // the last day of the prices, or the hour that the shares are for
  std::vector<std::string> names;
  std::vector<double> decision;
  double supply = 1;  // the amount to share: 1 for portfolios, the total of the last hour for dispatch
};
[[nodiscard]] Prediction predict(const std::filesystem::path& model, const PriceTable& prices);
[[nodiscard]] Prediction predict(const std::filesystem::path& model, const DemandTable& demand);

}  // namespace softradial::study
