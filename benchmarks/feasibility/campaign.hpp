#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "reference/exact_judge.hpp"
#include "softradial/anchor.hpp"
#include "softradial/projection.hpp"

namespace softradial::feasibility {

// The findings of the judge in one precision.
struct Tally {
  std::uint64_t rows = 0;
  std::uint64_t violations = 0;                                 // not strictly inside, or off the hull
  double slack_ulps = std::numeric_limits<double>::infinity();  // the smallest
  double residual_ulps = 0;                                     // the largest, over the number of terms
  std::string example;                                          // the first violation: method, u and x in full

  void add(const Tally& other);
};

// A set with everything that its rows need, prepared once and shared by the workers.
struct Subject {
  Subject(std::string name_, Set set_, double weight_);

  std::string name;
  Set set;
  double weight;  // share of the rows
  Anchor anchor;
  reference::ExactJudge judge;
  std::vector<Eigen::VectorXd> normals;
};

// The test zoo and a few sets of the size that users have.
[[nodiscard]] std::vector<Subject> subjects();

struct Options {
  std::uint64_t rows = 100'000'000;
  std::uint64_t seed = 1;
  int threads = 2;
  bool f32 = true;
  bool f64 = true;
};

struct Result {
  Tally f32;
  Tally f64;
};

// Projects about options.rows rows, spread over the subjects by weight and over the methods in turn, and judges every
// output exactly. One result per subject; the same for every number of threads. `progress` is called now and then with
// the number of rows done, never from two threads at once.
[[nodiscard]] std::vector<Result> run(const std::vector<Subject>& subjects, const Options& options,
                                      const std::function<void(std::uint64_t)>& progress);

}  // namespace softradial::feasibility
