// Speed of the core, float32, one thread, as ratios to familiar operations: a copy of the tensor, the bare matrix product, one
// eigenvalue decomposition.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "ratio_table.hpp"
#include "softradial/softradial.hpp"

extern "C" void openblas_set_num_threads(int threads);

namespace {

using namespace softradial;

std::vector<float> normal(std::size_t count, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> draw;
  std::vector<float> values(count);
  for (float& v : values) v = draw(engine);
  return values;
}

// A batch with all memory that a forward and a backward pass use.
struct Batch {
  Batch(std::size_t rows, std::size_t columns)
      : count(rows),
        dim(columns),
        u(normal(rows * columns)),
        g(normal(rows * columns, 2)),
        x(u.size()),
        grad(u.size()),
        state(rows) {}
  std::size_t count;
  std::size_t dim;
  std::vector<float> u, g, x, grad;
  std::vector<RowState<float>> state;

  [[nodiscard]] Rows<const float> rows(const std::vector<float>& v) const { return {v.data(), count, dim}; }
  [[nodiscard]] Rows<float> rows(std::vector<float>& v) const { return {v.data(), count, dim}; }
};

// Copies with memcpy or with a plain vector loop. On some machines memcpy writes past the cache and is slower; the table
// compares with the loop, which is the stricter of the two.
void run_copy(benchmark::State& state, std::size_t rows, std::size_t dim, bool by_memcpy) {
  Batch b(rows, dim);
  Eigen::Map<const Eigen::ArrayXf> from(b.u.data(), static_cast<Eigen::Index>(b.u.size()));
  Eigen::Map<Eigen::ArrayXf> to(b.x.data(), static_cast<Eigen::Index>(b.x.size()));
  for (auto _ : state) {
    if (by_memcpy) {
      std::memcpy(b.x.data(), b.u.data(), b.u.size() * sizeof(float));
    } else {
      to = from;
    }
    benchmark::ClobberMemory();
  }
}

void run_forward(benchmark::State& state, const Set& set, std::size_t rows) {
  const Projection<float> layer(set);
  auto workspace = layer.make_workspace();
  Batch b(rows, layer.dim());
  for (auto _ : state) {
    layer.project(b.rows(std::as_const(b.u)), b.rows(b.x), workspace);
    benchmark::ClobberMemory();
  }
}

void run_forward_vjp(benchmark::State& state, const Set& set, std::size_t rows) {
  const Projection<float> layer(set);
  auto workspace = layer.make_workspace();
  Batch b(rows, layer.dim());
  for (auto _ : state) {
    layer.project(b.rows(std::as_const(b.u)), b.rows(b.x), workspace, b.state);
    layer.project_vjp(b.rows(std::as_const(b.u)), b.rows(std::as_const(b.g)), b.rows(b.grad), workspace, b.state);
    benchmark::ClobberMemory();
  }
}

void run_gemm(benchmark::State& state, std::size_t batch, std::size_t n, std::size_t m) {
  const auto A = normal(m * n);
  const auto D = normal(batch * n, 2);
  std::vector<float> C(batch * m);
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(batch), static_cast<int>(m),
                static_cast<int>(n), 1.0F, D.data(), static_cast<int>(n), A.data(), static_cast<int>(n), 0.0F, C.data(),
                static_cast<int>(m));
    benchmark::ClobberMemory();
  }
}

// The two products of a hull's projection, N u and N' (N u), and m more rows.
void run_hull_gemm(benchmark::State& state, std::size_t batch, std::size_t n, std::size_t k, std::size_t m, int times) {
  const auto N = normal(k * n);
  const auto A = normal(m * n);
  auto D = normal(batch * n, 2);
  std::vector<float> Y(batch * k);
  std::vector<float> C(batch * m);
  const auto rows = static_cast<int>(batch);
  const auto columns = static_cast<int>(n);
  const auto normals = static_cast<int>(k);
  for (auto _ : state) {
    for (int pass = 0; pass < times; ++pass) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, normals, columns, 1.0F, D.data(), columns, N.data(),
                  columns, 0.0F, Y.data(), normals);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, normals, -1e-9F, Y.data(), normals,
                  N.data(), columns, 1.0F, D.data(), columns);
    }
    if (m > 0) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, static_cast<int>(m), columns, 1.0F, D.data(), columns,
                  A.data(), columns, 0.0F, C.data(), static_cast<int>(m));
    }
    benchmark::ClobberMemory();
  }
}

