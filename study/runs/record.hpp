#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/tables.hpp"
#include "softradial/set.hpp"
#include "tasks/dispatch_task.hpp"
#include "tasks/portfolio_task.hpp"

namespace softradial::study {

// The decisions of a policy over a period and their outcomes, row by row, for reports and spreadsheets.
struct Record {
  std::string split;                 // validation, test, or a name for any other period
  std::string time;                  // "date" or "hour": the head of the first column
  std::vector<std::string> names;    // assets or zones
  std::vector<std::string> decided;  // the day or hour of each decision
  Table decisions;                   // (decided, names): weights or shares
  std::vector<std::string> ended;    // the day or hour that each outcome belongs to
  std::vector<std::string> columns;  // the names of the columns of `outcomes`
  Table outcomes;                    // (ended, columns)
  Table totals;                      // dispatch: (names, kTotals), sums over the hours; portfolio: empty
};

// The totals that a record has for each zone: vehicles sent there (share times supply), requests, and requests served.
inline constexpr std::array<std::string_view, 3> kTotals = {"allocation", "demand", "served"};

// Portfolio: the weights of a day earn the return of the next day. Columns: net_return, gross_return, turnover, cost (of
// moving to the next weights), slack (the smallest one of the weights that earned the return).
[[nodiscard]] Record record_of(std::string split, const PortfolioEvaluation& evaluation, const PortfolioData& data,
                               const Set& set);
// Dispatch. Columns: supply, demand, served (sums over the zones), served_rate, slack.
[[nodiscard]] Record record_of(std::string split, const DispatchEvaluation& evaluation, const DispatchData& data,
                               const Set& set);

// Adds the outcomes of other decisions over the same period as columns, "NAME.net_return" and so on. Columns with the same
// values in both are left out.
void put_beside(Record& record, const std::string& name, const Record& other);

// CSV with a header line: time, split, and the names or columns. The records belong to one policy and follow each other.
[[nodiscard]] std::string decisions_csv(std::span<const Record> records);
[[nodiscard]] std::string outcomes_csv(std::span<const Record> records);
// "zone,split,allocation,demand,served", a line for each zone and split; for records with totals.
[[nodiscard]] std::string zones_csv(std::span<const Record> records);

// The records as files: decisions.csv, outcomes.csv and, for records with totals, zones.csv.
struct RecordFile {
  std::string name;
  std::string text;
};
[[nodiscard]] std::vector<RecordFile> record_files(std::span<const Record> records);

// The smallest slack over all inequalities, for each row of decisions; infinity for a set without inequalities.
[[nodiscard]] std::vector<double> least_slacks(const Set& set, const Table& decisions);

}  // namespace softradial::study
