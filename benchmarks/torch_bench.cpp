// Speed of the layer in LibTorch, as ratios to what it replaces or cannot avoid: softmax, and the bare matrix product. One
// thread, float32. Both sides of a ratio are timed in turns, round by round, and the smallest time of each counts: the
// machines are shared, and other work can only add time.
#include <torch/torch.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "softradial/nn.hpp"
#include "softradial/sets.hpp"

namespace {

using softradial::nn::SampleTensors;
using softradial::nn::SoftRadial;
using torch::Tensor;
using Work = std::function<void()>;

// The two sides that a line of the table compares, and the bar that the ratio has to stay below (0: none).
struct Comparison {
  std::string what;
  std::string against;
  Work ours;
  Work theirs;
  double bar;
};

struct Timing {
  double ours = std::numeric_limits<double>::infinity();  // microseconds
  double theirs = std::numeric_limits<double>::infinity();
};

double microseconds(const Work& work, int calls) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) work();
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / calls;
}

Timing measure(const Comparison& comparison, int rounds) {
  constexpr double kRoundMicroseconds = 5000;
  const int ours_calls = 1 + static_cast<int>(kRoundMicroseconds / microseconds(comparison.ours, 3));
  const int theirs_calls = 1 + static_cast<int>(kRoundMicroseconds / microseconds(comparison.theirs, 3));
  Timing best;
  for (int i = 0; i < rounds; ++i) {
    best.ours = std::min(best.ours, microseconds(comparison.ours, ours_calls));
    best.theirs = std::min(best.theirs, microseconds(comparison.theirs, theirs_calls));
  }
  return best;
}

// A forward pass and the gradients of `inputs` through autograd.
Work with_backward(std::function<Tensor()> forward, std::vector<Tensor> inputs, const Tensor& cotangent) {
  return [=] { torch::autograd::grad({forward()}, inputs, {cotangent}); };
}

Work without_grad(std::function<Tensor()> forward) {
  return [=] {
    const torch::NoGradGuard no_grad;
    forward();
  };
}

std::string shape_text(int64_t rows, int64_t columns) { return std::to_string(rows) + " x " + std::to_string(columns); }

void add_capped_simplex(std::vector<Comparison>& table, int64_t rows, int64_t dim, double bar) {
  const Tensor u = torch::randn({rows, dim}).requires_grad_();
  const Tensor g = torch::randn({rows, dim});
  const double cap = 5.0 / static_cast<double>(dim);
  SoftRadial layer(softradial::CappedSimplex(static_cast<std::size_t>(dim), cap));
  const auto ours = [=]() mutable { return layer(u); };
  const auto softmax = [=] { return torch::softmax(u, -1); };
  const std::string name = "capped simplex " + shape_text(rows, dim);
  table.push_back(
      {name + ", forward + backward", "softmax", with_backward(ours, {u}, g), with_backward(softmax, {u}, g), bar});
  table.push_back({name + ", forward", "softmax", without_grad(ours), without_grad(softmax), 0});
}

// The other methods of the paper, on the shape for which the figures of other libraries are known.
void add_methods(std::vector<Comparison>& table) {
  constexpr int64_t kRows = 4096;
  constexpr int64_t kDim = 150;
  const Tensor u = torch::randn({kRows, kDim}).requires_grad_();
  const Tensor g = torch::randn({kRows, kDim});
  const auto softmax = [=] { return torch::softmax(u, -1); };
  const std::pair<softradial::LayerMethod, double> methods[] = {
      {softradial::SoftOrthogonal{}, 2.5}, {softradial::Mirror{}, 1.5},
      {softradial::Orthogonal{}, 3},       {softradial::Dc3{}, 0},
      {softradial::HardNet{}, 0},          {softradial::Rayen{}, 0}};
  for (const auto& [method, bar] : methods) {
    softradial::nn::ConstraintLayer layer(softradial::CappedSimplex(kDim, 5.0 / kDim), method);
    const auto ours = [=]() mutable { return layer(u); };
    table.push_back({std::string(softradial::method_name(method)) + ", capped simplex " + shape_text(kRows, kDim) +
                         ", forward + backward",
                     "softmax", with_backward(ours, {u}, g), with_backward(softmax, {u}, g), bar});
  }
}

void add_sample_caps(std::vector<Comparison>& table, int64_t rows, int64_t dim) {
  const Tensor u = torch::randn({rows, dim}).requires_grad_();
  const Tensor g = torch::randn({rows, dim});
  const double cap = 5.0 / static_cast<double>(dim);
  const Tensor caps = cap * (0.5 + torch::rand({rows, dim}));
  const Tensor learned = caps.clone().requires_grad_();
  SoftRadial layer(softradial::CappedSimplex(static_cast<std::size_t>(dim), cap));
  const auto fixed = [=]() mutable { return layer(u); };
  const auto own = [=]() mutable { return layer(u, SampleTensors{.cap = caps}); };
  const auto trained = [=]() mutable { return layer(u, SampleTensors{.cap = learned}); };
  const std::string name = "per-sample caps " + shape_text(rows, dim);
  table.push_back(
      {name + ", forward + backward", "fixed caps", with_backward(own, {u}, g), with_backward(fixed, {u}, g), 1.5});
  table.push_back({name + ", with their gradient", "fixed caps", with_backward(trained, {u, learned}, g),
                   with_backward(fixed, {u}, g), 0});
}