// Random equalities through the origin, and m rows with slack 1.
Set hull_polyhedron(Eigen::Index n, Eigen::Index k, Eigen::Index m) {
  std::srand(1);
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(m, n);
  const Eigen::MatrixXd E = Eigen::MatrixXd::Random(k, n);
  return Set(Polyhedron(A, Eigen::VectorXd::Ones(m), E, Eigen::VectorXd::Zero(k)))
      .with_anchor(Eigen::VectorXd::Zero(n));
}

// Random rows around the origin with slack 1: a bounded polyhedron with a known anchor.
Set dense_polyhedron(Eigen::Index n, Eigen::Index m) {
  std::srand(1);
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(m, n);
  return Set(Polyhedron(A, Eigen::VectorXd::Ones(m))).with_anchor(Eigen::VectorXd::Zero(n));
}

Set sparse_polyhedron(Eigen::Index n, Eigen::Index m, double density) {
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::uniform_int_distribution<Eigen::Index> column(0, n - 1);
  std::vector<Eigen::Triplet<double>> entries;
  const auto count = static_cast<std::size_t>(density * static_cast<double>(n * m));
  for (std::size_t k = 0; k < count; ++k) {
    entries.emplace_back(static_cast<Eigen::Index>(k) % m, column(engine), draw(engine));
  }
  SparseMatrix A(m, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return Set(Polyhedron(A, Eigen::VectorXd::Ones(m))).with_anchor(Eigen::VectorXd::Zero(n));
}

Set random_lmi(Eigen::Index order, std::size_t variables) {
  std::srand(1);
  std::vector<Eigen::MatrixXd> F{Eigen::MatrixXd::Identity(order, order)};
  for (std::size_t i = 0; i < variables; ++i) {
    const Eigen::MatrixXd R = Eigen::MatrixXd::Random(order, order);
    F.push_back(R + R.transpose());
  }
  return Set(Lmi(F)).with_anchor(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(variables)));
}

// One set of each kind in n variables, with the origin or a closed form as its anchor.
std::vector<std::pair<std::string, Set>> sets_of(std::size_t dim) {
  const auto n = static_cast<Eigen::Index>(dim);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(n);
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(n);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(n, n);
  std::srand(1);
  const Eigen::MatrixXd three = Eigen::MatrixXd::Random(3, n);
  const Set box = Box(-one, one);
  const Set ball = Ball(zero, 1);
  // Labels that say more than the type's own name.
  const std::vector<std::pair<std::string, Set>> sets = {
      {"", box},
      {"", Simplex(dim)},
      {"", CappedSimplex(dim, 2.0 / static_cast<double>(dim))},
      {"", ball},
      {"", Ellipsoid(zero, identity)},
      {"", Set(Quadratic(identity, zero, -1)).with_anchor(zero)},
      {", 200 rows", dense_polyhedron(n, 200)},
      {"", Set(SecondOrderCone(identity, zero, zero, 1)).with_anchor(zero)},
      {"", Set(ExponentialCone(three, Eigen::Vector3d(0, 1, 2))).with_anchor(zero)},
      {"", Set(PowerCone(three, Eigen::Vector3d(1, 1, 0), 0.5)).with_anchor(zero)},
      {", 20 x 20", random_lmi(20, dim)},
      {", p = 1.5", Set(LpBall(zero, 1, 1.5)).with_anchor(zero)},
      {"", Set(LogSumExp(dim, 1 + std::log(static_cast<double>(dim)))).with_anchor(zero)},
      {"", KlBall(one / static_cast<double>(dim), 0.1)},
      {" of box and ball", Set(Intersection({box, ball})).with_anchor(zero)}};
  std::vector<std::pair<std::string, Set>> named;
  for (const auto& [more, set] : sets) named.emplace_back(set->describe().type + more, set);
  return named;
}

// The cost of a row on every kind of set.
constexpr std::size_t kCostDim = 50;
constexpr std::size_t kCostRows = 512;

