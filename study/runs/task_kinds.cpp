#include "runs/task_kinds.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "data/calendar.hpp"
#include "files/sha256.hpp"

namespace softradial::study {
namespace {

// Numbers to read at a time when a table is read for its description: 32 megabytes.
constexpr std::int64_t kNumbersTogether = std::int64_t{1} << 22;

std::string text_of(std::chrono::sys_days day) { return format_date(day); }
std::string text_of(std::chrono::local_seconds hour) { return format_hour(hour); }

// `numbers` returns some rows of the table.
template <class Time, class Numbers>
nlohmann::json described(const std::string& source, const std::vector<std::string>& names,
                         const std::vector<Time>& times, const Numbers& numbers) {
  const auto bytes = [](const auto* data, std::size_t count) {
    return std::string_view(reinterpret_cast<const char*>(data), count * sizeof *data);
  };
  Sha256 sum;
  for (const std::string& name : names) sum.add(name + '\n');
  for (const Time& time : times) {
    const std::int64_t ticks = time.time_since_epoch().count();
    sum.add(bytes(&ticks, 1));
  }
  const std::int64_t together =
      std::max<std::int64_t>(1, kNumbersTogether / std::max<std::int64_t>(1, std::ssize(names)));
  for (std::int64_t row = 0; row < std::ssize(times); row += together) {
    const Table& some = numbers({row, std::min(row + together, std::ssize(times))});
    sum.add(bytes(some.data(), static_cast<std::size_t>(some.size())));
  }
  return {{"source", source},
          {"sha256", sum.hex()},
          {"rows", times.size()},
          {"columns", names.size()},
          {"first", text_of(times.front())},
          {"last", text_of(times.back())}};
}

}  // namespace

std::string in_sample_until(const PortfolioData& data) {
  return format_date(data.days[static_cast<std::size_t>(data.splits.validation.end - 1)]);
}

std::string in_sample_until(const DispatchData& data) {
  return format_hour(data.hours[static_cast<std::size_t>(data.splits.validation.end - 1)]);
}

nlohmann::json describe_data(const PortfolioConfig& config, const PriceTable& prices) {
  return described(config.prices, prices.tickers, prices.dates,
                   [&](RowRange rows) -> Table { return prices.prices.middleRows(rows.begin, rows.size()); });
}

nlohmann::json describe_data(const DispatchConfig& config, const DemandTable& demand) {
  return described(config.demand, demand.zones, demand.hours,
                   [&](RowRange rows) -> Table { return demand.demand.middleRows(rows.begin, rows.size()); });
}

nlohmann::json describe_data(const PortfolioConfig& config, PriceParts& prices, const std::vector<std::string>& names) {
  return described(config.prices, names, prices.outline().dates,
                   [&](RowRange rows) -> Table { return prices.read(rows, names).prices; });
}

nlohmann::json describe_data(const DispatchConfig& config, DemandParts& demand, const std::vector<std::string>& names) {
  return described(config.demand, names, demand.outline().hours,
                   [&](RowRange rows) -> Table { return demand.read(rows, names).demand; });
}

}  // namespace softradial::study
