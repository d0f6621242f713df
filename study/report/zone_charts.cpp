#include <fmt/format.h>

#include <numeric>

#include "files/errors.hpp"
#include "plot/bubble_map.hpp"
#include "plot/svg_path.hpp"
#include "report/charts.hpp"

namespace softradial::study {
namespace {

using plot::escaped;

// Shares of a zone, as means over the seeds of a run.
struct ZoneShares {
  double demand = 0;      // share of all requests
  double allocation = 0;  // share of all vehicles
  double served = 0;      // share of the zone's own requests; NaN if there were none
};

std::map<std::string, ZoneShares> shares_of(const RunRecord& run) {
  std::vector<ZoneTotals> sums(run.names.size());
  ZoneTotals all;
  for (const SeedRecord& seed : run.seeds) {
    for (std::size_t k = 0; k < seed.zones.size(); ++k) {
      for (double ZoneTotals::*part : {&ZoneTotals::allocation, &ZoneTotals::demand, &ZoneTotals::served}) {
        sums[k].*part += seed.zones[k].*part;
        all.*part += seed.zones[k].*part;
      }
    }
  }
  std::map<std::string, ZoneShares> shares;
  if (all.demand <= 0 || all.allocation <= 0) return shares;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    shares[run.names[k]] = {.demand = sums[k].demand / all.demand,
                            .allocation = sums[k].allocation / all.allocation,
                            .served = sums[k].served / sums[k].demand};
  }
  return shares;
}

struct RunZones {
  const RunRecord* run;
  std::map<std::string, ZoneShares> shares;
};

// All zones of all runs, the largest demand first.
std::vector<std::string> ordered_zones(const std::vector<RunZones>& all) {
  std::map<std::string, double> demand;
  for (const RunZones& one : all) {
    for (const auto& [zone, shares] : one.shares) demand.emplace(zone, shares.demand);
  }
  std::vector<std::string> zones;
  zones.reserve(demand.size());
  for (const auto& [zone, _] : demand) zones.push_back(zone);
  std::ranges::stable_sort(zones, std::ranges::greater{}, [&](const std::string& zone) { return demand.at(zone); });
  return zones;
}

// One number for each zone; NaN for a zone that the run does not have.
std::vector<double> column(const RunZones& one, const std::vector<std::string>& zones, double ZoneShares::*part) {
  std::vector<double> out;
  out.reserve(zones.size());
  for (const std::string& zone : zones) {
    const auto found = one.shares.find(zone);
    out.push_back(found == one.shares.end() ? std::nan("") : found->second.*part);
  }
  return out;
}

// "Midtown Center (161)"; the id alone if there is no name.
std::string full_name(const std::string& zone, const ZonePlaces& places) {
  const auto found = places.by_zone.find(zone);
  return found == places.by_zone.end() || found->second.name == zone ? zone
                                                                     : fmt::format("{} ({})", found->second.name, zone);
}

std::string shares_by_zone(const std::vector<RunZones>& all, const std::vector<std::string>& zones,
                           const ZonePlaces& places) {
  std::vector<double> ranks(zones.size());
  std::iota(ranks.begin(), ranks.end(), 1.0);
  std::vector<std::string> names;
  names.reserve(zones.size());
  for (const std::string& zone : zones) names.push_back(full_name(zone, places));
  std::vector<double> demand(zones.size(), std::nan(""));
  for (const RunZones& one : all) {
    const std::vector<double> own = column(one, zones, &ZoneShares::demand);
    for (std::size_t k = 0; k < own.size(); ++k) demand[k] = std::isnan(demand[k]) ? own[k] : demand[k];
  }
  std::vector<ChartSeries> series = {
      {.name = "demand", .x = ranks, .middle = demand, .low = {}, .high = {}, .color = plot::kInk}};
  for (std::size_t k = 0; k < all.size(); ++k) {
    series.push_back({.name = all[k].run->label,
                      .x = ranks,
                      .middle = column(all[k], zones, &ZoneShares::allocation),
                      .low = {},
                      .high = {},
                      .color = static_cast<int>(k)});
  }
  return dots_over_line({.title = "Shares by zone, the largest demand first",
                         .description = "Test period, mean over the seeds. The line is the demand, dots are the fleet.",
                         .file = "fleet_by_zone",
                         .x = XKind::rank,
                         .y = YKind::percent,
                         .x_names = names},
                        series);
}

// log2(allocation / demand), limited to the range from half to twice.
double strength(const ZoneShares& zone) {
  if (zone.demand <= 0) return zone.allocation > 0 ? 1 : 0;
  return zone.allocation <= 0 ? -1 : std::clamp(std::log2(zone.allocation / zone.demand), -1.0, 1.0);
}

std::string shares_text(const ZoneShares& zone) {
  if (zone.demand <= 0) return fmt::format("no demand; fleet {:.2f} %", 100 * zone.allocation);
  return fmt::format("demand {:.2f} %; fleet {:.2f} %, {:.2f} of that; served {:.1f} %", 100 * zone.demand,
                     100 * zone.allocation, zone.allocation / zone.demand, 100 * zone.served);
}

std::string map_of(const RunZones& one, const ZonePlaces& places) {
  plot::BubbleMap map{.title = one.run->label,
                      .description =
                          "Zones on a map: the area is the demand, the colour the share of the fleet "
                          "divided by that of the demand.",
                      .bubbles = {}};
  for (const auto& [zone, shares] : one.shares) {
    const auto place = places.by_zone.find(zone);
    if (place == places.by_zone.end()) continue;
    map.bubbles.push_back({.at = {place->second.lon, place->second.lat},
                           .size = shares.demand,
                           .strength = strength(shares),
                           .label = full_name(zone, places) + "; " + shares_text(shares)});
  }
  if (map.bubbles.empty()) return "";
  return fmt::format("<figure><figcaption><strong>{}</strong></figcaption>{}</figure>\n", escaped(one.run->label),
                     plot::bubble_map(map, 420));
}

std::string maps(const std::vector<RunZones>& all, const std::vector<std::string>& zones, const ZonePlaces& places) {
  std::string out = "<div class=\"charts\">";
  for (const RunZones& one : all) out += map_of(one, places);
  out += fmt::format(
      "</div>\n<p class=\"note scale-line\">Area: demand. Colour: share of the fleet / share of the demand: half or "
      "less {} twice or more.</p>\n",
      plot::bubble_scale());
  std::string missing;
  for (const std::string& zone : zones) {
    if (!places.by_zone.contains(zone)) missing += (missing.empty() ? "" : ", ") + zone;
  }
  if (!missing.empty())
    out +=
        fmt::format("<p class=\"note\">Not on the map, because they have no coordinates: {}.</p>\n", escaped(missing));
  return out;
}

std::string table_of(const std::vector<RunZones>& all, const std::vector<std::string>& zones,
                     const ZonePlaces& places) {
  ExactTable table{.file = "zones",
                   .text = "Fleet, demand and served rate of every zone, CSV",
                   .head = "zone",
                   .rows = zones,
                   .names = {}};
  if (!places.by_zone.empty()) {
    nlohmann::json names = nlohmann::json::array();
    std::vector<double> lon;
    std::vector<double> lat;
    lon.reserve(zones.size());
    lat.reserve(zones.size());
    for (const std::string& zone : zones) {
      const auto found = places.by_zone.find(zone);
      const bool known = found != places.by_zone.end();
      names.push_back(known ? nlohmann::json(found->second.name) : nlohmann::json());
      lon.push_back(known ? found->second.lon : std::nan(""));
      lat.push_back(known ? found->second.lat : std::nan(""));
    }
    table.names = {"name", "lon", "lat"};
    table.columns = {names, in_millionths(lon), in_millionths(lat)};
  }
  for (const RunZones& one : all) {
    for (const auto& [name, part] : {std::pair{"demand", &ZoneShares::demand},
                                     {"fleet", &ZoneShares::allocation},
                                     {"served_rate", &ZoneShares::served}}) {
      table.names.push_back(one.run->label + " " + name);
      table.columns.push_back(in_millionths(column(one, zones, part)));
    }
  }
  return exact_table(table);
}

}  // namespace

std::string zone_charts(const std::vector<RunRecord>& runs, const ZonePlaces& places) {
  std::vector<RunZones> all;
  std::string out;
  for (const RunRecord& run : runs) {
    RunZones one{.run = &run, .shares = shares_of(run)};
    if (one.shares.empty()) {
      out += fmt::format(
          "<p class=\"note\">{}: the run has no record of its zones (zones.csv of a seed); train it again.</p>\n",
          escaped(run.label));
    } else {
      all.push_back(std::move(one));
    }
  }
  if (all.empty()) return out;
  const std::vector<std::string> zones = ordered_zones(all);
  out = shares_by_zone(all, zones, places) + out;
  if (!places.by_zone.empty()) {
    if (std::ranges::none_of(zones, [&](const std::string& zone) { return places.by_zone.contains(zone); }))
      throw DataError(fmt::format("{}: has none of the zones of {} ({}, ...)", places.file,
                                  all.front().run->folder.string(), zones.front()));
    out += maps(all, zones, places);
  }
  return out + table_of(all, zones, places);
}

}  // namespace softradial::study