void run_eigen(benchmark::State& state, Eigen::Index order, int options) {
  const Eigen::MatrixXf R = Eigen::MatrixXf::Random(order, order);
  const Eigen::MatrixXf S = R + R.transpose();
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXf> solver(order);
  for (auto _ : state) {
    solver.compute(S, options);
    benchmark::DoNotOptimize(solver.eigenvalues().data());
  }
}

void run_anchor(benchmark::State& state, AnchorSearch search) {
  std::srand(1);
  const Set set = Polyhedron(Eigen::MatrixXd::Random(1000, 200), Eigen::VectorXd::Random(1000).array() + 1.5);
  for (auto _ : state) benchmark::DoNotOptimize(find_anchor(set, search).point.data());
}

void register_benchmarks() {
  const auto add = [](const std::string& name, auto run) {
    return benchmark::RegisterBenchmark(name.c_str(), run)->UseRealTime();
  };
  const Set capped150 = CappedSimplex(150, 0.05);
  const Set capped50 = CappedSimplex(50, 0.05);
  const Set dense = dense_polyhedron(200, 1000);
  const Set small = dense_polyhedron(50, 200);
  add("copy", [](benchmark::State& s) { run_copy(s, 4096, 150, false); });
  add("memcpy", [](benchmark::State& s) { run_copy(s, 4096, 150, true); });
  add("capped_forward", [=](benchmark::State& s) { run_forward(s, capped150, 4096); });
  add("capped_forward_vjp", [=](benchmark::State& s) { run_forward_vjp(s, capped150, 4096); });
  add("capped_one_row", [=](benchmark::State& s) { run_forward(s, capped50, 1); });
  add("gemm", [](benchmark::State& s) { run_gemm(s, 512, 200, 1000); });
  add("dense_forward", [=](benchmark::State& s) { run_forward(s, dense, 512); });
  add("dense_forward_vjp", [=](benchmark::State& s) { run_forward_vjp(s, dense, 512); });
  add("gemm_small", [](benchmark::State& s) { run_gemm(s, 512, 50, 200); });
  add("dense_forward_small", [=](benchmark::State& s) { run_forward(s, small, 512); });
  for (const auto& [name, density] : {std::pair{"sparse_1", 0.01}, {"sparse_2", 0.02}, {"sparse_4", 0.04}}) {
    add(name, [set = sparse_polyhedron(200, 1000, density)](benchmark::State& s) { run_forward(s, set, 512); });
  }
  for (const auto& [name, k, m] :
       {std::tuple{"hull_tenth", 10, 200}, {"hull_half", 50, 200}, {"hull_large", 500, 500}}) {
    const auto n = k == 500 ? 1000 : 100;
    const std::string text(name);
    add(text + "_gemm", [=](benchmark::State& s) { run_hull_gemm(s, 512, n, k, m, 1); });
    add(text + "_gemm_vjp", [=](benchmark::State& s) { run_hull_gemm(s, 512, n, k, m, 2); });
    const Set set = hull_polyhedron(n, k, m);
    add(text + "_forward", [=](benchmark::State& s) { run_forward(s, set, 512); });
    add(text + "_forward_vjp", [=](benchmark::State& s) { run_forward_vjp(s, set, 512); });
  }
  for (const auto& [name, n, k] : {std::tuple{"equalities_half", 100, 50}, {"equalities_large", 1000, 500}}) {
    const std::string text(name);
    add(text + "_gemm", [=](benchmark::State& s) { run_hull_gemm(s, 512, n, k, 0, 1); });
    add(text, [set = hull_polyhedron(n, k, 0)](benchmark::State& s) { run_forward(s, set, 512); });
  }
  add("lmi_forward", [set = random_lmi(50, 20)](benchmark::State& s) { run_forward(s, set, 1); });
  add("eigen_full", [](benchmark::State& s) { run_eigen(s, 50, Eigen::ComputeEigenvectors); });
  add("eigen_values", [](benchmark::State& s) { run_eigen(s, 50, Eigen::EigenvaluesOnly); });
  for (const auto& [name, set] : sets_of(kCostDim)) {
    add("row/" + name, [=](benchmark::State& s) { run_forward(s, set, kCostRows); });
    add("row_vjp/" + name, [=](benchmark::State& s) { run_forward_vjp(s, set, kCostRows); });
  }
  add("anchor_chebyshev", [](benchmark::State& s) { run_anchor(s, AnchorSearch::chebyshev); })->Iterations(1);
  add("anchor_analytic", [](benchmark::State& s) { run_anchor(s, AnchorSearch::analytic); })->Iterations(1);
}

