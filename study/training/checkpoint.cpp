#include "training/checkpoint.hpp"

#include <cstring>
#include <string>

#include "files/durable_file.hpp"
#include "files/errors.hpp"
#include "files/safetensors.hpp"
#include "training/tensor_arrays.hpp"

namespace softradial::study {
namespace {

constexpr const char* kFormat = "softradial.checkpoint/1";
constexpr int64_t kHistoryColumns = 2;

// The scalar numbers of a checkpoint, all in one array, so that they keep every bit.
constexpr const char* kNumbers = "numbers";
constexpr int64_t kEpoch = 0;
constexpr int64_t kBestEpoch = 1;
constexpr int64_t kBestMetric = 2;
constexpr int64_t kSteps = 3;
constexpr int64_t kNumberCount = 4;

// Unlike weights, the losses and metrics of a history may be infinite or NaN: a Sharpe ratio of constant returns is not
// finite. They are stored as bytes, which the reader does not check.
NamedArray history_array(const std::vector<EpochRecord>& history) {
  NamedArray array{"history", Dtype::u8, {std::ssize(history), kHistoryColumns * int64_t{sizeof(double)}}, {}};
  array.bytes.resize(history.size() * sizeof(EpochRecord));
  if (!history.empty()) std::memcpy(array.bytes.data(), history.data(), array.bytes.size());
  return array;
}
static_assert(sizeof(EpochRecord) == kHistoryColumns * sizeof(double));

std::vector<EpochRecord> history_of(const NamedArray& array, int64_t epochs) {
  if (array.dtype != Dtype::u8 || array.shape != std::vector<int64_t>{epochs, sizeof(EpochRecord)}) {
    throw DataError("the history does not have " + std::to_string(epochs) + " epochs");
  }
  std::vector<EpochRecord> history(static_cast<size_t>(epochs));
  if (epochs > 0) std::memcpy(history.data(), array.bytes.data(), array.bytes.size());
  return history;
}

int64_t count_of(double value) {
  constexpr double kMost = 0x1p53;
  if (!(value >= 0 && value < kMost) || value != static_cast<double>(static_cast<int64_t>(value))) {
    throw DataError("a count is " + std::to_string(value));
  }
  return static_cast<int64_t>(value);
}

Checkpoint read(const TensorFile& file) {
  if (file.text("format") != kFormat) throw DataError("is no checkpoint of a training: format " + file.text("format"));
  const auto tensor = [&](const char* name) { return to_tensor(file.array(name)); };
  const Eigen::VectorXd numbers = to_vector(file.array(kNumbers));
  if (numbers.size() != kNumberCount) throw DataError("the numbers of the training are missing");
  Checkpoint c;
  c.config = file.text("config");
  c.epoch = count_of(numbers[kEpoch]);
  c.best_epoch = count_of(numbers[kBestEpoch]);
  c.best_metric = numbers[kBestMetric];
  c.history = history_of(file.array("history"), c.epoch);
  c.parameters = tensor("parameters");
  c.best_parameters = tensor("best_parameters");
  c.optimizer = {tensor("first_moment"), tensor("second_moment"), count_of(numbers[kSteps])};
  c.generator_state = tensor("generator_state");
  c.standardisation = {to_vector(file.array("features.mean")), to_vector(file.array("features.scale"))};
  const auto fits = [&](const at::Tensor& other) {
    return other.sizes() == c.parameters.sizes() && other.scalar_type() == c.parameters.scalar_type();
  };
  if (c.parameters.dim() != 1 || !fits(c.best_parameters) || !fits(c.optimizer.first_moment) ||
      !fits(c.optimizer.second_moment) || c.generator_state.scalar_type() != at::kByte || c.best_epoch > c.epoch) {
    throw DataError("its parts do not fit together");
  }
  return c;
}

}  // namespace

std::string checkpoint_bytes(const Checkpoint& c) {
  Eigen::VectorXd numbers(kNumberCount);
  numbers << static_cast<double>(c.epoch), static_cast<double>(c.best_epoch), c.best_metric,
      static_cast<double>(c.optimizer.steps);
  TensorFile out;
  out.metadata = {{"format", kFormat}, {"config", c.config}};
  out.arrays = {to_array(kNumbers, numbers),
                history_array(c.history),
                to_array("parameters", c.parameters),
                to_array("best_parameters", c.best_parameters.defined() ? c.best_parameters : c.parameters),
                to_array("first_moment", c.optimizer.first_moment),
                to_array("second_moment", c.optimizer.second_moment),
                to_array("generator_state", c.generator_state),
                to_array("features.mean", c.standardisation.mean),
                to_array("features.scale", c.standardisation.scale)};
  return to_safetensors(out);
}

void save_checkpoint(const Checkpoint& c, const std::filesystem::path& file) { write_file(file, checkpoint_bytes(c)); }

Checkpoint parse_checkpoint(std::string_view bytes) { return read(parse_safetensors(bytes)); }

Checkpoint load_checkpoint(const std::filesystem::path& file) {
  const TensorFile in = read_safetensors(file);
  try {
    return read(in);
  } catch (const DataError& error) {
    throw DataError(file.string() + ": " + error.what());
  }
}

}  // namespace softradial::study
