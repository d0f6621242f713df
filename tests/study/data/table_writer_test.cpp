#include <gtest/gtest.h>

#include "data/demand_reader.hpp"
#include "data/price_reader.hpp"
#include "data/synthetic_prices.hpp"
#include "data/table_files.hpp"
#include "program/temp_dir.hpp"
#include "study/data/table_checks.hpp"

namespace softradial::study {
namespace {

TEST(TableWriter, PricesReadBackAsTheSameNumbers) {
  const test::TempDir dir;
  const PriceTable table = generate_prices(sectors_universe(), 5).table;
  for (const char* name : {"p.csv", "p.csv.gz"}) {
    write_prices(dir.path(name), table);
    const PriceData again = read_prices(dir.path(name));
    EXPECT_EQ(again.warnings, std::vector<std::string>{});
    EXPECT_EQ(again.table.dates, table.dates);
    EXPECT_EQ(again.table.tickers, table.tickers);
    EXPECT_EQ(again.table.prices, table.prices);
  }
  EXPECT_LT(std::filesystem::file_size(dir.path("p.csv.gz")), std::filesystem::file_size(dir.path("p.csv")));
}

TEST(TableWriter, DemandReadsBackAsTheSameNumbers) {
  using namespace std::chrono;
  const test::TempDir dir;
  const local_seconds first = local_days(2024y / January / 1);
  const DemandTable table{{first, first + 1h}, {"a,b", "c"}, (Table(2, 2) << 5, 0.1, 7, 2).finished()};
  write_demand(dir.path("d.csv"), table);
  const DemandData again = read_demand(dir.path("d.csv"), 0);
  EXPECT_EQ(again.table.hours, table.hours);
  EXPECT_EQ(again.table.zones, table.zones);
  EXPECT_EQ(again.table.demand, table.demand);
}

TEST(TableWriter, WritesThroughLinks) {
  const test::TempDir dir;
  std::filesystem::create_symlink(dir.write("target.csv", "old"), dir.path("link.csv"));
  write_prices(dir.path("link.csv"), generate_prices(sectors_universe(), 0).table);
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path("link.csv")));
  EXPECT_EQ(read_prices(dir.path("target.csv")).table.tickers.size(), 9U);
}

TEST(TableWriter, SaysWhereItCannotWrite) {
  EXPECT_EQ(test::failure_text([] { write_prices("/no/such/folder/p.csv", {}); }),
            "/no/such/folder/p.csv: cannot be written: No such file or directory");
}

}  // namespace
}  // namespace softradial::study
