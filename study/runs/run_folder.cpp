#include "runs/run_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "data/table_files.hpp"
#include "files/durable_file.hpp"
#include "files/errors.hpp"
#include "runs/provenance.hpp"
#include "runs/run_config.hpp"

namespace softradial::study {
namespace {

using nlohmann::json;

constexpr const char* kConfig = "config.toml";
constexpr const char* kLog = "log.txt";
constexpr const char* kTrial = "trial.json";
constexpr const char* kEnsemble = "ensemble";

std::string text_of(const json& value) {
  // A path may contain any bytes; JSON must not.
  return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string history_csv(std::span<const EpochRecord> history) {
  std::string text = "epoch,loss,validation\n";
  for (std::size_t k = 0; k < history.size(); ++k) {
    text += std::to_string(k + 1) + csv_numbers(Eigen::RowVector2d(history[k].loss, history[k].validation)) + "\n";
  }
  return text;
}

void write_records(const std::filesystem::path& folder, std::span<const Record> records) {
  for (const RecordFile& file : record_files(records)) write_file(folder / file.name, file.text);
}

}  // namespace

json run_identity(const json& manifest) {
  json identity = {{"schema", manifest.value("schema", "")}};
  for (const char* key : {"task", "config", "names", "set"}) identity[key] = manifest.value(key, json());
  if (identity["config"].is_object()) identity["config"].erase("seeds");
  identity["tuned"] = manifest.value("tuned", false);
  // Data are compared by their table, not by the place of the file.
  identity["data"] = manifest.value("data", json::object()).value("sha256", "");
  for (const char* key : {"prices", "demand"}) {
    if (identity["config"].is_object()) identity["config"].erase(key);
  }
  return identity;
}

std::string identity_difference(const json& saved, const json& wanted) {
  for (const auto& [key, value] : wanted.items()) {
    const json other = saved.value(key, json());
    if (other == value) continue;
    if (!value.is_object() || !other.is_object()) return key;
    for (const auto& [field, given] : value.items()) {
      if (other.value(field, json()) != given) return field;
    }
    return key;
  }
  return "";
}

RunFolder::RunFolder(std::filesystem::path folder, json manifest, RunStart start)
    : folder_(std::move(folder)),
      start_(start),
      manifest_(std::move(manifest)),
      lock_((make_folder(folder_), folder_)) {
  manifest_["schema"] = kRunSchema;
  if (start == RunStart::overwrite) {
    remove_run();
  } else if (std::filesystem::exists(folder_ / kManifestFile)) {
    const json saved = read_manifest(folder_);
    const std::string difference = identity_difference(run_identity(saved), run_identity(manifest_));
    const std::string place = folder_.string();
    if (!difference.empty()) {
      throw DataError(place + ": holds another run (its " +
                      (difference == "data" ? "data differ" : difference + " differs") +
                      "); choose another folder, or --overwrite");
    }
    if (start == RunStart::fresh) {
      if (saved.value("status", "") != "finished") {
        throw DataError(place +
                        ": holds a run of this configuration that is not finished; --resume goes on with it, "
                        "--overwrite begins again");
      }
      if (saved.value("seeds", json()) != manifest_.value("seeds", json())) {
        throw DataError(place +
                        ": holds this run with other seeds; --resume adds what is missing, --overwrite begins again");
      }
    }
  }
  manifest_["version"] = program_version();
  manifest_["machine"] = this_machine();
  manifest_["started"] = utc_now();
  log("begins: " + manifest_.value("task", "") + ", " + manifest_.at("config").value("method", "") +
      (start == RunStart::resume ? ", resumed" : ""));
  // An unusable folder ends the run here, before any training; later errors do not.
  try {
    write_file(folder_ / kManifestFile, manifest_text("running"));
  } catch (const WriteError& error) {
    keep_error(error.what());
  }
}

std::filesystem::path RunFolder::seed_folder(std::uint64_t seed) const { return study::seed_folder(folder_, seed); }

std::filesystem::path RunFolder::checkpoint_file(std::uint64_t seed) const {
  return seed_folder(seed) / "checkpoint.safetensors";
}

// Removes only the files that a run writes. Other files in the folder stay.
void RunFolder::remove_run() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    const std::string name = entry.path().filename();
    const bool is_seed = name.starts_with("seed-") && entry.is_directory() &&
                         std::ranges::all_of(name.substr(5), [](char c) { return c >= '0' && c <= '9'; });
    if (is_seed || name == kEnsemble || name == kReportFile || name == kConfig || name == kLog)
      found.push_back(entry.path());
  }
  // The manifest goes last but one: a process that is killed here leaves a folder that still says what it was.
  for (const auto& path : found) std::filesystem::remove_all(path);
  std::filesystem::remove(folder_ / kManifestFile);
}

