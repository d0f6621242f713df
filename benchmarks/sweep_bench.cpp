// The cost of a sweep besides its trainings: writing and reading the store, and the scheduler's work per trial. Under mpirun:
// the scheduler's work if the workers are other processes.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sweep/local_workers.hpp"
#include "sweep/mpi_workers.hpp"
#include "sweep/results_store.hpp"
#include "sweep/scheduler.hpp"

namespace {

using namespace softradial::study;
using nlohmann::json;

constexpr int kEpochs = 50;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A configuration as large as those of the paper's grid.
Configuration candidate(int number) {
  static const auto problem = [] {
    std::vector<std::string> names;
    for (int k = 0; k < 50; ++k) names.push_back("ASSET" + std::to_string(k));
    return problem_of({{"task", "portfolio"},
                       {"names", names},
                       {"set", {{"type", "capped_simplex"}, {"dim", 50}, {"cap", 0.05}}},
                       {"data", {{"source", "prices.csv"}, {"sha256", std::string(64, '0')}}}});
  }();
  json config = {{"task", "portfolio"}, {"method", "dc3"}, {"hidden", number}, {"epochs", kEpochs}};
  for (int k = 0; k < 15; ++k) config["field_" + std::to_string(k)] = 0.1 * k;
  return configuration_of(problem, config, "cap=0.05 prices=liquid.csv", "hidden=" + std::to_string(number));
}

TrialOutcome outcome() {
  TrialOutcome out;
  out.end = "finished";
  out.started = "2026-01-01T00:00:00Z";
  out.epochs = kEpochs;
  out.selection = 0.5;
  for (const char* split : {"validation", "test"}) {
    for (const char* name : {"sharpe", "turnover", "annual_return", "annual_volatility", "max_drawdown"}) {
      out.metrics.push_back({split, name, 1.0 / 3});
    }
  }
  out.history.assign(kEpochs, {-0.1, 1.0 / 3});
  return out;
}

void begin(ResultsStore& store) {
  store.begin_session({{"version", "1"}, {"machine", json::object()}, {"started", "2026-01-01T00:00:00Z"}});
}

void measure_store(const std::filesystem::path& folder, int trials, int batch) {
  ResultsStore store(folder / "store.sqlite", SqliteFile::Access::write);
  begin(store);
  const double writing = seconds_of([&] {
    for (int first = 0; first < trials; first += batch) {
      std::vector<FinishedTrial> some;
      for (int k = first; k < std::min(first + batch, trials); ++k)
        some.push_back({candidate(k / 5), k % 5 + 0U, outcome()});
      store.save(some);
    }
  });
  fmt::print("write  {:>7} trials of {} epochs, {:>3} in a batch   {:>8.0f} trials/s\n", trials, kEpochs, batch,
             trials / writing);
  std::size_t lines = 0;
  const double listing = seconds_of([&] { store.list({}, [&](const TrialLine&) { ++lines; }); });
  fmt::print("list   {:>7} trials                              {:>8.3f} s\n", lines, listing);
  const double reading = seconds_of([&] { lines = store.results().size(); });
  fmt::print("resume {:>7} trials                              {:>8.3f} s\n", lines, reading);
}

// Trials with as many bytes as those of fifty assets, each the best of its group so far. This is the worst case, because the
// files of the previous best are then deleted.
void measure_files(const std::filesystem::path& folder, int trials, std::size_t bytes) {
  ResultsStore store(folder / "files.sqlite", SqliteFile::Access::write);
  begin(store);
  StoredGroup group{.sweep = "bench", .setting = "", .method = "dc3", .candidates = {}};
  std::vector<Configuration> candidates;
  for (int k = 0; k < trials; ++k) {
    candidates.push_back(candidate(k));
    group.candidates.push_back(candidates.back().key);
  }
  store.add_groups({group}, candidates);
  double with_files = 0;
  for (int k = 0; k < trials; ++k) {
    FinishedTrial trial{.configuration = candidates[static_cast<std::size_t>(k)], .seed = 0, .outcome = outcome()};
    trial.outcome.selection = k;
    trial.outcome.files = {
        {.name = "decisions.csv", .size = 1, .sha256 = std::string(64, '0'), .gzip = std::string(bytes, 'x')}};
    with_files += seconds_of([&] { store.save({&trial, 1}); });
  }
  fmt::print("write  {:>7} trials, each with files of {:.2f} MB    {:>8.3f} ms a trial\n", trials,
             1e-6 * static_cast<double>(bytes), 1e3 * with_files / trials);
}

LocalWorkers::Train no_time() {
  return [](const TrialOrder&, const TrainingHooks&) { return std::optional(outcome()); };
}

// Trainings that take no time: the rest is the scheduler, the hand-over and the store.
void measure_scheduler(const std::filesystem::path& folder, int trials, Workers& workers, const char* where) {
  ResultsStore store(folder / ("scheduler" + std::to_string(workers.count()) + ".sqlite"), SqliteFile::Access::write);
  begin(store);
  SweepPlan plan{.name = "bench", .search = {}, .groups = {{.setting = "", .method = "dc3", .candidates = {}}}};
  for (int k = 0; k < trials; ++k) plan.groups[0].candidates.push_back(candidate(k));
  const double all = seconds_of([&] { static_cast<void>(run_sweep(plan, store, workers, false)); });
  fmt::print("sweep  {:>7} trials of no time, {:>3} {:<14}   {:>8.3f} ms a trial\n", trials, workers.count(), where,
             1e3 * all / trials);
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<MpiRanks> ranks = MpiRanks::join();
  if (ranks && ranks->rank() > 0) {
    const std::atomic<bool> stop = false;
    LocalWorkers workers(1, no_time());
    serve_orders(*ranks, workers, stop);
    return 0;
  }
  const int trials = argc > 1 ? std::atoi(argv[1]) : 100'000;
  std::string pattern = (std::filesystem::temp_directory_path() / "sweep_bench_XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(pattern.data());
  if (ranks) {
    MpiWorkers workers(*ranks, nullptr);
    measure_scheduler(folder, 1000, workers, "other processes");
  } else {
    measure_store(folder, trials, 100);
    measure_files(folder, 200, 900'000);
    for (const int jobs : {1, 2}) {
      LocalWorkers workers(jobs, no_time());
      measure_scheduler(folder, 1000, workers, "threads");
    }
  }
  std::filesystem::remove_all(folder);
}
