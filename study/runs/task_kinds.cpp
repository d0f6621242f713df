#include "runs/task_kinds.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "data/calendar.hpp"
#include "files/sha256.hpp"

namespace softradial::study {
namespace {

template <class Time>
std::string checksum(const std::vector<std::string>& names, const std::vector<Time>& times, const Table& values) {
  const auto bytes = [](const auto* data, std::size_t count) {
    return std::string_view(reinterpret_cast<const char*>(data), count * sizeof *data);
  };
  Sha256 sum;
  for (const std::string& name : names) sum.add(name + '\n');
  for (const Time& time : times) {
    const std::int64_t ticks = time.time_since_epoch().count();
    sum.add(bytes(&ticks, 1));
  }
  sum.add(bytes(values.data(), static_cast<std::size_t>(values.size())));
  return sum.hex();
}

nlohmann::json described(const std::string& source, const Table& values, std::string sha256, std::string first,
                         std::string last) {
  return {{"source", source},         {"sha256", std::move(sha256)}, {"rows", values.rows()},
          {"columns", values.cols()}, {"first", std::move(first)},   {"last", std::move(last)}};
}

}  // namespace

std::string in_sample_until(const PortfolioData& data) {
  return format_date(data.days[static_cast<std::size_t>(data.splits.validation.end - 1)]);
}

std::string in_sample_until(const DispatchData& data) {
  return format_hour(data.hours[static_cast<std::size_t>(data.splits.validation.end - 1)]);
}

nlohmann::json describe_data(const PortfolioConfig& config, const PriceTable& prices) {
  return described(config.prices, prices.prices, checksum(prices.tickers, prices.dates, prices.prices),
                   format_date(prices.dates.front()), format_date(prices.dates.back()));
}

nlohmann::json describe_data(const DispatchConfig& config, const DemandTable& demand) {
  return described(config.demand, demand.demand, checksum(demand.zones, demand.hours, demand.demand),
                   format_hour(demand.hours.front()), format_hour(demand.hours.back()));
}

}  // namespace softradial::study
