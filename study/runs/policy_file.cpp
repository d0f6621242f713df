#include "runs/policy_file.hpp"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <charconv>

#include "files/durable_file.hpp"
#include "files/errors.hpp"
#include "files/json_text.hpp"
#include "runs/run_folder.hpp"
#include "softradial/set_json.hpp"
#include "training/tensor_arrays.hpp"

namespace softradial::study {
namespace {

constexpr const char* kFormat = "softradial.policy/1";
constexpr const char* kMean = "features.mean";
constexpr const char* kScale = "features.scale";

template <class Number>
Number number(const TensorFile& file, const char* key) {
  const std::string& text = file.text(key);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) throw DataError(std::string(key) + " is no number");
  return value;
}

PolicyFile read(const TensorFile& file) {
  if (file.text("format") != kFormat) throw DataError("is no policy: format '" + file.text("format") + "'");
  PolicyFile policy;
  policy.task = file.text("task");
  policy.config = parse_json_text(file.text("config"));
  if (!policy.config.is_object()) throw DataError("holds no configuration of a run");
  policy.seed = number<std::uint64_t>(file, "seed");
  policy.epochs = number<std::int64_t>(file, "epochs");
  policy.is_finished = file.text("finished") == "true";
  std::vector<at::Tensor> parts;
  // The arrays of the file are in the order of the model's parameters.
  for (const NamedArray& array : file.arrays) {
    if (array.name == kMean || array.name == kScale) continue;
    if (array.dtype == Dtype::u8) throw DataError("the array '" + array.name + "' has no numbers");
    policy.shapes.push_back({array.name, array.shape});
    parts.push_back(to_tensor(array).view({-1}));
    if (parts.back().scalar_type() != parts[0].scalar_type()) throw DataError("the arrays have different types");
  }
  if (parts.empty()) throw DataError("has no parameters");
  policy.parameters = at::cat(parts);
  policy.standardisation = {to_vector(file.array(kMean)), to_vector(file.array(kScale))};
  return policy;
}

}  // namespace

std::vector<std::string> PolicyFile::names() const {
  try {
    return config.at("names").get<std::vector<std::string>>();
  } catch (const nlohmann::json::exception&) {
    throw DataError("the model does not name its assets or zones");
  }
}

Set PolicyFile::set() const {
  if (!config.contains("set")) throw DataError("the model does not hold its set");
  return parse_set(config["set"].dump());
}

void PolicyFile::give_to(const Parameters& model) const {
  const auto same = [](const ParameterShape& a, const ParameterShape& b) {
    return a.name == b.name && a.shape == b.shape;
  };
  if (!std::ranges::equal(model.shapes(), shapes, same) || model.values().scalar_type() != parameters.scalar_type()) {
    throw DataError("its parameters are not those of a model of this configuration");
  }
  model.assign(parameters);
}

void save_policy(const PolicyFile& policy, const std::filesystem::path& file) {
  TensorFile out;
  out.metadata = {{"format", kFormat},
                  {"task", policy.task},
                  {"config", policy.config.dump()},
                  {"seed", std::to_string(policy.seed)},
                  {"epochs", std::to_string(policy.epochs)},
                  {"finished", policy.is_finished ? "true" : "false"}};
  int64_t at = 0;
  for (const ParameterShape& shape : policy.shapes) {
    int64_t count = 1;
    for (const int64_t size : shape.shape) count *= size;
    out.arrays.push_back(to_array(shape.name, policy.parameters.narrow(0, at, count).view(shape.shape)));
    at += count;
  }
  out.arrays.push_back(to_array(kMean, policy.standardisation.mean));
  out.arrays.push_back(to_array(kScale, policy.standardisation.scale));
  write_file(file, to_safetensors(out));
}

PolicyFile load_policy(const std::filesystem::path& file) {
  const TensorFile in = read_safetensors(file);
  try {
    return read(in);
  } catch (const DataError& error) {
    throw DataError(file.string() + ": " + error.what());
  }
}

ModelChoice choose_model(const std::filesystem::path& path, std::optional<std::uint64_t> seed) {
  if (!std::filesystem::exists(path)) throw DataError(path.string() + ": no such file or folder");
  if (!std::filesystem::is_directory(path)) {
    if (seed) throw DataError(path.string() + ": is one model; a seed chooses from the folder of a run");
    return {path, path.string()};
  }
  const nlohmann::json manifest = read_manifest(path);
  const auto done = manifest.value("finished_seeds", std::vector<std::uint64_t>{});
  if (seed) {
    const std::filesystem::path file = model_file(path, *seed);
    if (!std::filesystem::exists(file)) {
      throw DataError(path.string() + ": has no trained model for seed " + std::to_string(*seed));
    }
    return {file, "seed " + std::to_string(*seed)};
  }
  if (done.empty()) {
    // No seed has finished. The model of an interrupted training is better than none, and the reason says so.
    const auto begun = manifest.value("seeds", std::vector<std::uint64_t>{});
    const auto found = std::ranges::find_if(begun, [&](std::uint64_t s) { return exists(model_file(path, s)); });
    if (found == begun.end()) throw DataError(path.string() + ": no training has ended in this run");
    return {model_file(path, *found), "seed " + std::to_string(*found) + ", whose training was interrupted"};
  }
  const auto best = manifest.at("best_seed").get<std::uint64_t>();
  std::string reason = "seed " + std::to_string(best);
  if (done.size() > 1) reason += ", the best of " + std::to_string(done.size()) + " on validation";
  return {model_file(path, best), reason};
}

}  // namespace softradial::study
