#include "runs/run_files.hpp"

#include <string>

#include "files/durable_file.hpp"
#include "files/errors.hpp"
#include "files/json_text.hpp"

namespace softradial::study {

using nlohmann::json;

// The files of a folder may come from anywhere: reads one as JSON; the value is discarded if it is not JSON.
json read_json(const std::filesystem::path& file) { return parse_json_text(read_file(file, std::size_t{256} << 20)); }

json read_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kManifestFile;
  if (!std::filesystem::exists(file)) throw DataError(folder.string() + ": is no run: it has no manifest.json");
  json manifest = read_json(file);
  if (!manifest.is_object() || !manifest.value("schema", json()).is_string()) {
    throw DataError(file.string() + ": is no manifest of a run");
  }
  if (manifest["schema"] != kRunSchema) {
    throw DataError(file.string() + ": has the schema " + manifest["schema"].get<std::string>() + ", not " +
                    kRunSchema);
  }
  return manifest;
}

json read_report(const std::filesystem::path& folder) {
  json report = read_json(folder / kReportFile);
  if (!report.is_object() || !report.contains("trials"))
    throw DataError((folder / kReportFile).string() + ": is no report of a run");
  return report;
}

std::filesystem::path model_file(const std::filesystem::path& folder, std::uint64_t seed) {
  return seed_folder(folder, seed) / "model.safetensors";
}

std::filesystem::path seed_folder(const std::filesystem::path& folder, std::uint64_t seed) {
  return folder / ("seed-" + std::to_string(seed));
}

}  // namespace softradial::study
