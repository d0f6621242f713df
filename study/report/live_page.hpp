#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "report/zone_places.hpp"

namespace softradial::study {

// The report on a store or on a folder of runs that grow while it is looked at. It keeps one page, and makes another when the
// files have changed. Several threads may ask at once.
class LivePage {
 public:
  // `source` is a store of a sweep, the folder of a run, or a folder with runs in it; `places` are for runs of dispatch. Throws
  // DataError for anything else.
  explicit LivePage(std::filesystem::path source, ZonePlaces places = {});

  // Changes whenever the files do.
  [[nodiscard]] std::string version() const;
  // The page as the files are now; one that says so if nothing has finished yet.
  [[nodiscard]] std::string html();

 private:
  [[nodiscard]] std::vector<std::filesystem::path> runs() const;

  std::filesystem::path source_;
  ZonePlaces places_;
  std::mutex mutex_;
  std::string made_for_;  // the version of html_
  std::string html_;
};

// Whether a request names this machine as its host: "localhost", "127.0.0.1", "[::1]" or `own`, with or without a port. A page
// of another site can make a browser ask here, but not under one of these names.
[[nodiscard]] bool is_own_host(const std::string& header, const std::string& own);

}  // namespace softradial::study
