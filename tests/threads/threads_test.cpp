// Layers, evaluators, sets and searches for anchors are shared by threads without locks of the caller's: each gets the bits that
// it would get alone. Under the thread sanitizer (./dev test --preset tsan) no access races.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include "lazy.hpp"
#include "softradial/errors.hpp"
#include "softradial/layer.hpp"
#include "softradial/set_json.hpp"
#include "support/random_points.hpp"
#include "support/set_zoo.hpp"

namespace softradial {
namespace {

using support::Batch;

constexpr int kThreads = 4;
constexpr std::size_t kRows = 40;

// Calls work() on all threads at the same time and returns what each got.
template <class Work>
auto at_once(const Work& work) {
  std::vector<decltype(work())> results(kThreads);
  std::barrier start(kThreads);
  std::vector<std::jthread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] {
      start.arrive_and_wait();
      result = work();
    });
  }
  threads.clear();
  return results;
}

template <class T>
Batch<T> inputs(std::size_t dim) {
  support::RandomPoints random(dim);
  return support::rows_at_scales<T>(random, Eigen::VectorXd::Zero(static_cast<Eigen::Index>(dim)), {1, 1e6}, kRows / 2);
}

// The bits of all that a layer says of its inputs.
template <class T>
std::string everything(const Layer<T>& layer) {
  const Batch<T> u = inputs<T>(layer.input_dim());
  Batch<T> x(kRows, layer.dim());
  Batch<T> state(kRows, layer.state_dim());
  Batch<T> back(kRows, layer.input_dim());
  Batch<T> numbers(kRows, 1);
  std::string bits;
  const auto keep = [&](const Batch<T>& batch) {
    bits.append(reinterpret_cast<const char*>(batch.data().data()), batch.data().size() * sizeof(T));
  };
  layer.project(u.view(), x.rows(), state.rows());
  keep(x);
  layer.project_vjp(u.view(), x.view(), state.view(), x.view(), back.rows());
  keep(back);
  layer.evaluate(u.view(), x.rows());
  keep(x);
  try {
    layer.inverse(x.view(), back.rows());
    keep(back);
    layer.project_jvp(u.view(), u.view(), x.rows());
    keep(x);
    layer.log_abs_det(u.view(), {numbers.rows().data(), kRows});
    keep(numbers);
  } catch (const NotAvailable&) {
  }
  return bits;
}

LayerMethod quick(std::string_view name) {
  LayerMethod method = method_named(name);
  if (auto* hp = std::get_if<Hp>(&method)) *hp = {.couplings = 2, .hidden = 4, .training_steps = 3, .batch = 8};
  return method;
}

template <class T>
void layers_are_shared(const Set& set, std::string_view name) {
  try {
    const std::string alone = everything(*make_layer<T>(set, quick(name)));
    const LayerPtr<T> shared = make_layer<T>(set, quick(name));
    for (const std::string& bits : at_once([&] { return everything(*shared); })) EXPECT_EQ(bits, alone) << name;
  } catch (const InvalidSet&) {
    return;  // not a set of this method
  }
}

std::vector<Set> sets_of_every_method() {
  return {parse_set(R"({"type": "simplex", "dim": 5})"),
          parse_set(R"({"type": "capped_simplex", "dim": 6, "cap": 0.3})"),
          parse_set(R"({"type": "polyhedron", "A": [[1, 2], [-1, 0], [0, -1]], "b": [1, 0, 0]})"),
          parse_set(R"({"type": "box", "lower": [-1, 0], "upper": [1, 2]})")};
}

TEST(Threads, ShareLayers) {
  for (const Set& set : sets_of_every_method()) {
    for (const std::string_view name : method_names()) {
      layers_are_shared<float>(set, name);
      layers_are_shared<double>(set, name);
    }
  }
}

TEST(Threads, ShareLayersOfEverySet) {
  for (const auto& [name, set] : support::exemplars()) {
    SCOPED_TRACE(name);
    layers_are_shared<double>(set, "soft_radial");
  }
}

// Each caller brings a workspace; the evaluator brings a team of threads to each of them.
TEST(Threads, ShareEvaluatorsThatHaveThreads) {
  for (const Set& set : sets_of_every_method()) {
    const Projection<float> alone(set, SoftRadial{});
    const Projection<float> shared(set, SoftRadial{}, {.threads = 3});
    const Batch<float> u = inputs<float>(set.dim());
    const std::vector<float> expected = alone(u.view());
    for (const auto& x : at_once([&] { return shared(u.view()); })) EXPECT_EQ(x, expected);
  }
}

// Reading and writing goes through tables of types that all threads share.
TEST(Threads, ReadSetsAtOnce) {
  const std::vector<support::NamedSet> sets = support::json_sets();
  const auto work = [&] {
    std::string all;
    for (const support::NamedSet& named : sets) all += to_json(parse_set(to_json(named.set))) + to_string(named.set);
    return all;
  };
  const std::string alone = work();
  for (const std::string& texts : at_once(work)) EXPECT_EQ(texts, alone);
}

// The solver of linear programmes is another library.
TEST(Threads, SearchForAnchorsAtOnce) {
  const std::vector<support::NamedSet> sets = support::exemplars();
  const auto work = [&] {
    std::vector<double> all;
    for (const support::NamedSet& named : sets) {
      const Anchor anchor = find_anchor(named.set);
      all.insert(all.end(), anchor.point.begin(), anchor.point.end());
    }
    return all;
  };
  const std::vector<double> alone = work();
  for (const std::vector<double>& points : at_once(work)) EXPECT_EQ(points, alone);
}

// A value that cannot be made is an error for each thread, not a lock that nobody opens; made once, it is the same for all.
TEST(Threads, ShareAValueThatIsMadeAtItsFirstUse) {
  Lazy<int> value;
  std::atomic<int> calls = 0;
  const auto use = [&]() -> const int* {
    try {
      return &value.get([&] {
        if (++calls <= kThreads / 2) throw InvalidOption("not yet");
        return 7;
      });
    } catch (const InvalidOption&) {
      return nullptr;
    }
  };
  const std::vector<const int*> seen = at_once(use);
  EXPECT_EQ(std::ranges::count(seen, nullptr), kThreads / 2);
  EXPECT_EQ(std::ranges::count(seen, use()), kThreads - kThreads / 2);
  EXPECT_EQ(*use(), 7);
  EXPECT_EQ(calls, kThreads / 2 + 1);
}

}  // namespace
}  // namespace softradial