std::optional<json> RunFolder::finished(std::uint64_t seed) {
  if (start_ != RunStart::resume) return std::nullopt;
  std::optional<json> trial = read_trial(seed);
  std::error_code ignored;
  if (trial) std::filesystem::remove(checkpoint_file(seed), ignored);
  return trial;
}

std::optional<json> RunFolder::read_trial(std::uint64_t seed) const {
  const std::filesystem::path file = seed_folder(seed) / kTrial;
  if (!std::filesystem::exists(file)) return std::nullopt;
  const json trial = read_json(file);
  if (!trial.is_object() || trial.value("seed", json()) != seed)
    throw DataError(file.string() + ": is no result of this seed");
  return std::make_optional(trial);
}

std::optional<Checkpoint> RunFolder::checkpoint(std::uint64_t seed) {
  const std::filesystem::path file = checkpoint_file(seed);
  attempt([&] { make_folder(file.parent_path()); });
  if (start_ != RunStart::resume || !std::filesystem::exists(file)) return std::nullopt;
  try {
    Checkpoint found = load_checkpoint(file);
    log("seed " + std::to_string(seed) + " goes on after epoch " + std::to_string(found.epoch));
    return found;
  } catch (const DataError& error) {
    // Files are renamed into place only when they are whole, so this damage is the disk's. The seed begins again.
    log(error.what());
    return std::nullopt;
  }
}

void RunFolder::save_interrupted(const PolicyFile& policy) {
  const std::filesystem::path file = model_file(folder_, policy.seed);
  log("seed " + std::to_string(policy.seed) + " interrupted after epoch " + std::to_string(policy.epochs));
  if (policy.epochs == 0 || std::filesystem::exists(seed_folder(policy.seed) / kTrial)) return;
  attempt([&] { save_policy(policy, file); });
}

void RunFolder::save_finished(const PolicyFile& policy, std::span<const EpochRecord> history,
                              std::span<const Record> records, const json& trial) {
  const std::filesystem::path folder = seed_folder(policy.seed);
  attempt([&] {
    make_folder(folder);
    write_file(folder / "history.csv", history_csv(history));
    write_records(folder, records);
    save_policy(policy, model_file(folder_, policy.seed));
    write_file(folder / kTrial, text_of(trial));
    std::error_code ignored;
    std::filesystem::remove(checkpoint_file(policy.seed), ignored);
  });
  log("seed " + std::to_string(policy.seed) + " finished after epoch " + std::to_string(policy.epochs));
  save_manifest("running");
}

void RunFolder::save_ensemble(std::span<const Record> records) {
  const std::filesystem::path folder = folder_ / kEnsemble;
  attempt([&] {
    make_folder(folder);
    write_records(folder, records);
  });
}

std::string RunFolder::manifest_text(const std::string& status) {
  manifest_["status"] = status;
  manifest_["changed"] = utc_now();
  json done = json::array();
  std::optional<std::uint64_t> best;
  double most = 0;
  for (const json& each : manifest_.at("seeds")) {
    const auto seed = each.get<std::uint64_t>();
    const std::optional<json> trial = read_trial(seed);
    if (!trial) continue;
    done.push_back(seed);
    const json value = trial->value("selection", json());
    if (value.is_number() && (!best || value.get<double>() > most)) {
      best = seed;
      most = value.get<double>();
    }
  }
  manifest_["finished_seeds"] = done;
  manifest_.erase("best_seed");
  manifest_.erase("best_validation");
  if (best) manifest_["best_validation"] = most;
  // If no validation is a number, the first seed is as good as any.
  if (!done.empty()) manifest_["best_seed"] = best ? json(*best) : done[0];
  return text_of(manifest_);
}

void RunFolder::save_manifest(const std::string& status) {
  const std::lock_guard lock(saving_);
  attempt([&] { write_file(folder_ / kManifestFile, manifest_text(status)); });
}

void RunFolder::save_report(const json& report, const std::string& toml) {
  const std::lock_guard lock(saving_);
  attempt([&] { write_file(folder_ / kReportFile, text_of(report)); });
  if (!toml.empty()) attempt([&] { write_file(folder_ / kConfig, toml); });
}

void RunFolder::attempt(const std::function<void()>& save) {
  try {
    save();
  } catch (const WriteError& error) {
    keep_error(error.what());
  } catch (const DataError& error) {
    keep_error(error.what());
  }
}

void RunFolder::keep_error(const std::string& what) {
  log(what);
  const std::lock_guard lock(mutex_);
  if (write_error_.empty()) write_error_ = what;
}

void RunFolder::log(const std::string& line) { append_to_log(folder_ / kLog, utc_now() + " " + line + "\n"); }

}  // namespace softradial::study
