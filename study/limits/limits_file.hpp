#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace softradial::study {

// Limits as people state them: as shares of 1, by name.
struct Limits {
  struct Group {
    std::string name;
    std::vector<std::string> members;
    std::optional<double> min;
    std::optional<double> max;
  };
  // The distance of the decision from a reference. Names that the reference leaves out have the share 0; without a reference
  // all shares are equal.
  struct Distance {
    double max;
    std::optional<std::map<std::string, double>> reference;
  };

  double cap = 1;
  double floor = 0;
  std::map<std::string, double> caps;
  std::map<std::string, double> floors;
  std::vector<Group> groups;
  std::optional<Distance> turnover;
  std::optional<Distance> tracking;
};

// Throws DataError for anything that is not a limit: "origin: groups.tech.max: expected ...".
[[nodiscard]] Limits parse_limits(const nlohmann::json& json, std::string_view origin);

// Reads a TOML or JSON document as JSON; duplicate keys are errors. Throws DataError, naming line and column.
[[nodiscard]] nlohmann::json parse_toml(std::string_view text, std::string_view origin);
[[nodiscard]] nlohmann::json parse_json(std::string_view text, std::string_view origin);

}  // namespace softradial::study
