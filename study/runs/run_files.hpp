#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

// Reading the folder of a run (docs/runs.md).
namespace softradial::study {

inline constexpr const char* kRunSchema = "softradial.run/1";
inline constexpr const char* kManifestFile = "manifest.json";
inline constexpr const char* kReportFile = "result.json";

// The files of a folder may come from anywhere: a file that is not JSON gives a discarded value. Throws DataError if the file
// cannot be read.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& file);
// Throws DataError if the folder has no readable manifest.
[[nodiscard]] nlohmann::json read_manifest(const std::filesystem::path& folder);
// The saved report of a run. Throws DataError.
[[nodiscard]] nlohmann::json read_report(const std::filesystem::path& folder);
[[nodiscard]] std::filesystem::path seed_folder(const std::filesystem::path& folder, std::uint64_t seed);
[[nodiscard]] std::filesystem::path model_file(const std::filesystem::path& folder, std::uint64_t seed);

}  // namespace softradial::study
