#pragma once

#include <vector>

#include "runs/run.hpp"

namespace softradial::study {

// The paper's grid for the projection layer of a method (table hyperparams): temperatures of softmax, lambda and contraction of
// soft radial, steps of HardNet, steps, rate and momentum of DC3. One member, the method itself, where it has none.
[[nodiscard]] std::vector<LayerMethod> paper_grid(const LayerMethod& method);

// The member of the grid that validates best with the first seed; the test plays no part.
[[nodiscard]] LayerConfig tuned(PortfolioConfig config, const PriceTable& prices, const RunHooks& hooks = {});
[[nodiscard]] LayerConfig tuned(DispatchConfig config, const DemandTable& demand, const RunHooks& hooks = {});

}  // namespace softradial::study
