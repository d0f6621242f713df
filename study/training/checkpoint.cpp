#include "training/checkpoint.hpp"

#include <ATen/ops/empty.h>
#include <torch/serialize/archive.h>

#include <algorithm>
#include <stdexcept>

namespace softradial::study {
namespace {

constexpr int64_t kFormat = 1;

at::Tensor tensor_of(const Eigen::VectorXd& values) {
  at::Tensor out = at::empty({values.size()}, at::kDouble);
  std::copy_n(values.data(), values.size(), out.data_ptr<double>());
  return out;
}

Eigen::VectorXd vector_of(const at::Tensor& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data_ptr<double>(), values.numel());
}

}  // namespace

void save_checkpoint(const Checkpoint& c, const std::filesystem::path& file) {
  std::filesystem::path part = file;
  part += ".part";
  try {
    torch::serialize::OutputArchive archive;
    archive.write("format", c10::IValue(kFormat));
    archive.write("config", c10::IValue(c.config));
    archive.write("epoch", c10::IValue(c.epoch));
    archive.write("best_epoch", c10::IValue(c.best_epoch));
    archive.write("best_metric", c10::IValue(c.best_metric));
    archive.write("parameters", c.parameters);
    archive.write("best_parameters", c.best_parameters.defined() ? c.best_parameters : c.parameters);
    archive.write("first_moment", c.optimizer.first_moment);
    archive.write("second_moment", c.optimizer.second_moment);
    archive.write("optimizer_steps", c10::IValue(c.optimizer.steps));
    archive.write("generator_state", c.generator_state);
    archive.write("feature_mean", tensor_of(c.standardisation.mean));
    archive.write("feature_scale", tensor_of(c.standardisation.scale));
    archive.save_to(part.string());
    std::filesystem::rename(part, file);
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw std::runtime_error("cannot write the checkpoint " + file.string() + ": " + error.what());
  }
}

Checkpoint load_checkpoint(const std::filesystem::path& file) {
  try {
    torch::serialize::InputArchive archive;
    archive.load_from(file.string());
    const auto value = [&](const std::string& key) {
      c10::IValue out;
      archive.read(key, out);
      return out;
    };
    const auto tensor = [&](const std::string& key) {
      at::Tensor out;
      archive.read(key, out);
      return out;
    };
    const int64_t format = value("format").toInt();
    if (format != kFormat) throw std::runtime_error("format " + std::to_string(format) + " is not known");
    Checkpoint c;
    c.config = value("config").toStringRef();
    c.epoch = value("epoch").toInt();
    c.best_epoch = value("best_epoch").toInt();
    c.best_metric = value("best_metric").toDouble();
    c.parameters = tensor("parameters");
    c.best_parameters = tensor("best_parameters");
    c.optimizer = {tensor("first_moment"), tensor("second_moment"), value("optimizer_steps").toInt()};
    c.generator_state = tensor("generator_state");
    c.standardisation = {vector_of(tensor("feature_mean")), vector_of(tensor("feature_scale"))};
    return c;
  } catch (const std::exception& error) {
    const std::string what = error.what();
    throw std::runtime_error("cannot read the checkpoint " + file.string() + ": " + what.substr(0, what.find('\n')));
  }
}

}  // namespace softradial::study
