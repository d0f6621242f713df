#include "data/price_series.hpp"

#include <filesystem>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "data/calendar.hpp"
#include "data/csv_file.hpp"
#include "data/tables.hpp"

namespace softradial::study {

namespace {

// "<CLOSE>", "Adj Close", "adj_close" -> "close", "adjclose".
std::string column_word(std::string_view field) {
  std::string word;
  for (const char c : field) {
    if (c >= 'A' && c <= 'Z') {
      word += static_cast<char>(c - 'A' + 'a');
    } else if (c != '<' && c != '>' && c != ' ' && c != '_') {
      word += c;
    }
  }
  return word;
}

struct Header {
  std::vector<std::string> names;

  [[nodiscard]] std::optional<std::size_t> find(std::string_view word) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (column_word(names[i]) == word) return i;
    }
    return std::nullopt;
  }
};

// data/XLB.csv.gz -> XLB
std::string ticker_of_file(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  for (const std::string_view ending : {".gz", ".csv", ".txt"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

class Reader {
 public:
  Reader(const std::string& path, std::string_view text) : path_(path), csv_(text) {
    if (!csv_.next()) throw DataError(path_ + ": is empty");
    for (const std::string_view field : csv_.fields()) header_.names.emplace_back(field);
    if (parse_date(header_.names.front())) fail("a header is missing: the first line begins with a date");
  }

  std::vector<PriceSeries> read() {
    const std::optional<std::size_t> date = header_.find("date");
    const std::optional<std::size_t> ticker = header_.find("ticker");
    std::optional<std::size_t> close = header_.find("adjclose");
    if (!close) close = header_.find("close");
    if (date && ticker && close) return read_rows(*date, *ticker, *close);
    if (date && close) return read_single(*date, *close);
    return read_wide();
  }

 private:
  std::vector<PriceSeries> read_wide() {
    if (header_.names.size() < 2) fail("expected a date and at least one ticker, separated by commas");
    std::vector<PriceSeries> all;
    for (std::size_t i = 1; i < header_.names.size(); ++i) {
      if (header_.names[i].empty()) fail("column " + std::to_string(i + 1) + " has no ticker");
      all.push_back({header_.names[i], path_, {}});
    }
    while (csv_.next()) {
      check_width();
      const std::chrono::sys_days day = date_at(0);
      for (std::size_t i = 1; i < header_.names.size(); ++i)
        all[i - 1].quotes.push_back(quote(day, i, all[i - 1].ticker));
    }
    return all;
  }

  std::vector<PriceSeries> read_single(std::size_t date, std::size_t close) {
    PriceSeries series{ticker_of_file(path_), path_, {}};
    while (csv_.next()) {
      check_width();
      series.quotes.push_back(quote(date_at(date), close, series.ticker));
    }
    return {std::move(series)};
  }

  std::vector<PriceSeries> read_rows(std::size_t date, std::size_t ticker, std::size_t close) {
    std::vector<PriceSeries> all;
    std::unordered_map<std::string, std::size_t> index;
    while (csv_.next()) {
      check_width();
      const std::string name(csv_.fields()[ticker]);
      if (name.empty()) fail("the ticker is missing");
      const auto [position, is_new] = index.emplace(name, all.size());
      if (is_new) all.push_back({name, path_, {}});
      all[position->second].quotes.push_back(quote(date_at(date), close, name));
    }
    return all;
  }

  [[nodiscard]] std::chrono::sys_days date_at(std::size_t column) const {
    const std::string_view field = csv_.fields()[column];
    const std::optional<std::chrono::sys_days> day = parse_date(field);
    if (!day) fail(quoted_field(field) + " is not a date (expected 2010-01-04 or 20100104)");
    return *day;
  }

  [[nodiscard]] Quote quote(std::chrono::sys_days day, std::size_t column, const std::string& ticker) const {
    const std::string_view field = csv_.fields()[column];
    if (is_missing(field)) return {day, kMissingPrice, csv_.line()};
    const std::optional<double> price = parse_number(field);
    if (!price) fail(ticker + ": " + quoted_field(field) + " is not a price");
    if (!(*price > 0)) fail(ticker + ": the price " + quoted_field(field) + " is not positive");
    return {day, *price, csv_.line()};
  }

  void check_width() const {
    if (csv_.fields().size() == header_.names.size()) return;
    fail(std::to_string(csv_.fields().size()) + " columns, but the header has " + std::to_string(header_.names.size()));
  }

  [[noreturn]] void fail(const std::string& what) const { throw DataError(at_line(path_, csv_.line(), what)); }

  std::string path_;
  CsvText csv_;
  Header header_;
};

}  // namespace

std::vector<PriceSeries> read_price_series(const std::string& path) {
  const std::string text = read_text_file(path);
  return Reader(path, text).read();
}

}  // namespace softradial::study