void add_polyhedron(std::vector<Comparison>& table, int64_t dim, int64_t num_rows) {
  constexpr int64_t kBatch = 512;
  const Tensor u = torch::randn({kBatch, dim}).requires_grad_();
  const Tensor g = torch::randn({kBatch, dim});
  const Tensor A = torch::randn({num_rows, dim});
  const Tensor b = A.norm(2, 1) + torch::rand({num_rows});
  const Tensor wide_A = A.to(torch::kDouble).contiguous();
  const Tensor wide_b = b.to(torch::kDouble).contiguous();
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const softradial::Polyhedron set(
      Eigen::MatrixXd(Eigen::Map<const RowMajor>(wide_A.data_ptr<double>(), num_rows, dim)),
      Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(wide_b.data_ptr<double>(), num_rows)));
  SoftRadial layer(softradial::Set(set),
                   softradial::nn::SoftRadialOptions{.anchor = {.point = Eigen::VectorXd::Zero(dim)}});
  const Tensor samples = (b + 0.1 * torch::rand({kBatch, num_rows})).contiguous();
  const Tensor anchor = torch::zeros({dim});
  const auto fixed = [=]() mutable { return layer(u); };
  const auto own = [=]() mutable { return layer(u, SampleTensors{.b = samples, .anchor = anchor}); };
  const auto product = [=] { return torch::matmul(u, A.t()); };
  const std::string name = "polyhedron " + shape_text(dim, num_rows);
  table.push_back({name + ", forward", "matmul", without_grad(fixed), without_grad(product), 1.15});
  table.push_back({name + ", forward + backward", "matmul", with_backward(fixed, {u}, g), without_grad(product), 1.4});
  table.push_back({"per-sample b, " + name + ", forward", "fixed b", without_grad(own), without_grad(fixed), 1.5});
  table.push_back({"per-sample b, " + name + ", forward + backward", "fixed b", with_backward(own, {u}, g),
                   with_backward(fixed, {u}, g), 1.5});
}

std::vector<Comparison> comparisons() {
  std::vector<Comparison> table;
  add_capped_simplex(table, 64, 50, 1.0);
  add_capped_simplex(table, 128, 150, 0.5);
  add_capped_simplex(table, 4096, 50, 0.5);
  add_capped_simplex(table, 4096, 150, 0.5);
  add_capped_simplex(table, 1024, 1000, 0.5);
  add_polyhedron(table, 50, 200);
  add_polyhedron(table, 200, 1000);
  add_methods(table);
  add_sample_caps(table, 128, 150);
  add_sample_caps(table, 4096, 150);
  return table;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

nlohmann::json machine() {
  return {{"processor", processor()},
          {"cores", std::thread::hardware_concurrency()},
          {"threads", 1},
          {"compiler", __VERSION__},
          {"torch", TORCH_VERSION}};
}

int run(int argc, char** argv) {
  CLI::App app("Speed of the layer, as ratios to softmax and to the bare matrix product", "softradial bench");
  bool json = false;
  int rounds = 25;
  app.add_flag("--json", json, "Print one JSON object: the machine, and every ratio with its bar");
  app.add_option("--rounds", rounds, "Rounds in which both sides of a ratio take turns")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& answer) {
    return app.exit(answer);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "softradial: error: %s\n", error.what());
    return 2;
  }
  torch::set_num_threads(1);
  torch::manual_seed(0);
  nlohmann::json lines = nlohmann::json::array();
  if (!json) std::printf("%-58s %-12s %10s %10s %7s %6s\n", "what", "against", "us", "us", "ratio", "bar");
  for (const Comparison& comparison : comparisons()) {
    const Timing timing = measure(comparison, rounds);
    const double ratio = timing.ours / timing.theirs;
    if (json) {
      nlohmann::json line{{"what", comparison.what},
                          {"against", comparison.against},
                          {"microseconds", timing.ours},
                          {"against_microseconds", timing.theirs},
                          {"ratio", ratio}};
      if (comparison.bar > 0) line["bar"] = comparison.bar;
      lines.push_back(std::move(line));
      continue;
    }
    std::printf("%-58s %-12s %10.1f %10.1f %7.2f", comparison.what.c_str(), comparison.against.c_str(), timing.ours,
                timing.theirs, ratio);
    if (comparison.bar > 0) {
      std::printf(" %6.2f%s\n", comparison.bar, ratio <= comparison.bar ? "" : "  missed");
    } else {
      std::printf("\n");
    }
  }
  if (json) std::cout << nlohmann::json{{"machine", machine()}, {"ratios", lines}}.dump() << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "softradial: error: %s\n", error.what());
    return 3;
  }
}
