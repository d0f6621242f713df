#include "campaign.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <sstream>
#include <thread>

#include "row_source.hpp"
#include "softradial/sets.hpp"
#include "support/batch.hpp"
#include "support/set_zoo.hpp"

namespace softradial::feasibility {
namespace {

constexpr std::size_t kRowsPerBlock = 1024;

const std::array<Method, 7>& methods() {
  static const std::array<Method, 7> all = {SoftRadial{},
                                            SoftRadial{.contraction = Contraction::exponential},
                                            SoftRadial{.contraction = Contraction::hyperbolic},
                                            HardRadial{},
                                            GaugeMap{},
                                            GaugeMap{.contraction = Contraction::exponential},
                                            GaugeMap{.contraction = Contraction::hyperbolic}};
  return all;
}
constexpr const char* kMethodNames[] = {"soft_radial rational", "soft_radial exponential", "soft_radial hyperbolic",
                                        "hard_radial",          "gauge_map rational",      "gauge_map exponential",
                                        "gauge_map hyperbolic"};

std::vector<Eigen::VectorXd> linear_normals(const Set& set) {
  LinearSystem system(set.dim());
  set->append_linear(system);
  std::vector<Eigen::VectorXd> normals;
  for (const LinearSystem::Row& row : system.inequalities()) {
    Eigen::VectorXd normal = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(set.dim()));
    for (const LinearSystem::Entry& entry : row.entries) normal[Eigen::Index(entry.column)] += entry.value;
    normals.push_back(std::move(normal));
  }
  return normals;
}

Eigen::MatrixXd gaussian(Eigen::Index rows, Eigen::Index cols, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, cols, [&] { return normal(engine); });
}

// One block of rows: a subject, a precision, a method, and its own seed.
struct Block {
  std::size_t subject;
  bool single;
  std::size_t method;
  std::size_t rows;
  std::uint64_t seed;
};

template <class T>
std::string in_full(std::span<const T> row) {
  std::ostringstream text;
  text.precision(std::numeric_limits<T>::max_digits10);
  for (std::size_t j = 0; j < row.size(); ++j) text << (j == 0 ? "" : ",") << row[j];
  return text.str();
}

// A projection for each subject and method, made once.
template <class T>
using Evaluators = std::vector<std::vector<Evaluator<T>>>;

template <class T>
Evaluators<T> make_evaluators(const std::vector<Subject>& subjects) {
  Evaluators<T> all;
  for (const Subject& subject : subjects) {
    auto& row = all.emplace_back();
    for (const Method& method : methods()) row.emplace_back(subject.set, subject.anchor, method, 1);
  }
  return all;
}

template <class T>
Tally run_block(const Subject& subject, const std::vector<Evaluator<T>>& evaluators, const Block& block) {
  constexpr double kUlp = std::numeric_limits<T>::epsilon();
  const Evaluator<T>& evaluator = evaluators[block.method];
  Workspace<T> workspace(evaluator);
  RowSource<T> source(subject.anchor.point, subject.normals, block.seed);
  support::Batch<T> u(block.rows, subject.set.dim()), x(block.rows, subject.set.dim());
  for (std::size_t i = 0; i < block.rows; ++i) source.fill(u[i]);
  evaluator.project(u.view(), x.rows(), workspace);

  Tally tally;
  const auto judge = [&](std::size_t first) {
    for (std::size_t i = first; i < block.rows; ++i) {
      const reference::Verdict verdict = subject.judge.judge(std::span<const T>(x[i]));
      ++tally.rows;
      tally.slack_ulps = std::min(tally.slack_ulps, verdict.slack / kUlp);
      tally.residual_ulps = std::max(tally.residual_ulps, verdict.residual / kUlp);
      if (verdict.inside && verdict.residual <= reference::kResidualUlps * kUlp) continue;
      if (tally.violations++ == 0) {
        tally.example = std::string(kMethodNames[block.method]) + " u=" + in_full(std::span<const T>(u[i])) +
                        " x=" + in_full(std::span<const T>(x[i]));
      }
    }
  };
  judge(0);

  // A quarter of the rows is projected again, from the boundary, where the hard projection puts them.
  const std::size_t first = block.rows - block.rows / 4;
  constexpr std::size_t kHard = 3;
  Workspace<T> hard_workspace(evaluators[kHard]);
  evaluators[kHard].project(u.view(), x.rows(), hard_workspace);
  for (std::size_t i = first; i < block.rows; ++i) source.nudge(x[i], u[i]);
  evaluator.project(u.view().slice(first, block.rows - first), x.rows().slice(first, block.rows - first), workspace);
  judge(first);
  return tally;
}

