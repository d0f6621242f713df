#include "data/load.hpp"

#include <optional>
#include <string_view>

#include "data/csv_text.hpp"
#include "data/data_error.hpp"
#include "data/demand_reader.hpp"
#include "data/price_reader.hpp"
#include "data/synthetic_demand.hpp"
#include "data/synthetic_prices.hpp"

namespace softradial::study {

namespace {

// "synthetic:liquid" -> "liquid"; nothing for a path.
std::optional<std::string_view> synthetic_name(std::string_view source) {
  constexpr std::string_view kPrefix = "synthetic:";
  if (!source.starts_with(kPrefix)) return std::nullopt;
  return source.substr(kPrefix.size());
}

}  // namespace

PriceData load_prices(const std::string& source, std::uint64_t seed) {
  const std::optional<std::string_view> name = synthetic_name(source);
  if (!name) return read_prices(source);
  return {generate_prices(find_universe(*name), seed).table, {}};
}

DemandData load_demand(const std::string& source, std::size_t max_zones, std::uint64_t seed) {
  const std::optional<std::string_view> name = synthetic_name(source);
  if (!name) return read_demand(source, max_zones);
  if (*name != "taxi") {
    throw DataError("the synthetic demand " + quoted_field(*name) + " is not known: expected synthetic:taxi");
  }
  DemandData data{generate_demand(seed), {}};
  select_zones(data, max_zones);
  return data;
}

}  // namespace softradial::study
