#include "data/synthetic_demand.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "data/random.hpp"

namespace softradial::study {

namespace {

using namespace std::chrono;

constexpr local_seconds kFirstHour = local_days(2024y / January / 1);
constexpr local_seconds kEnd = local_days(2024y / July / 1);
constexpr double kRequestsPerHour = 4300;
constexpr double kGammaShape = 12;
constexpr double kCityPersistence = 0.99;
constexpr double kZonePersistence = 0.95;
constexpr double kCitySwing = 0.10;
constexpr double kZoneSwing = 0.15;

using Day = std::array<double, 24>;

// Weights by hour of the day, 0 to 23.
constexpr Day kWorkWeekday = {4,  2,  1,  1,   2,   8,   30,  70,  100, 95, 85, 85,
                              90, 90, 95, 100, 110, 125, 130, 105, 80,  60, 40, 15};
constexpr Day kWorkWeekend = {10, 6,  4,  3,  3,  5,  10, 18, 28, 38, 46, 50,
                              54, 54, 54, 52, 52, 54, 52, 44, 36, 30, 24, 16};
constexpr Day kLeisureWeekday = {35, 20, 12, 8,  6,  6,  14, 28,  40,  42,  44, 50,
                                 56, 56, 58, 60, 64, 76, 92, 104, 108, 104, 92, 64};
constexpr Day kLeisureWeekend = {110, 96, 80, 60, 36, 14, 12, 18,  28,  44,  58,  70,
                                 78,  80, 80, 80, 82, 88, 98, 110, 112, 112, 116, 118};

double weekly_mean(const Day& weekday_weights, const Day& weekend_weights) {
  double sum = 0;
  for (std::size_t h = 0; h < 24; ++h) sum += 5 * weekday_weights[h] + 2 * weekend_weights[h];
  return sum / (7 * 24);
}

// The weekend lasts from Friday 18 h to Sunday 18 h.
bool is_weekend(local_seconds hour) {
  const weekday shifted(floor<days>(hour + hours(6)));
  return shifted == Saturday || shifted == Sunday;
}

double next_state(double state, double persistence, Random& random) {
  return persistence * state + std::sqrt(1 - persistence * persistence) * random.normal();
}

// Draws the sizes A_z. The shuffle decides which zone has which rank.
std::vector<double> zone_sizes(Random& random) {
  std::vector<double> sizes(kSyntheticZones);
  double sum = 0;
  for (std::size_t z = 0; z < sizes.size(); ++z) {
    sizes[z] = portable_exp(-1.2 * portable_log(static_cast<double>(z) + 6));
    sum += sizes[z];
  }
  for (double& size : sizes) size *= kRequestsPerHour / sum;
  for (std::size_t z = sizes.size() - 1; z > 0; --z) std::swap(sizes[z], sizes[random.bits() % (z + 1)]);
  return sizes;
}

}  // namespace

DemandTable generate_demand(std::uint64_t seed) {
  DemandTable table;
  for (local_seconds hour = kFirstHour; hour < kEnd; hour += hours(1)) table.hours.push_back(hour);
  Random city_random(seed, 0);
  const std::vector<double> sizes = zone_sizes(city_random);
  std::vector<double> city(table.hours.size());
  double c = city_random.normal();
  for (double& state : city) state = std::exchange(c, next_state(c, kCityPersistence, city_random));

  const double work_scale = 1 / weekly_mean(kWorkWeekday, kWorkWeekend);
  const double leisure_scale = 1 / weekly_mean(kLeisureWeekday, kLeisureWeekend);
  table.demand.resize(static_cast<Eigen::Index>(table.hours.size()), static_cast<Eigen::Index>(kSyntheticZones));
  for (std::size_t z = 0; z < kSyntheticZones; ++z) {
    char name[24];
    std::snprintf(name, sizeof name, "Z%03zu", z + 1);
    table.zones.emplace_back(name);
    Random random(seed, 1000 + z);
    const double work_share = random.uniform();
    double y = random.normal();
    for (std::size_t t = 0; t < table.hours.size(); ++t) {
      const auto h = static_cast<std::size_t>(floor<hours>(table.hours[t] - floor<days>(table.hours[t])).count());
      const bool weekend = is_weekend(table.hours[t]);
      const double work = work_scale * (weekend ? kWorkWeekend : kWorkWeekday)[h];
      const double leisure = leisure_scale * (weekend ? kLeisureWeekend : kLeisureWeekday)[h];
      const double lambda = sizes[z] * (work_share * work + (1 - work_share) * leisure) *
                            portable_exp(kCitySwing * city[t] + kZoneSwing * y);
      table.demand(static_cast<Eigen::Index>(t), static_cast<Eigen::Index>(z)) =
          random.poisson(lambda * random.gamma_of_mean_one(kGammaShape));
      y = next_state(y, kZonePersistence, random);
    }
  }
  return table;
}

}  // namespace softradial::study