std::vector<Block> plan(const std::vector<Subject>& subjects, const Options& options) {
  double total = 0;
  for (const Subject& subject : subjects) total += subject.weight;
  const int precisions = static_cast<int>(options.f32) + static_cast<int>(options.f64);
  std::vector<Block> blocks;
  std::uint64_t seed = options.seed << 32;
  for (std::size_t s = 0; s < subjects.size(); ++s) {
    // Each block judges five quarters of its rows.
    const double share = static_cast<double>(options.rows) * subjects[s].weight / total / precisions * 4 / 5;
    const auto rows = static_cast<std::size_t>(std::max(28.0, std::ceil(share)));
    const std::size_t size = std::min(kRowsPerBlock, (rows + 6) / 7);
    for (const bool single : {true, false}) {
      if (!(single ? options.f32 : options.f64)) continue;
      for (std::size_t first = 0, k = 0; first < rows; first += size, ++k) {
        blocks.push_back({s, single, k % methods().size(), size, ++seed});
      }
    }
  }
  return blocks;
}

}  // namespace

void Tally::add(const Tally& other) {
  if (violations == 0) example = other.example;
  rows += other.rows;
  violations += other.violations;
  slack_ulps = std::min(slack_ulps, other.slack_ulps);
  residual_ulps = std::max(residual_ulps, other.residual_ulps);
}

Subject::Subject(std::string name_, Set set_, double weight_)
    : name(std::move(name_)),
      set(std::move(set_)),
      weight(weight_),
      anchor(set.anchor() ? check_anchor(set, *set.anchor()) : require_anchor(set)),
      judge(set, anchor.hull),
      normals(linear_normals(set)) {}

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  // A row takes longer in higher dimensions, so these sets get fewer rows.
  for (support::NamedSet& named : support::set_zoo()) {
    const double weight = 1.0 / std::max<double>(4, static_cast<double>(named.set.dim()));
    all.emplace_back(named.name, named.set, weight);
  }
  all.emplace_back("simplex_1000", Simplex(1000), 1e-4);
  all.emplace_back("capped_simplex_150", CappedSimplex(150, 0.1), 1e-3);
  const Eigen::MatrixXd A = gaussian(1000, 200, 1);
  const Eigen::VectorXd b = gaussian(1000, 1, 2).cwiseAbs().array() + 1;
  all.emplace_back("polyhedron_200x1000", Set(Polyhedron(A, b)).with_anchor(Eigen::VectorXd::Zero(200)), 2e-5);
  return all;
}

std::vector<Result> run(const std::vector<Subject>& subjects, const Options& options,
                        const std::function<void(std::uint64_t)>& progress) {
  const Evaluators<float> single = make_evaluators<float>(subjects);
  const Evaluators<double> twofold = make_evaluators<double>(subjects);
  const std::vector<Block> blocks = plan(subjects, options);
  std::vector<Tally> tallies(blocks.size());

  std::atomic<std::size_t> next{0};
  std::mutex progress_mutex;
  std::uint64_t done = 0;
  const auto work = [&] {
    for (std::size_t b = next++; b < blocks.size(); b = next++) {
      const Block& block = blocks[b];
      const Subject& subject = subjects[block.subject];
      tallies[b] = block.single ? run_block<float>(subject, single[block.subject], block)
                                : run_block<double>(subject, twofold[block.subject], block);
      const std::scoped_lock lock(progress_mutex);
      done += tallies[b].rows;
      progress(done);
    }
  };
  std::vector<std::jthread> workers;
  for (int t = 0; t < options.threads; ++t) workers.emplace_back(work);
  workers.clear();

  std::vector<Result> results(subjects.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Result& result = results[blocks[b].subject];
    (blocks[b].single ? result.f32 : result.f64).add(tallies[b]);
  }
  return results;
}

}  // namespace softradial::feasibility
