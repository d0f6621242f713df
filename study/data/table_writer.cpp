#include "data/table_writer.hpp"

#include <charconv>

#include "data/calendar.hpp"
#include "data/text_file.hpp"

namespace softradial::study {

namespace {

// A name with a comma goes into quotes, as CsvText takes them off.
void append_name(std::string& text, const std::string& name) {
  const bool quotes = name.find(',') != std::string::npos;
  text += quotes ? ",\"" : ",";
  text += name;
  if (quotes) text += '"';
}

void append_number(std::string& text, double value) {
  char digits[32];
  text += ',';
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

template <class Label>
std::string wide_csv(std::string text, const std::vector<std::string>& names, const Table& values, Label label) {
  for (const std::string& name : names) append_name(text, name);
  text += '\n';
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    text += label(static_cast<std::size_t>(i));
    for (Eigen::Index j = 0; j < values.cols(); ++j) append_number(text, values(i, j));
    text += '\n';
  }
  return text;
}

}  // namespace

void write_prices(const std::string& path, const PriceTable& table) {
  write_text_file(path, wide_csv("date", table.tickers, table.prices,
                                 [&table](std::size_t i) { return format_date(table.dates[i]); }));
}

void write_demand(const std::string& path, const DemandTable& table) {
  write_text_file(path, wide_csv("hour", table.zones, table.demand,
                                 [&table](std::size_t i) { return format_hour(table.hours[i]); }));
}

}  // namespace softradial::study
