// softradial_feasibility: projects a hundred million random and adversarial rows onto every kind of set and judges every
// output in exact arithmetic. Exit code 1 if a single one is not strictly inside.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>

#include "campaign.hpp"

namespace {

using softradial::feasibility::Options;
using softradial::feasibility::Result;
using softradial::feasibility::Subject;
using softradial::feasibility::Tally;

void print_row(const std::string& name, std::size_t dim, const char* dtype, const Tally& tally) {
  if (tally.rows == 0) return;
  std::printf("%-34s %5zu  %s %12llu %10llu %14.3g %14.3g\n", name.c_str(), dim, dtype,
              static_cast<unsigned long long>(tally.rows), static_cast<unsigned long long>(tally.violations),
              tally.slack_ulps, tally.residual_ulps);
  if (tally.violations > 0) std::printf("    first: %s\n", tally.example.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Judges projections of random and adversarial rows in exact arithmetic, over all sets and sizes.");
  Options options;
  std::string dtype = "both";
  double rows = static_cast<double>(options.rows);
  app.add_option("--rows", rows, "how many rows to judge")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--seed", options.seed, "of the random rows")->capture_default_str();
  app.add_option("--threads", options.threads, "workers")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--dtype", dtype, "both, f32 or f64")
      ->check(CLI::IsMember({"both", "f32", "f64"}))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  options.rows = static_cast<std::uint64_t>(rows);
  options.f32 = dtype != "f64";
  options.f64 = dtype != "f32";

  const std::vector<Subject> subjects = softradial::feasibility::subjects();
  const bool on_terminal = isatty(STDERR_FILENO) != 0;
  int shown = -1;
  const std::vector<Result> results = softradial::feasibility::run(subjects, options, [&](std::uint64_t done) {
    const double share = static_cast<double>(done) / static_cast<double>(options.rows);
    const int percent = static_cast<int>(100 * std::min(1.0, share));
    if (!on_terminal || percent == shown) return;
    shown = percent;
    std::fprintf(stderr, "\r%llu rows judged (%d %%)", static_cast<unsigned long long>(done), percent);
  });
  if (on_terminal) std::fprintf(stderr, "\r%40s\r", "");

  std::printf("%-34s %5s  %s %12s %10s %14s %14s\n", "set", "dim", "   ", "rows", "violations", "slack (ulp)",
              "residual (ulp)");
  Tally total;
  for (std::size_t s = 0; s < subjects.size(); ++s) {
    print_row(subjects[s].name, subjects[s].set.dim(), "f32", results[s].f32);
    print_row(subjects[s].name, subjects[s].set.dim(), "f64", results[s].f64);
    total.add(results[s].f32);
    total.add(results[s].f64);
  }
  std::printf("%llu rows, %llu violations\n", static_cast<unsigned long long>(total.rows),
              static_cast<unsigned long long>(total.violations));
  return total.violations == 0 ? 0 : 1;
}
