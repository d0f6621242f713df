#include "data/table_parts.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "data/calendar.hpp"
#include "data/csv_file.hpp"
#include "data/demand_reader.hpp"
#include "data/parquet_table.hpp"
#include "data/table_files.hpp"

namespace softradial::study {
namespace {

// The differences between the two kinds of table: times, names and numbers.
std::vector<std::chrono::sys_days>& times_in(PriceTable& table) { return table.dates; }
std::vector<std::chrono::local_seconds>& times_in(DemandTable& table) { return table.hours; }
std::vector<std::string>& names_in(PriceTable& table) { return table.tickers; }
std::vector<std::string>& names_in(DemandTable& table) { return table.zones; }
Table& numbers_in(PriceTable& table) { return table.prices; }
Table& numbers_in(DemandTable& table) { return table.demand; }

// The times and names of some rows and columns of the outline, without numbers.
template <class TableType>
TableType outline_of(TableType outline, RowRange rows, const std::vector<std::string>& columns) {
  auto& times = times_in(outline);
  times = {times.begin() + rows.begin, times.begin() + rows.end};
  names_in(outline) = columns;
  return outline;
}

void set_zones(DemandTable& outline, const ZoneChoice& choice) {
  outline.zones = choice.zones;
  outline.zones_left_out = choice.left_out;
}

template <class TableType>
class WholeTable final : public TableParts<TableType> {
 public:
  WholeTable(TableType table, const std::vector<std::string>& warnings) : table_(std::move(table)) {
    this->warnings_ = warnings;
    Table numbers = std::move(numbers_in(table_));
    this->outline_ = table_;
    numbers_in(table_) = std::move(numbers);
  }

  void keep_zones(const ZoneChoice& choice) { set_zones(this->outline_, choice); }

  TableType read(RowRange rows, const std::vector<std::string>& columns) override {
    TableType part = outline_of(this->outline_, rows, names_in(table_));
    numbers_in(part) = numbers_in(table_).middleRows(rows.begin, rows.size());
    return with_columns(part, columns);
  }

 private:
  TableType table_;
};

std::optional<std::chrono::sys_days> parsed(const std::string& text, const PriceTable& /*kind*/) {
  return parse_date(text);
}
std::optional<std::chrono::local_seconds> parsed(const std::string& text, const DemandTable& /*kind*/) {
  return parse_hour(text);
}

// Parquet files are not repaired: faults that the CSV readers mend are refused here.
void check_follows(const std::string& path, std::chrono::sys_days day, std::chrono::sys_days before) {
  if (day == before) throw DataError(path + ": " + format_date(day) + " occurs twice");
}
void check_follows(const std::string& path, std::chrono::local_seconds hour, std::chrono::local_seconds before) {
  if (hour == before + std::chrono::hours(1)) return;
  throw DataError(path + ": " + format_hour(hour) + " follows " + format_hour(before) + ": every hour needs one row");
}
bool is_usable(double price, const PriceTable& /*kind*/) { return std::isfinite(price) && price > 0; }
bool is_usable(double count, const DemandTable& /*kind*/) { return std::isfinite(count) && count >= 0; }

template <class TableType>
class PartsOfParquet final : public TableParts<TableType> {
 public:
  explicit PartsOfParquet(const std::string& path) : path_(path), file_(path) {
    auto& times = times_in(this->outline_);
    for (const std::string& text : file_.times()) {
      const auto time = parsed(text, this->outline_);
      if (!time) throw DataError(path + ": " + quoted_field(text) + " in the first column is no time of such a table");
      if (!times.empty()) check_follows(path, *time, times.back());
      times.push_back(*time);
    }
    names_in(this->outline_) = file_.columns();
  }

  void keep_zones(const ZoneChoice& choice) { set_zones(this->outline_, choice); }
  void keep_zones(std::size_t most) {
    ZoneChoice choice;
    for (const Eigen::Index j : kept_zones(file_.columns(), file_.totals(), most, this->warnings_)) {
      choice.zones.push_back(file_.columns()[static_cast<std::size_t>(j)]);
    }
    choice.left_out = file_.columns().size() - choice.zones.size();
    keep_zones(choice);
  }

  TableType read(RowRange rows, const std::vector<std::string>& columns) override {
    TableType part = outline_of(this->outline_, rows, columns);
    Table& numbers = numbers_in(part);
    numbers = file_.read(rows, columns);
    for (Eigen::Index i = 0; i < numbers.size(); ++i) {
      if (is_usable(numbers.data()[i], part)) continue;
      throw DataError(path_ + ": " + columns[static_cast<std::size_t>(i % numbers.cols())] + " is " +
                      std::to_string(numbers.data()[i]) + " at " +
                      file_.times()[static_cast<std::size_t>(rows.begin + i / numbers.cols())]);
    }
    return part;
  }

 private:
  std::string path_;
  ParquetTable file_;
};

}  // namespace

std::unique_ptr<PriceParts> open_prices(const std::string& source, std::uint64_t seed) {
  if (is_parquet(source)) return std::make_unique<PartsOfParquet<PriceTable>>(source);
  PriceData data = load_prices(source, seed);
  return std::make_unique<WholeTable<PriceTable>>(std::move(data.table), std::move(data.warnings));
}

std::unique_ptr<DemandParts> open_demand(const std::string& source, std::size_t max_zones, std::uint64_t seed) {
  if (is_parquet(source)) {
    auto parts = std::make_unique<PartsOfParquet<DemandTable>>(source);
    parts->keep_zones(max_zones);
    return parts;
  }
  DemandData data = load_demand(source, max_zones, seed);
  return std::make_unique<WholeTable<DemandTable>>(std::move(data.table), std::move(data.warnings));
}

std::unique_ptr<DemandParts> open_demand(const std::string& source, const ZoneChoice& choice, std::uint64_t seed) {
  if (is_parquet(source)) {
    auto parts = std::make_unique<PartsOfParquet<DemandTable>>(source);
    parts->keep_zones(choice);
    return parts;
  }
  DemandData data = load_demand(source, 0, seed);
  auto parts = std::make_unique<WholeTable<DemandTable>>(std::move(data.table), std::move(data.warnings));
  parts->keep_zones(choice);
  return parts;
}

}  // namespace softradial::study
