#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace softradial::study {

// Our results for a method on a set, as texts.
struct OurResult {
  std::string label;
  std::string method;
  nlohmann::json config;  // configuration of the run: cap or kappa, objective
  std::string sharpe;     // for portfolios
  std::string turnover;   // for portfolios, in per cent a day
  std::string served;     // for dispatch
};

// A table of the paper's numbers for the same methods and sets, ours beside them.
[[nodiscard]] std::string portfolio_beside_the_paper(const std::vector<OurResult>& ours);
[[nodiscard]] std::string dispatch_beside_the_paper(const std::vector<OurResult>& ours);

}  // namespace softradial::study
