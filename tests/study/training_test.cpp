#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "study/instruction_sets.hpp"
#include "study/synthetic_tables.hpp"
#include "tasks/portfolio_task.hpp"
#include "tasks/trial.hpp"
#include "training/adam.hpp"
#include "training/train.hpp"

namespace softradial::study {
namespace {

using torch::Tensor;

DecisionLayer softmax(int64_t n) {
  return {[](const Tensor& u, bool) { return torch::softmax(u, -1); }, n, n};
}

PortfolioTask small_task(double dropout = 0.2) {
  const PriceTable prices = prices_with_signal(260, 4, 5, 1);
  return {make_portfolio_data(prices, {prices.dates[160], prices.dates[210]}, 4),
          {.hidden = 6, .dropout = dropout, .batch = 16},
          softmax(4)};
}

class Folder : public ::testing::Test {
 protected:
  Folder()
      : path(std::filesystem::path(::testing::TempDir()) /
             ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Folder() override { std::filesystem::remove_all(path); }
  const std::filesystem::path path;
};
using CheckpointFile = Folder;
using Training = Folder;

void expect_adam_like_torch() {
  for (const auto dtype : {torch::kFloat, torch::kDouble}) {
    const Parameters parameters({{"a", {7, 5}}, {"b", {3}}}, dtype);
    const Tensor start = torch::linspace(-1, 1, 38, dtype);
    parameters.assign(start);
    Tensor reference = start.clone().requires_grad_();
    torch::optim::Adam theirs({reference}, torch::optim::AdamOptions(0.01));
    Adam ours(parameters, {.learning_rate = 0.01});
    const double tolerance = 100 * (dtype == torch::kFloat ? 0x1p-24 : 0x1p-53);  // one rounding a step, 50 steps
    for (int k = 1; k <= 50; ++k) {
      const Tensor gradient = torch::sin(k * torch::arange(38, dtype)) * std::pow(10.0, k % 7 - 3);
      parameters.gradients().copy_(gradient);
      reference.mutable_grad() = gradient;
      theirs.step();
      ours.step();
      ASSERT_LT((parameters.values() - reference.detach()).abs().max().item<double>(), tolerance) << "step " << k;
    }
  }
}

TEST(Adam, EqualsTorch) { on_every_instruction_set(expect_adam_like_torch); }

TEST(Adam, RejectsWhatCannotLearn) {
  const Parameters parameters({{"a", {2}}}, torch::kFloat);
  EXPECT_THROW(Adam(parameters, {.learning_rate = 0}), std::invalid_argument);
  EXPECT_THROW(Adam(parameters, {.learning_rate = std::nan("")}), std::invalid_argument);
  EXPECT_THROW(parameters.assign(torch::zeros({3})), std::invalid_argument);
}

TEST_F(Training, TheSeedDecidesEveryBit) {
  at::set_num_threads(1);
  const auto run = [](uint64_t seed) {
    PortfolioTask task = small_task();
    return train(task, {.epochs = 4, .seed = seed});
  };
  const TrainingResult a = run(1);
  torch::manual_seed(99);  // nothing looks at the global generator
  const TrainingResult b = run(1);
  const TrainingResult c = run(2);
  EXPECT_TRUE(torch::equal(a.checkpoint.parameters, b.checkpoint.parameters));
  EXPECT_TRUE(torch::equal(a.checkpoint.best_parameters, b.checkpoint.best_parameters));
  EXPECT_EQ(a.best_metric, b.best_metric);
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_FALSE(torch::equal(a.checkpoint.parameters, c.checkpoint.parameters));
}

TEST_F(Training, LeavesTheBestEpochInTheTask) {
  PortfolioTask task = small_task();
  std::vector<Progress> seen;
  const TrainingResult result = train(task, {.epochs = 6, .adam = {.learning_rate = 0.05}},
                                      {.progress = [&](const Progress& p) { seen.push_back(p); }});
  ASSERT_EQ(seen.size(), 6U);
  double best = -std::numeric_limits<double>::infinity();
  int64_t best_epoch = 0;
  for (const Progress& p : seen) {
    if (p.validation > best) {
      best = p.validation;
      best_epoch = p.epoch;
    }
    EXPECT_EQ(p.best_validation, best);
    EXPECT_EQ(p.epochs, 6);
  }
  EXPECT_EQ(seen.back().seconds_left, 0);
  EXPECT_EQ(result.best_epoch, best_epoch);
  EXPECT_EQ(result.best_metric, best);
  EXPECT_EQ(task.validation_metric(), best);
}

TEST_F(Training, PatienceEndsIt) {
  PortfolioTask task = small_task();
  // Such a rate only gets worse after a few epochs.
  const TrainingResult result = train(task, {.epochs = 500, .adam = {.learning_rate = 0.2}, .patience = 3});
  EXPECT_EQ(result.end, TrainingEnd::no_gain);
  EXPECT_EQ(result.epochs, result.best_epoch + 3);
}

TEST_F(Training, AStopLeavesARunThatGoesOnAsIfNothingHadHappened) {
  const std::filesystem::path file = path / "run.safetensors";
  TrainingOptions options{.epochs = 6, .seed = 5, .checkpoint = file, .config = "lookback = 4"};
  PortfolioTask whole_task = small_task();
  const TrainingResult whole = train(whole_task, options);
  EXPECT_EQ(whole.end, TrainingEnd::finished);

  // The flag is set while the third epoch is under way: by the layer, in the middle of a batch.
  std::atomic<bool> stop = false;
  int calls = 0;
  const PriceTable prices = prices_with_signal(260, 4, 5, 1);
  DecisionLayer layer = softmax(4);
  layer.apply = [&](const Tensor& u, bool training) {
    if (training && ++calls == 22) stop = true;
    return torch::softmax(u, -1);
  };
  PortfolioTask task(make_portfolio_data(prices, {prices.dates[160], prices.dates[210]}, 4),
                     {.hidden = 6, .dropout = 0.2, .batch = 16}, layer);
  const TrainingResult stopped = train(task, options, {.stop = &stop});
  EXPECT_EQ(stopped.end, TrainingEnd::interrupted);
  EXPECT_EQ(stopped.epochs, 2);

  const Checkpoint checkpoint = load_checkpoint(file);
  EXPECT_EQ(checkpoint.epoch, 2);
  EXPECT_EQ(checkpoint.config, "lookback = 4");
  PortfolioTask again = small_task();
  const TrainingResult resumed = train(again, options, {}, &checkpoint);
  EXPECT_EQ(resumed.epochs, 6);
  EXPECT_TRUE(torch::equal(resumed.checkpoint.parameters, whole.checkpoint.parameters));
  EXPECT_TRUE(torch::equal(resumed.checkpoint.best_parameters, whole.checkpoint.best_parameters));
  EXPECT_EQ(resumed.best_epoch, whole.best_epoch);
  EXPECT_EQ(resumed.checkpoint.history, whole.checkpoint.history);
}

TEST_F(Training, AStopBeforeTheFirstEpochIsUsable) {
  const std::atomic<bool> stop = true;
  PortfolioTask task = small_task();
  const TrainingResult result = train(task, {.epochs = 3, .checkpoint = path / "run.safetensors"}, {.stop = &stop});
  EXPECT_EQ(result.epochs, 0);
  EXPECT_TRUE(torch::equal(load_checkpoint(path / "run.safetensors").model(), result.checkpoint.parameters));
}

TEST_F(Training, ALossThatIsNotFiniteEndsIt) {
  int calls = 0;
  const PriceTable prices = prices_with_signal(260, 4, 5, 1);
  DecisionLayer layer = softmax(4);
  layer.apply = [&](const Tensor& u, bool training) {
    return torch::softmax(u, -1) * (training && ++calls > 12 ? std::nan("") : 1.0);
  };
  PortfolioTask task(make_portfolio_data(prices, {prices.dates[160], prices.dates[210]}, 4), {.hidden = 6, .batch = 16},
                     layer);
  const TrainingResult result = train(task, {.epochs = 5});
  EXPECT_EQ(result.end, TrainingEnd::diverged);
  EXPECT_EQ(result.epochs, 1);
  EXPECT_TRUE(task.parameters().values().isfinite().all().item<bool>());
}

TEST_F(CheckpointFile, RoundTrip) {
  const std::filesystem::path file = path / "model.safetensors";
  PortfolioTask task = small_task();
  const Checkpoint saved =
      train(task, {.epochs = 2, .seed = 3, .checkpoint = file, .config = "a = 1\nb = \"x\"\n"}).checkpoint;
  const Checkpoint loaded = load_checkpoint(file);
  EXPECT_EQ(loaded.config, saved.config);
  EXPECT_EQ(loaded.epoch, saved.epoch);
  EXPECT_EQ(loaded.history, saved.history);
  EXPECT_EQ(loaded.history.size(), 2U);
  EXPECT_EQ(loaded.best_epoch, saved.best_epoch);
  EXPECT_EQ(loaded.best_metric, saved.best_metric);
  EXPECT_TRUE(torch::equal(loaded.parameters, saved.parameters));
  EXPECT_TRUE(torch::equal(loaded.best_parameters, saved.best_parameters));
  EXPECT_TRUE(torch::equal(loaded.optimizer.first_moment, saved.optimizer.first_moment));
  EXPECT_TRUE(torch::equal(loaded.optimizer.second_moment, saved.optimizer.second_moment));
  EXPECT_EQ(loaded.optimizer.steps, saved.optimizer.steps);
  EXPECT_TRUE(torch::equal(loaded.generator_state, saved.generator_state));
  EXPECT_TRUE(loaded.standardisation.mean == saved.standardisation.mean);
  EXPECT_TRUE(loaded.standardisation.scale == saved.standardisation.scale);

  // A saved model on new data decides with the statistics that it was trained with.
  PriceTable prices = prices_with_signal(260, 4, 5, 1);
  const PortfolioData data = make_portfolio_data(prices, {prices.dates[1], prices.dates[1]}, 4, loaded.standardisation);
  PortfolioTask fresh(data, {.hidden = 6}, softmax(4));
  fresh.parameters().assign(loaded.model());
  EXPECT_TRUE(torch::equal(fresh.weights(task.splits().test), task.weights(task.splits().test)));
}

TEST_F(CheckpointFile, ErrorsNameTheFile) {
  const auto message = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message([&] { load_checkpoint(path / "missing.safetensors"); }).find("missing.safetensors"),
            std::string::npos);
  std::ofstream(path / "broken.safetensors") << "not an archive";
  EXPECT_NE(message([&] { load_checkpoint(path / "broken.safetensors"); }).find("broken.safetensors"),
            std::string::npos);
  PortfolioTask task = small_task();
  // A folder that is not there ends no training; the result says which file is missing.
  const TrainingResult nowhere = train(task, {.epochs = 0, .checkpoint = path / "no" / "where.safetensors"});
  EXPECT_NE(nowhere.write_error.find("where.safetensors"), std::string::npos) << nowhere.write_error;
}

TEST_F(CheckpointFile, DoesNotFitAnotherModel) {
  PortfolioTask task = small_task();
  const Checkpoint checkpoint = train(task, {.epochs = 1}).checkpoint;
  const PriceTable prices = random_prices(260, 5, 1);
  PortfolioTask other(make_portfolio_data(prices, {prices.dates[160], prices.dates[210]}, 4),
                      {.hidden = 6, .batch = 16}, softmax(5));
  EXPECT_THROW(train(other, {.epochs = 2}, {}, &checkpoint), std::invalid_argument);
}

}  // namespace
}  // namespace softradial::study
