#include "sweep/study_data.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "data/table_files.hpp"
#include "runs/run.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

json table_key(const PortfolioConfig& c) { return {c.prices, c.data_seed}; }
json table_key(const DispatchConfig& c) { return {c.demand, c.data_seed, c.zones}; }

auto load(const json& key, const PriceTable& /*kind*/) { return load_prices(key.at(0), key.at(1)); }
auto load(const json& key, const DemandTable& /*kind*/) { return load_demand(key.at(0), key.at(2), key.at(1)); }

// A table as bytes, and back: times as ticks, names, and the bits of the numbers.
template <class Time>
json packed(const std::vector<Time>& times, const std::vector<std::string>& names, const Table& numbers) {
  std::vector<std::int64_t> ticks;
  ticks.reserve(times.size());
  for (const Time& time : times) ticks.push_back(time.time_since_epoch().count());
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(numbers.data());
  return {{"ticks", ticks},
          {"names", names},
          {"numbers", json::binary({bytes, bytes + static_cast<std::size_t>(numbers.size()) * sizeof(double)})}};
}
template <class Time>
void unpack(const json& in, std::vector<Time>& times, std::vector<std::string>& names, Table& numbers) {
  for (const json& tick : in.at("ticks")) times.emplace_back(typename Time::duration(tick.get<std::int64_t>()));
  names = in.at("names");
  numbers.resize(std::ssize(times), std::ssize(names));
  const json::binary_t& bytes = in.at("numbers").get_binary();
  if (bytes.size() != static_cast<std::size_t>(numbers.size()) * sizeof(double)) throw DataError("half a table");
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
}

json packed(const PriceTable& table) { return packed(table.dates, table.tickers, table.prices); }
void unpack(const json& in, PriceTable& table) { unpack(in, table.dates, table.tickers, table.prices); }
json packed(const DemandTable& table) {
  json out = packed(table.hours, table.zones, table.demand);
  out["left_out"] = table.zones_left_out;
  return out;
}
void unpack(const json& in, DemandTable& table) {
  unpack(in, table.hours, table.zones, table.demand);
  table.zones_left_out = in.at("left_out");
}

template <class Config>
json limits_key(const Config& c) {
  return {table_key(c), c.cap, c.set_json};
}

// The batch does not change the features, but they are checked to be long enough for it.
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
std::shared_ptr<const typename StudyData<Config>::Input> StudyData<Config>::table(const std::string& name) {
  return found_or_made(tables_, name, [&] {
    auto loaded = load(json::parse(name), Input());
    for (const std::string& warning : loaded.warnings) warn_(warning);
    return std::make_shared<const Input>(std::move(loaded.table));
  });
}

template <class Config>
std::shared_ptr<const DecisionSet> StudyData<Config>::limits(const Config& config) {
  const std::lock_guard lock(mutex_);
  return found_or_made(limits_, limits_key(config).dump(), [&] {
    return std::make_shared<const DecisionSet>(limits_of(config, *table(table_key(config).dump())));
  });
}

template <class Config>
std::shared_ptr<const typename StudyData<Config>::Data> StudyData<Config>::features(const Config& config) {
  const std::lock_guard lock(mutex_);
  const auto limits = this->limits(config);
  const json key = {table_key(config), limits->names, features_key(config)};
  return found_or_made(features_, key.dump(), [&] {
    return std::make_shared<const Data>(
        make_data(config, with_columns(*table(table_key(config).dump()), limits->names)));
  });
}

template <class Config>
std::shared_ptr<const Problem> StudyData<Config>::problem(const Config& config) {
  const std::lock_guard lock(mutex_);
  return found_or_made(problems_, limits_key(config).dump(),
                       [&] { return problem_of(manifest_of(config, *table(table_key(config).dump()))); });
}

template <class Config>
std::vector<std::string> StudyData<Config>::tables() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, loaded] : tables_) names.push_back(name);
  return names;
}

template <class Config>
std::string StudyData<Config>::table_bytes(const std::string& name) {
  const std::lock_guard lock(mutex_);
  std::string bytes;
  json::to_cbor(packed(*table(name)), bytes);
  return bytes;
}

template <class Config>
void StudyData<Config>::take_table(const std::string& name, const std::string& bytes) {
  const auto taken = std::make_shared<Input>();
  unpack(json::from_cbor(bytes), *taken);
  const std::lock_guard lock(mutex_);
  tables_.emplace(name, taken);
}

template class StudyData<PortfolioConfig>;
template class StudyData<DispatchConfig>;

}  // namespace softradial::study
