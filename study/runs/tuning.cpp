#include "runs/tuning.hpp"

#include <limits>

namespace softradial::study {
namespace {

double metric(const PortfolioMetrics& metrics) { return metrics.sharpe; }
double metric(const DispatchMetrics& metrics) { return metrics.served_rate; }

template <class Config, class TableType>
LayerConfig best_of_grid(Config config, const TableType& table, RunHooks hooks) {
  if (config.layer.equal_weight()) return config.layer;
  hooks.out.clear();
  config.seeds = 1;
  LayerConfig best = config.layer;
  double most = -std::numeric_limits<double>::infinity();
  for (const LayerMethod& candidate : paper_grid(config.layer.options)) {
    config.layer.options = candidate;
    const double value = metric(run(config, table, hooks)[0].validation);
    if (value > most) {
      most = value;
      best = config.layer;
    }
  }
  return best;
}

}  // namespace

std::vector<LayerMethod> paper_grid(const LayerMethod& method) {
  std::vector<LayerMethod> grid;
  if (std::holds_alternative<Softmax>(method)) {
    for (const double temperature : {0.1, 0.5, 1.0, 2.0}) grid.emplace_back(Softmax{temperature});
  } else if (std::holds_alternative<SoftRadial>(method)) {
    for (const Contraction contraction : {Contraction::rational, Contraction::exponential, Contraction::hyperbolic}) {
      for (const double lambda : {0.5, 1.0, 2.0, 5.0, 10.0}) {
        grid.emplace_back(SoftRadial{.contraction = contraction, .lambda = lambda});
      }
    }
  } else if (std::holds_alternative<HardNet>(method)) {
    for (const int steps : {1, 3, 5}) grid.emplace_back(HardNet{steps});
  } else if (std::holds_alternative<Dc3>(method)) {
    for (const int steps : {1, 3, 5}) {
      for (const double rate : {0.01, 0.1}) {
        for (const double momentum : {0.5, 0.9}) {
          grid.emplace_back(Dc3{.steps = steps, .learning_rate = rate, .momentum = momentum});
        }
      }
    }
  } else {
    grid.push_back(method);
  }
  return grid;
}

LayerConfig tuned(PortfolioConfig config, const PriceTable& prices, const RunHooks& hooks) {
  return best_of_grid(std::move(config), prices, hooks);
}
LayerConfig tuned(DispatchConfig config, const DemandTable& demand, const RunHooks& hooks) {
  return best_of_grid(std::move(config), demand, hooks);
}

}  // namespace softradial::study
