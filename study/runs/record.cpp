#include "runs/record.hpp"

#include <algorithm>
#include <limits>

#include "data/calendar.hpp"
#include "data/table_files.hpp"
#include "tasks/task_data.hpp"

namespace softradial::study {
namespace {

template <class Time, class Format>
std::vector<std::string> labels(const std::vector<Time>& times, RowRange rows, const Format& format) {
  std::vector<std::string> out;
  for (int64_t t = rows.begin; t < rows.end; ++t) out.push_back(format(times[static_cast<size_t>(t)]));
  return out;
}

std::string csv(std::span<const Record> records, const std::vector<std::string> Record::*names,
                const std::vector<std::string> Record::*times, const Table Record::*values) {
  std::string text = records[0].time + ",split" + csv_names(records[0].*names) + "\n";
  for (const Record& record : records) {
    for (size_t i = 0; i < (record.*times).size(); ++i) {
      text += (record.*times)[i] + "," + record.split;
      text += csv_numbers((record.*values).row(static_cast<Eigen::Index>(i))) + "\n";
    }
  }
  return text;
}

}  // namespace

std::vector<double> least_slacks(const Set& set, const Table& decisions) {
  std::vector<double> slacks(set->num_inequalities());
  std::vector<double> least;
  for (Eigen::Index i = 0; i < decisions.rows(); ++i) {
    set->slacks({decisions.row(i).data(), set.dim()}, slacks);
    least.push_back(slacks.empty() ? std::numeric_limits<double>::infinity() : std::ranges::min(slacks));
  }
  return least;
}

Record record_of(std::string split, const PortfolioEvaluation& evaluation, const PortfolioData& data, const Set& set) {
  const auto format = [](std::chrono::sys_days day) { return format_date(day); };
  const RowRange decided = evaluation.days;
  Record out{.split = std::move(split),
             .time = "date",
             .names = data.tickers,
             .decided = labels(data.days, decided, format),
             .decisions = to_table(evaluation.weights),
             .ended = labels(data.days, {decided.begin + 1, decided.end}, format),
             .columns = {"net_return", "gross_return", "turnover", "cost", "slack"},
             .outcomes = {},
             .totals = {}};
  const std::vector<double> slack = least_slacks(set, out.decisions);
  const PortfolioReturns& r = evaluation.returns;
  out.outcomes.resize(r.net.size(), 5);
  out.outcomes << r.net, r.net + r.cost, r.turnover, r.cost,
      Eigen::Map<const Eigen::VectorXd>(slack.data(), r.net.size());
  return out;
}

Record record_of(std::string split, const DispatchEvaluation& evaluation, const DispatchData& data, const Set& set) {
  const auto format = [](std::chrono::local_seconds hour) { return format_hour(hour); };
  Record out{.split = std::move(split),
             .time = "hour",
             .names = data.zones,
             .decided = labels(data.hours, evaluation.hours, format),
             .decisions = to_table(evaluation.shares),
             .ended = labels(data.hours, evaluation.hours, format),
             .columns = {"supply", "demand", "served", "served_rate", "slack"},
             .outcomes = {},
             .totals = Table::Zero(static_cast<Eigen::Index>(data.zones.size()), kTotals.size())};
  const std::vector<double> slack = least_slacks(set, out.decisions);
  out.outcomes.resize(out.decisions.rows(), 5);
  for (Eigen::Index i = 0; i < out.decisions.rows(); ++i) {
    const auto demand = data.demand.row(evaluation.hours.begin + i);
    const double supply = data.supply[evaluation.hours.begin + i];
    const Eigen::RowVectorXd sent = supply * out.decisions.row(i);
    const Eigen::RowVectorXd served_in = sent.cwiseMin(demand);
    const double served = served_in.sum();
    const double total = demand.sum();
    out.totals.col(0) += sent.transpose();
    out.totals.col(1) += demand.transpose();
    out.totals.col(2) += served_in.transpose();
    out.outcomes.row(i) << supply, total, served, served / std::max(total, 1.0), slack[static_cast<size_t>(i)];
  }
  return out;
}

void put_beside(Record& record, const std::string& name, const Record& other) {
  for (Eigen::Index k = 0; k < other.outcomes.cols(); ++k) {
    // Columns that equal the record's own, such as supply and demand, are left out.
    if (other.outcomes.col(k) == record.outcomes.col(k)) continue;
    record.outcomes.conservativeResize(Eigen::NoChange, record.outcomes.cols() + 1);
    record.outcomes.rightCols<1>() = other.outcomes.col(k);
    record.columns.push_back(name + "." + other.columns[static_cast<size_t>(k)]);
  }
}

std::string decisions_csv(std::span<const Record> records) {
  return csv(records, &Record::names, &Record::decided, &Record::decisions);
}

std::string outcomes_csv(std::span<const Record> records) {
  return csv(records, &Record::columns, &Record::ended, &Record::outcomes);
}

std::string zones_csv(std::span<const Record> records) {
  std::string text = "zone,split";
  for (const std::string_view column : kTotals) (text += ',') += column;
  text += '\n';
  for (const Record& record : records) {
    for (std::size_t k = 0; k < record.names.size(); ++k) {
      text += csv_names({&record.names[k], 1}).substr(1) + "," + record.split;
      text += csv_numbers(record.totals.row(static_cast<Eigen::Index>(k))) + "\n";
    }
  }
  return text;
}

std::vector<RecordFile> record_files(std::span<const Record> records) {
  std::vector<RecordFile> files = {{"decisions.csv", decisions_csv(records)}, {"outcomes.csv", outcomes_csv(records)}};
  if (records[0].totals.size() > 0) files.push_back({"zones.csv", zones_csv(records)});
  return files;
}

}  // namespace softradial::study
