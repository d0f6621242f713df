#include "data/table_files.hpp"

#include <charconv>
#include <optional>
#include <string_view>

#include "data/calendar.hpp"
#include "data/csv_file.hpp"
#include "data/demand_reader.hpp"
#include "data/parquet_file.hpp"
#include "data/parquet_table.hpp"
#include "data/price_reader.hpp"
#include "data/synthetic_demand.hpp"
#include "data/synthetic_prices.hpp"
#include "data/table_parts.hpp"
#include "data/tables.hpp"

namespace softradial::study {

namespace {

// "synthetic:liquid" -> "liquid"; nothing for a path.
std::optional<std::string_view> synthetic_name(std::string_view source) {
  constexpr std::string_view kPrefix = "synthetic:";
  if (!source.starts_with(kPrefix)) return std::nullopt;
  return source.substr(kPrefix.size());
}

template <class Label>
std::string wide_csv(std::string text, const std::vector<std::string>& names, const Table& values, Label label) {
  text += csv_names(names) + '\n';
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    text += label(static_cast<std::size_t>(i)) + csv_numbers(values.row(i)) + '\n';
  }
  return text;
}

void write_table(const std::string& path, const std::string& csv) {
  if (is_parquet(path)) {
    write_parquet(path, csv);
  } else {
    write_text_file(path, csv);
  }
}

PriceData whole(PriceParts& parts) {
  const PriceTable& all = parts.outline();
  return {parts.read({0, std::ssize(all.dates)}, all.tickers), parts.warnings()};
}
DemandData whole(DemandParts& parts) {
  const DemandTable& all = parts.outline();
  return {parts.read({0, std::ssize(all.hours)}, all.zones), parts.warnings()};
}

}  // namespace

bool is_parquet(std::string_view path) { return path.ends_with(".parquet"); }

std::string csv_names(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += name.find(',') == std::string::npos ? "," + name : ",\"" + name + "\"";
  return text;
}

std::string csv_numbers(const Eigen::Ref<const Eigen::RowVectorXd>& values) {
  std::string text;
  char digits[32];
  for (const double value : values) {
    text += ',';
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  return text;
}

PriceData load_prices(const std::string& source, std::uint64_t seed) {
  if (is_parquet(source)) return whole(*open_prices(source, seed));
  const std::optional<std::string_view> name = synthetic_name(source);
  if (!name) return read_prices(source);
  return {generate_prices(find_universe(*name), seed).table, {}};
}

DemandData load_demand(const std::string& source, std::size_t max_zones, std::uint64_t seed) {
  if (is_parquet(source)) return whole(*open_demand(source, max_zones, seed));
  const std::optional<std::string_view> name = synthetic_name(source);
  if (!name) return read_demand(source, max_zones);
  if (*name != "taxi") {
    throw DataError("the synthetic demand " + quoted_field(*name) + " is not known: expected synthetic:taxi");
  }
  DemandData data{generate_demand(seed), {}};
  select_zones(data, max_zones);
  return data;
}

void write_prices(const std::string& path, const PriceTable& table) {
  write_table(path, wide_csv("date", table.tickers, table.prices,
                             [&table](std::size_t i) { return format_date(table.dates[i]); }));
}

void write_demand(const std::string& path, const DemandTable& table) {
  write_table(path, wide_csv("hour", table.zones, table.demand,
                             [&table](std::size_t i) { return format_hour(table.hours[i]); }));
}

}  // namespace softradial::study
