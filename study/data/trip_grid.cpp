#include "data/trip_grid.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "data/calendar.hpp"
#include "data/tables.hpp"

namespace softradial::study {

namespace {

using namespace std::chrono;

constexpr double kPlausibleShare = 0.01;
constexpr days kLongestSpan = days(20 * 366);
constexpr days kLongestGap = days(7);

sys_days day_of(std::int64_t hour) { return floor<days>(sys_seconds(hours(hour))); }

using TripsPerDay = std::map<sys_days, std::int64_t>;

TripsPerDay trips_per_day(const std::vector<TripCount>& counts) {
  TripsPerDay total;
  for (const TripCount& count : counts) total[day_of(count.hour)] += count.trips;
  return total;
}

// Finds the first and the last day to keep.
std::pair<sys_days, sys_days> find_span(const TripsPerDay& total, const TripImportOptions& options) {
  const auto is_allowed = [&options](sys_days day) {
    return (!options.from || day >= *options.from) && (!options.to || day <= *options.to);
  };
  std::int64_t most = 0;
  for (const auto& [day, trips] : total) {
    if (is_allowed(day)) most = std::max(most, trips);
  }
  if (most == 0) {
    if (total.empty()) throw DataError("the files have no trips");
    throw DataError("the files have no trips within the span asked for: theirs are from " +
                    format_date(total.begin()->first) + " to " + format_date(total.rbegin()->first));
  }
  const auto is_plausible = [&](const auto& entry) {
    return is_allowed(entry.first) && static_cast<double>(entry.second) >= kPlausibleShare * static_cast<double>(most);
  };
  const sys_days first = std::find_if(total.begin(), total.end(), is_plausible)->first;
  const sys_days last = std::find_if(total.rbegin(), total.rend(), is_plausible)->first;
  const std::pair span(options.from.value_or(first), options.to.value_or(last));
  if (span.second - span.first > kLongestSpan) {
    throw DataError("the trips span " + format_date(span.first) + " to " + format_date(span.second) +
                    ", more than 20 years: choose the days with --from and --to");
  }
  return span;
}

void check_gaps(const TripsPerDay& total, sys_days first, sys_days last) {
  sys_days before = first - days(1);
  const auto check = [&before](sys_days day) {
    if (day - before > kLongestGap) {
      throw DataError("no trips from " + format_date(before + days(1)) + " to " + format_date(day - days(1)) +
                      ": a file is missing, or choose the days with --from and --to");
    }
    before = day;
  };
  for (auto entry = total.lower_bound(first); entry != total.end() && entry->first <= last; ++entry)
    check(entry->first);
  check(last + days(1));
}

}  // namespace

TripImport grid_of_trips(const std::vector<TripCount>& counts, const TripImportOptions& options) {
  const TripsPerDay total = trips_per_day(counts);
  const auto [first, last] = find_span(total, options);
  check_gaps(total, first, last);

  std::map<std::int64_t, Eigen::Index> columns;
  for (const TripCount& count : counts) {
    if (const sys_days day = day_of(count.hour); day >= first && day <= last) columns.emplace(count.zone, 0);
  }
  TripImport result;
  DemandTable& table = result.data.table;
  for (auto& [zone, column] : columns) {
    column = static_cast<Eigen::Index>(table.zones.size());
    table.zones.push_back(std::to_string(zone));
  }

  const auto begin = floor<hours>(sys_seconds(first)).time_since_epoch().count();
  const auto rows = static_cast<Eigen::Index>(24 * ((last - first).count() + 1));
  for (Eigen::Index i = 0; i < rows; ++i) table.hours.emplace_back(hours(begin + i));
  table.demand = Table::Zero(rows, static_cast<Eigen::Index>(table.zones.size()));
  for (const TripCount& count : counts) {
    if (const sys_days day = day_of(count.hour); day < first || day > last) {
      result.outside_span += count.trips;
      continue;
    }
    table.demand(static_cast<Eigen::Index>(count.hour - begin), columns.at(count.zone)) +=
        static_cast<double>(count.trips);
    result.trips += count.trips;
  }

  std::vector<std::string>& warnings = result.data.warnings;
  if (result.outside_span > 0) {
    warnings.push_back(std::to_string(result.outside_span) + " trips outside " + format_date(first) + " .. " +
                       format_date(last) + " dropped");
  }
  for (Eigen::Index i = 1; i + 1 < rows; ++i) {
    const local_seconds hour = table.hours[static_cast<std::size_t>(i)];
    if (!is_skipped_hour(hour)) continue;
    // Wrongly set clocks record trips in the hour that does not exist. These trips are kept.
    if (table.demand.row(i).sum() > 0) continue;
    table.demand.row(i) = skipped_hour_demand(table.demand.row(i - 1), table.demand.row(i + 1));
    warnings.push_back(format_hour(hour) +
                       " does not exist (start of daylight saving): filled with the mean of its neighbours");
  }
  select_zones(result.data, options.max_zones);
  return result;
}

}  // namespace softradial::study