std::vector<bench::Comparison> comparisons() {
  std::vector<bench::Comparison> lines = {
      {"capped simplex 4096 x 150, forward / copy", "capped_forward", "copy", 3},
      {"capped simplex 4096 x 150, forward + VJP / copy", "capped_forward_vjp", "copy", 7},
      {"memcpy 4096 x 150 / copy by a vector loop", "memcpy", "copy", 0},
      {"capped simplex, one row of 50, forward", "capped_one_row", "", 60},
      {"dense polyhedron 200 x 1000, batch 512, forward / GEMM", "dense_forward", "gemm", 1.15},
      {"dense polyhedron 200 x 1000, batch 512, forward + VJP / GEMM", "dense_forward_vjp", "gemm", 1.35},
      {"dense polyhedron 50 x 200, batch 512, forward / GEMM", "dense_forward_small", "gemm_small", 0},
      {"sparse polyhedron 200 x 1000, 1 % dense, batch 512 / GEMM", "sparse_1", "gemm", 0},
      {"sparse polyhedron, twice the non-zeros / 1 %", "sparse_2", "sparse_1", 0},
      {"sparse polyhedron, four times the non-zeros / 1 %", "sparse_4", "sparse_1", 0},
      {"hull of 50 equalities in 100 variables, batch 512 / its two GEMMs", "equalities_half", "equalities_half_gemm",
       1.3},
      {"hull of 500 equalities in 1000 variables, batch 512 / its two GEMMs", "equalities_large",
       "equalities_large_gemm", 1.3},
      {"polyhedron 100 x 200, 10 equalities, forward / 3 GEMMs", "hull_tenth_forward", "hull_tenth_gemm", 0},
      {"polyhedron 100 x 200, 10 equalities, forward + VJP / 5 GEMMs", "hull_tenth_forward_vjp", "hull_tenth_gemm_vjp",
       0},
      {"polyhedron 100 x 200, 50 equalities, forward / 3 GEMMs", "hull_half_forward", "hull_half_gemm", 1.3},
      {"polyhedron 100 x 200, 50 equalities, forward + VJP / 5 GEMMs", "hull_half_forward_vjp", "hull_half_gemm_vjp",
       0},
      {"polyhedron 1000 x 500, 500 equalities, forward / 3 GEMMs", "hull_large_forward", "hull_large_gemm", 1.3},
      {"polyhedron 1000 x 500, 500 equalities, forward + VJP / 5 GEMMs", "hull_large_forward_vjp",
       "hull_large_gemm_vjp", 0},
      {"LMI 50 x 50 in 20 variables, forward / eigendecomposition", "lmi_forward", "eigen_full", 1.3},
      {"LMI 50 x 50 in 20 variables, forward / eigenvalues only", "lmi_forward", "eigen_values", 0},
      {"Chebyshev anchor of a 200 x 1000 polyhedron", "anchor_chebyshev", "", 5e9},
      {"analytic anchor of a 200 x 1000 polyhedron", "anchor_analytic", "", 5e9},
  };
  for (const auto& [name, set] : sets_of(kCostDim)) {
    lines.push_back({"a row of 50, forward: " + name, "row/" + name, "", 0, kCostRows});
    lines.push_back({"a row of 50, forward + VJP: " + name, "row_vjp/" + name, "", 0, kCostRows});
  }
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  openblas_set_num_threads(1);
  // Repetitions in random order spread a disturbance over all lines. Flags on the command line come later and override
  // these.
  std::vector<std::string> words{argv[0], "--benchmark_repetitions=9", "--benchmark_min_time=0.05",
                                 "--benchmark_enable_random_interleaving=true"};
  words.insert(words.end(), argv + 1, argv + argc);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  int count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (benchmark::ReportUnrecognizedArguments(count, pointers.data())) return 2;
  register_benchmarks();
  softradial::bench::RatioReporter reporter(comparisons());
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
