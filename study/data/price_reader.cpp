#include "data/price_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

#include "data/calendar.hpp"
#include "data/csv_file.hpp"
#include "data/tables.hpp"
#include "files/utf8.hpp"

namespace softradial::study {

namespace {

// Daily moves beyond these limits are reported. The limit for falls is 45 %, because an unadjusted two-for-one split shows as
// -50 % plus the day's own move.
constexpr double kLargestRise = 0.5;
constexpr double kLargestFall = -0.45;
// A warning names this many days and only counts the rest.
constexpr std::size_t kDaysNamed = 3;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

// Sorts the quotes by day and merges those of the same day.
void sort_and_merge(PriceSeries& series) {
  std::vector<Quote>& quotes = series.quotes;
  std::ranges::stable_sort(quotes, {}, &Quote::day);
  std::vector<Quote> merged;
  merged.reserve(quotes.size());
  for (const Quote& quote : quotes) {
    if (merged.empty() || merged.back().day != quote.day) {
      merged.push_back(quote);
      continue;
    }
    Quote& first = merged.back();
    if (std::isnan(quote.price)) continue;
    if (!std::isnan(first.price) && first.price != quote.price) {
      throw DataError(at_line(series.file, quote.line,
                              series.ticker + ": " + format_date(quote.day) + " has the price " + number(quote.price) +
                                  ", but " + number(first.price) + " on line " + std::to_string(first.line)));
    }
    first = quote;
  }
  quotes = std::move(merged);
}

std::vector<std::chrono::sys_days> union_of_days(const std::vector<PriceSeries>& all) {
  std::vector<std::chrono::sys_days> days;
  for (const PriceSeries& series : all) {
    for (const Quote& quote : series.quotes) days.push_back(quote.day);
  }
  std::ranges::sort(days);
  days.erase(std::unique(days.begin(), days.end()), days.end());
  return days;
}

std::string named_days(const std::vector<std::chrono::sys_days>& days) {
  std::string text;
  for (std::size_t i = 0; i < std::min(days.size(), kDaysNamed); ++i) text += (i ? ", " : "") + format_date(days[i]);
  if (days.size() > kDaysNamed) text += " and " + std::to_string(days.size() - kDaysNamed) + " more days";
  return text;
}

void check_tickers(const std::vector<PriceSeries>& all) {
  if (all.empty()) throw DataError("no prices");
  std::set<std::string> seen;
  for (const PriceSeries& series : all) {
    if (!is_utf8(series.ticker)) {
      throw DataError(series.file + ": the ticker " + quoted_field(series.ticker) + " is not UTF-8");
    }
    if (!seen.insert(series.ticker).second)
      throw DataError(series.file + ": the ticker " + series.ticker + " occurs twice");
    if (std::ranges::all_of(series.quotes, [](const Quote& quote) { return std::isnan(quote.price); })) {
      throw DataError(series.file + ": " + series.ticker + " has no prices");
    }
  }
}

std::chrono::sys_days first_price(const PriceSeries& series) {
  return std::ranges::find_if(series.quotes, [](const Quote& quote) { return !std::isnan(quote.price); })->day;
}

// Writes the ticker's column for the days from `begin` on. A missing price is filled with the last one before it, with a
// warning.
void fill_column(const PriceSeries& series, const std::vector<std::chrono::sys_days>& days, std::size_t begin,
                 Eigen::Index column, PriceData& data) {
  std::vector<std::chrono::sys_days> empty;   // the file has the day, but no price
  std::vector<std::chrono::sys_days> absent;  // the file does not have the day
  double last = kMissingPrice;
  auto next = series.quotes.begin();
  for (std::size_t i = 0; i < days.size(); ++i) {
    const bool has_day = next != series.quotes.end() && next->day == days[i];
    const bool has_price = has_day && !std::isnan(next->price);
    if (has_price) last = next->price;
    if (has_day) ++next;
    if (i < begin) continue;
    if (!has_price) (has_day ? empty : absent).push_back(days[i]);
    data.table.prices(static_cast<Eigen::Index>(i - begin), column) = last;
  }
  if (!empty.empty()) {
    data.warnings.push_back(series.file + ": " + series.ticker + " has no price on " + named_days(empty) +
                            ": filled with the last one before");
  }
  if (!absent.empty()) {
    data.warnings.push_back(series.file + ": different calendars: " + series.ticker + " lacks " +
                            std::to_string(absent.size()) + " of " + std::to_string(days.size() - begin) + " days (" +
                            named_days(absent) + "): filled with the last price before");
  }
}

void report_large_moves(PriceData& data) {
  const PriceTable& table = data.table;
  for (Eigen::Index j = 0; j < table.prices.cols(); ++j) {
    for (Eigen::Index i = 1; i < table.prices.rows(); ++i) {
      const double move = table.prices(i, j) / table.prices(i - 1, j) - 1;
      if (move <= kLargestRise && move >= kLargestFall) continue;
      char text[32];
      std::snprintf(text, sizeof text, "%+.1f %%", 100 * move);
      data.warnings.push_back(table.tickers[static_cast<std::size_t>(j)] + " moves by " + text + " on " +
                              format_date(table.dates[static_cast<std::size_t>(i)]) +
                              ": a split that is not adjusted?");
    }
  }
}

bool is_price_file(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz") || path.ends_with(".txt") || path.ends_with(".txt.gz");
}

std::vector<std::string> price_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file() && is_price_file(entry.path().string())) files.push_back(entry.path().string());
  }
  if (error) throw DataError(folder + ": cannot be read: " + error.message());
  if (files.empty()) throw DataError(folder + ": the folder has no price files (*.csv, *.csv.gz, *.txt, *.txt.gz)");
  std::ranges::sort(files);
  return files;
}

}  // namespace

PriceData align_prices(std::vector<PriceSeries> all) {
  check_tickers(all);
  for (PriceSeries& series : all) sort_and_merge(series);
  const std::vector<std::chrono::sys_days> days = union_of_days(all);

  const auto last_to_start = std::ranges::max_element(all, {}, first_price);
  const std::chrono::sys_days start = first_price(*last_to_start);
  const auto begin = static_cast<std::size_t>(std::ranges::lower_bound(days, start) - days.begin());

  PriceData data;
  data.table.dates.assign(days.begin() + static_cast<std::ptrdiff_t>(begin), days.end());
  data.table.prices.resize(static_cast<Eigen::Index>(days.size() - begin), static_cast<Eigen::Index>(all.size()));
  if (begin > 0) {
    data.warnings.push_back(last_to_start->file + ": " + last_to_start->ticker + " has its first price on " +
                            format_date(start) + ": the table starts there, without the first " +
                            std::to_string(begin) + " days");
  }
  for (std::size_t j = 0; j < all.size(); ++j) {
    data.table.tickers.push_back(all[j].ticker);
    fill_column(all[j], days, begin, static_cast<Eigen::Index>(j), data);
  }
  report_large_moves(data);
  return data;
}

PriceData read_prices(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return align_prices(read_price_series(path));
  std::vector<PriceSeries> all;
  for (const std::string& file : price_files(path)) {
    std::vector<PriceSeries> some = read_price_series(file);
    std::ranges::move(some, std::back_inserter(all));
  }
  return align_prices(std::move(all));
}

}  // namespace softradial::study
