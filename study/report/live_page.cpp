#include "report/live_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/errors.hpp"
#include "report/report.hpp"
#include "runs/run_files.hpp"

namespace softradial::study {
namespace {

// Asks every two seconds whether something has changed, and loads the page again if so; the browser keeps its place.
constexpr const char* kScript = R"js(
setInterval(async () => {
  try {
    const answer = await fetch('version', {cache: 'no-store'});
    if (answer.ok && await answer.text() !== document.querySelector('meta[name=version]').content) location.reload();
  } catch {
    // The server has ended: the page stays as it is.
  }
}, 2000);
)js";

std::string stamp(const std::filesystem::path& file) {
  std::error_code missing;
  const auto time = std::filesystem::last_write_time(file, missing);
  if (missing) return "-";
  const auto size = std::filesystem::is_regular_file(file) ? std::filesystem::file_size(file, missing) : 0;
  return fmt::format("{}.{}", time.time_since_epoch().count(), size);
}

}  // namespace

LivePage::LivePage(std::filesystem::path source, ZonePlaces places)
    : source_(std::move(source)), places_(std::move(places)) {
  if (is_store(source_)) {
    if (places_.by_zone.empty()) return;
    throw DataError(places_.file + ": zones are those of runs of dispatch, and " + source_.string() +
                    " is the store of a sweep");
  }
  if (std::filesystem::is_directory(source_)) return;
  throw DataError(source_.string() + ": is neither the store of a sweep nor a folder of runs");
}

std::vector<std::filesystem::path> LivePage::runs() const {
  if (std::filesystem::exists(source_ / kManifestFile)) return {source_};
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(source_)) {
    if (std::filesystem::exists(entry.path() / kManifestFile)) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::string LivePage::version() const {
  if (!std::filesystem::is_directory(source_)) return stamp(source_) + "-" + stamp(source_.string() + "-wal");
  std::string out = "runs-";
  for (const auto& run : runs()) out += stamp(run / kManifestFile) + "-";
  return out;
}

std::string LivePage::html() {
  const std::scoped_lock lock(mutex_);
  const std::string now = version();
  if (now == made_for_) return html_;
  Page page{.title = "softradial", .lead = "Nothing has finished yet.", .sections = {}, .head = {}, .script = {}};
  if (!std::filesystem::is_directory(source_)) {
    ResultsStore store(source_, SqliteFile::Access::read);
    page = report_of(store);
  } else {
    std::vector<RunRecord> records;
    for (const auto& run : runs()) {
      try {
        records.push_back(read_run(run));
      } catch (const DataError&) {
        continue;  // no seed has finished yet
      }
    }
    // The page shows one task at a time: that of the first run.
    std::erase_if(records, [task = records.empty() ? "" : records.front().task()](const RunRecord& run) {
      return run.task() != task;
    });
    if (!records.empty()) page = report_of(std::move(records), places_);
  }
  page.head = fmt::format("<meta name=\"version\" content=\"{}\">\n", now);
  page.script = kScript;
  html_ = html_of(page);
  made_for_ = now;
  return html_;
}

bool is_own_host(const std::string& header, const std::string& own) {
  std::string host = header;
  // "[::1]:80" ends at its bracket, "localhost:80" at its colon.
  if (const std::size_t bracket = host.find(']'); bracket != std::string::npos) {
    host.resize(bracket + 1);
  } else if (const std::size_t colon = host.find(':'); colon != std::string::npos) {
    host.resize(colon);
  }
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]" || host == own;
}

}  // namespace softradial::study
