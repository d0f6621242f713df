#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/page.hpp"
#include "report/run_record.hpp"
#include "report/zone_places.hpp"
#include "sweep/results_store.hpp"

namespace softradial::study {

// A page about runs of one task; for dispatch, with a map if there are places of zones. Throws DataError if the tasks differ,
// or if places are given and none belongs to a zone.
[[nodiscard]] Page report_of(std::vector<RunRecord> runs, const ZonePlaces& places = {});

// A page about the store of a sweep.
[[nodiscard]] Page report_of(ResultsStore& store);

// Whether the path is a store, judged by its first bytes. The folder of a run and any other file are not.
[[nodiscard]] bool is_store(const std::filesystem::path& path);

// The parts of a report that belong to one task.
[[nodiscard]] std::vector<Section> portfolio_sections(const std::vector<RunRecord>& runs);
[[nodiscard]] std::vector<Section> dispatch_sections(const std::vector<RunRecord>& runs, const ZonePlaces& places);

}  // namespace softradial::study
