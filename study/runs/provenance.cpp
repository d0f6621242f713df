#include "runs/provenance.hpp"

#include <sys/utsname.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace softradial::study {

std::string program_version() { return SOFTRADIAL_VERSION; }

nlohmann::json this_machine() {
  utsname names = {};
  uname(&names);
  std::string processor = names.machine;
  std::ifstream facts("/proc/cpuinfo");
  for (std::string line; std::getline(facts, line);) {
    if (line.starts_with("model name")) {
      processor = line.substr(line.find(':') + 2);
      break;
    }
  }
  return {{"processor", processor},
          {"cores", std::thread::hardware_concurrency()},
          {"system", std::string(names.sysname) + " " + names.release}};
}

std::string utc_now() {
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc = {};
  gmtime_r(&time, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace softradial::study
