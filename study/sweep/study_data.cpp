#include "sweep/study_data.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "data/table_files.hpp"
#include "runs/run.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

json table_key(const PortfolioConfig& c) { return {c.prices, c.data_seed}; }
json table_key(const DispatchConfig& c) { return {c.demand, c.data_seed, c.zones}; }

auto load(const PortfolioConfig& c) { return load_prices(c.prices, c.data_seed); }
auto load(const DispatchConfig& c) { return load_demand(c.demand, c.zones, c.data_seed); }

template <class Config>
json limits_key(const Config& c) {
  return {table_key(c), c.cap, c.set_json};
}

// A batch is no part of the features, but they are checked to be enough for it.
json features_key(const PortfolioConfig& c) {
  return {c.lookback, c.model.batch, format_date(c.split.train_end), format_date(c.split.validation_end),
          pooling_of(c)};
}
json features_key(const DispatchConfig& c) { return {c.history, c.split.train, c.split.validation}; }

template <class Cache, class Make>
auto found_or_made(Cache& cache, const std::string& key, const Make& make) {
  const auto found = cache.find(key);
  return found != cache.end() ? found->second : cache.emplace(key, make()).first->second;
}

}  // namespace

template <class Config>
std::shared_ptr<const typename StudyData<Config>::Input> StudyData<Config>::table(const Config& config) {
  return found_or_made(tables_, table_key(config).dump(), [&] {
    auto loaded = load(config);
    for (const std::string& warning : loaded.warnings) warn_(warning);
    return std::make_shared<const Input>(std::move(loaded.table));
  });
}

template <class Config>
std::shared_ptr<const DecisionSet> StudyData<Config>::limits(const Config& config) {
  const std::lock_guard lock(mutex_);
  return found_or_made(limits_, limits_key(config).dump(),
                       [&] { return std::make_shared<const DecisionSet>(limits_of(config, *table(config))); });
}

template <class Config>
std::shared_ptr<const typename StudyData<Config>::Data> StudyData<Config>::features(const Config& config) {
  const std::lock_guard lock(mutex_);
  const auto limits = this->limits(config);
  const json key = {table_key(config), limits->names, features_key(config)};
  return found_or_made(features_, key.dump(), [&] {
    return std::make_shared<const Data>(make_data(config, with_columns(*table(config), limits->names)));
  });
}

template <class Config>
std::shared_ptr<const Problem> StudyData<Config>::problem(const Config& config) {
  const std::lock_guard lock(mutex_);
  return found_or_made(problems_, limits_key(config).dump(),
                       [&] { return problem_of(manifest_of(config, *table(config))); });
}

template class StudyData<PortfolioConfig>;
template class StudyData<DispatchConfig>;

}  // namespace softradial::study
