#include "runs/run_config.hpp"

#include <nlohmann/json.hpp>

#include "data/calendar.hpp"
#include "data/data_error.hpp"
#include "softradial/set_json.hpp"
#include "softradial/sets.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

void write_common(json& out, const RunConfig& c) {
  out["method"] = c.layer.method;
  if (!c.layer.equal_weight()) {
    json options = json::object();
    for (const auto& [name, value] : method_options(c.layer.options)) options[name] = value;
    out["method_options"] = options;
    if (!method_contraction(c.layer.options).empty()) out["contraction"] = method_contraction(c.layer.options);
  }
  if (c.layer.method == "soft_penalty") out["penalty_weight"] = c.layer.penalty_weight;
  out["cap"] = c.cap;
  if (!c.set_json.empty()) out["set"] = json::parse(c.set_json);
  out["epochs"] = c.training.epochs;
  out["learning_rate"] = c.training.adam.learning_rate;
  out["patience"] = c.training.patience;
  out["seed"] = c.training.seed;
  out["seeds"] = c.seeds;
  out["threads"] = c.threads;
}

void read_common(const json& in, RunConfig& c) {
  c.layer.method = in.at("method").get<std::string>();
  if (!c.layer.equal_weight()) {
    c.layer.options = method_named(c.layer.method);
    for (const auto& [name, value] : in.at("method_options").items()) {
      set_option(c.layer.options, name, value.get<double>());
    }
    if (in.contains("contraction")) set_contraction(c.layer.options, in["contraction"].get<std::string>());
  }
  c.layer.penalty_weight = in.value("penalty_weight", c.layer.penalty_weight);
  c.cap = in.at("cap").get<double>();
  if (in.contains("set")) c.set_json = in["set"].dump();
  c.training.epochs = in.at("epochs").get<std::int64_t>();
  c.training.adam.learning_rate = in.at("learning_rate").get<double>();
  c.training.patience = in.at("patience").get<std::int64_t>();
  c.training.seed = in.at("seed").get<std::uint64_t>();
  c.seeds = in.at("seeds").get<int>();
  c.threads = in.at("threads").get<int>();
}

// Turns what the JSON library says into one line of ours.
template <class Read>
auto reading(const Read& read) {
  try {
    return read();
  } catch (const json::exception& error) {
    throw DataError(std::string("the saved configuration is not readable: ") + error.what());
  }
}

}  // namespace

json to_json(const PortfolioConfig& c) {
  json out = {{"task", "portfolio"},
              {"prices", c.prices},
              {"data_seed", c.data_seed},
              {"lookback", c.lookback},
              {"hidden", c.model.hidden},
              {"dropout", c.model.dropout},
              {"batch", c.model.batch},
              {"cost", c.model.cost},
              {"huber", c.model.huber},
              {"objective", c.model.objective == PortfolioObjective::net ? "net" : "gross"},
              {"train_end", format_date(c.split.train_end)},
              {"validation_end", format_date(c.split.validation_end)}};
  write_common(out, c);
  return out;
}

json to_json(const DispatchConfig& c) {
  json out = {{"task", "dispatch"},
              {"demand", c.demand},
              {"data_seed", c.data_seed},
              {"zones", c.zones},
              {"history", c.history},
              {"hidden", c.model.hidden},
              {"dropout", c.model.dropout},
              {"batch", c.model.batch},
              {"temperature", c.model.temperature},
              {"train", c.split.train},
              {"validation", c.split.validation}};
  write_common(out, c);
  return out;
}

PortfolioConfig portfolio_config(const json& in) {
  return reading([&] {
    if (in.at("task") != "portfolio") throw DataError("the model was trained for " + in.at("task").get<std::string>());
    PortfolioConfig c;
    read_common(in, c);
    c.prices = in.at("prices").get<std::string>();
    c.data_seed = in.at("data_seed").get<std::uint64_t>();
    c.lookback = in.at("lookback").get<std::int64_t>();
    c.model.hidden = in.at("hidden").get<std::int64_t>();
    c.model.dropout = in.at("dropout").get<double>();
    c.model.batch = in.at("batch").get<std::int64_t>();
    c.model.cost = in.at("cost").get<double>();
    c.model.huber = in.at("huber").get<double>();
    c.model.objective = in.at("objective") == "net" ? PortfolioObjective::net : PortfolioObjective::gross;
    c.split = {parse_splits(in.at("train_end").get<std::string>() + "," + in.at("validation_end").get<std::string>())};
    return c;
  });
}

DispatchConfig dispatch_config(const json& in) {
  return reading([&] {
    if (in.at("task") != "dispatch") throw DataError("the model was trained for " + in.at("task").get<std::string>());
    DispatchConfig c;
    read_common(in, c);
    c.demand = in.at("demand").get<std::string>();
    c.data_seed = in.at("data_seed").get<std::uint64_t>();
    c.zones = in.at("zones").get<std::size_t>();
    c.history = in.at("history").get<std::int64_t>();
    c.model.hidden = in.at("hidden").get<std::int64_t>();
    c.model.dropout = in.at("dropout").get<double>();
    c.model.batch = in.at("batch").get<std::int64_t>();
    c.model.temperature = in.at("temperature").get<double>();
    c.split = {in.at("train").get<double>(), in.at("validation").get<double>()};
    return c;
  });
}

Set decision_set(const RunConfig& config, std::size_t dim) {
  if (!config.set_json.empty()) {
    const Set set = parse_set(config.set_json);
    if (set.dim() != dim) {
      throw DataError("the set has dimension " + std::to_string(set.dim()) + ", the data have " + std::to_string(dim) +
                      " columns");
    }
    return set;
  }
  if (config.cap >= 1) return Simplex(dim);
  return CappedSimplex(dim, config.cap);
}

}  // namespace softradial::study
