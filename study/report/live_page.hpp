#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "report/zone_places.hpp"

namespace softradial::study {

// The report on a store or a folder of runs that grow while it is being read. It keeps one page and makes a new one when the
// files have changed. Several threads may use it at once.
class LivePage {
 public:
  // `source` is the store of a sweep, the folder of a run, or a folder with runs in it; `places` are for dispatch runs. Throws
  // DataError for anything else.
  explicit LivePage(std::filesystem::path source, ZonePlaces places = {});

  // Changes whenever the files do.
  [[nodiscard]] std::string version() const;
  // The page for the files as they are now. If nothing has finished yet, the page says so.
  [[nodiscard]] std::string html();

 private:
  [[nodiscard]] std::vector<std::filesystem::path> runs() const;

  std::filesystem::path source_;
  ZonePlaces places_;
  std::mutex mutex_;
  std::string made_for_;  // the version that html_ shows
  std::string html_;
};

// Whether a request names this machine as its host: "localhost", "127.0.0.1", "[::1]" or `own`, with or without a port. A page
// of another site can make a browser send requests here, but not under one of these names.
[[nodiscard]] bool is_own_host(const std::string& header, const std::string& own);

}  // namespace softradial::study
