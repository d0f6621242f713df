#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>

#include "data/summary.hpp"
#include "number_option.hpp"
#include "outcome.hpp"
#include "output_file.hpp"
#include "runs/paper_tables.hpp"
#include "runs/run.hpp"
#include "runs/run_folder.hpp"
#include "runs/trial_report.hpp"
#include "sweep/trainer.hpp"
#include "train/commands.hpp"
#include "train/config_flags.hpp"
#include "train/sweep_commands.hpp"
#include "train/sweep_run.hpp"
#include "train/table_lines.hpp"
#include "train/work_progress.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;
using nlohmann::json;

constexpr const char* kTableExamples = R"(Examples:
  softradial table portfolio --universe liquid --prices liquid.csv --seeds 5 --runs runs/table
  softradial table portfolio --prices liquid.csv --tune --objective gross --markdown
  softradial table portfolio --prices liquid.csv --cap 0.05 --objective variance --method soft_orthogonal,soft_radial
  softradial table dispatch --demand hourly.csv --zones 67 --kappa 0.02 --runs runs/table
  softradial table portfolio --prices liquid.csv --tune --store paper.sqlite
  softradial table sweep configs/paper/portfolio_net.toml --data prices --store paper.sqlite
  softradial table summary --universe sectors --prices sectors.csv

Without --prices, synthetic prices of the universe are taken; the last line says which data the table is about.

A run in --runs with the same configuration is read; the others are trained and saved there. So it is with the trials of
--store, the file of `softradial sweep`; `table sweep` takes what is trained from a sweep file. Equal weight is always a row,
because a layer whose outputs stay near a uniform anchor must be compared with it.)";

// The exit code of a table. Its numbers are printed, but a disk may have been full.
ExitCode done_unless_unwritten(const std::vector<TableLine>& lines) {
  for (const TableLine& line : lines) {
    if (!line.write_error.empty()) throw InternalFailure(line.write_error);
  }
  return ExitCode::done;
}

std::string set_name(double cap) { return cap >= 1 ? "simplex" : fmt::format("cap {:g}", cap); }

// The number of trainings for the choice of parameters.
int grid_size(const RunConfig& config) {
  return config.layer.equal_weight() ? 0 : static_cast<int>(paper_grid(config.layer.options).size());
}

// Data that the lines of a table share while they are trained.
struct TableWork {
  WorkProgress& bar;
  const std::atomic<bool>& stop;
  int jobs;
  std::string& write_error;  // of the line: error of the first file that could not be written
};

// Whether a run in a folder counts: it is finished and has the same configuration, set, data and seeds. A tuned run may differ
// in the parameters of the layer, which it has chosen.
bool is_wanted(const json& saved, const json& wanted, bool tune) {
  json before = run_identity(saved);
  json now = run_identity(wanted);
  if (tune) {
    for (json* identity : {&before, &now}) {
      for (const char* chosen : {"method_options", "contraction"}) (*identity)["config"].erase(chosen);
    }
  }
  return identity_difference(before, now).empty() && saved.value("status", "") == "finished" &&
         saved.value("seeds", json()) == wanted.at("seeds") &&
         // A full disk may have left seeds out.
         saved.value("finished_seeds", json()) == wanted.at("seeds");
}

// Reads the run in `out` if it is the wanted one. Otherwise trains it, continuing where an earlier table was stopped.
template <class Config, class TableType>
json run_or_read(Config config, bool tune, const TableType& table, const std::filesystem::path& out,
                 const TableWork& work) {
  json wanted = manifest_of(config, table);
  wanted["schema"] = kRunSchema;
  wanted["tuned"] = tune;
  const std::string name = config.layer.method + " " + set_name(config.cap);
  std::optional<json> saved;
  if (!out.empty() && std::filesystem::exists(out / "manifest.json")) saved = read_manifest(out);
  if (saved && is_wanted(*saved, wanted, tune) && std::filesystem::exists(out / kReportFile)) {
    work.bar.begin(name, static_cast<int>(wanted.at("seeds").size()));
    return read_report(out);
  }
  RunHooks hooks;
  hooks.jobs = work.jobs;
  hooks.stop = &work.stop;
  hooks.progress = [&](int trial, const study::Progress& progress) { work.bar.show(trial, progress); };
  if (tune) {
    work.bar.begin(name + ", tuning", grid_size(config));
    config.layer = tuned(config, table, hooks);
    wanted = manifest_of(config, table);
    wanted["tuned"] = true;
    if (work.stop.load()) return {};
  }
  std::optional<RunFolder> folder;
  if (!out.empty()) {
    wanted["schema"] = kRunSchema;
    const std::string difference = saved ? identity_difference(run_identity(*saved), run_identity(wanted)) : "";
    if (!difference.empty()) tell(out.string() + ": was made with another " + difference + ": it is trained again");
    folder.emplace(out, wanted, difference.empty() ? RunStart::resume : RunStart::overwrite);
    hooks.folder = &*folder;
  }
  work.bar.begin(name, static_cast<int>(wanted.at("seeds").size()));
  json result = report(config, study::run(config, table, hooks));
  if (folder) {
    folder->save_report(result, "");
    if (work.write_error.empty()) work.write_error = folder->write_error();
  }
  return result;
}

LayerConfig layer_named(const std::string& method) {
  LayerConfig layer;
  layer.method = method;
  if (!layer.equal_weight()) layer.options = method_named(method);
  return layer;
}

struct TableArguments {
  std::string universe = "liquid";
  std::string runs;
  std::string store;
  std::vector<std::string> methods = {"softmax", "orthogonal", "dc3", "hardnet", "soft_radial"};
  bool tune = false;
  std::optional<int> jobs;
  Format format = Format::text;
};

TableStyle style_of(const TableArguments& arguments) { return {arguments.format, arguments.tune}; }

// The paper's choice of sets: softmax on the simplex, DC3 and HardNet under a cap, the others on both.
bool in_paper(const std::string& method, double cap) {
  if (method == "softmax") return cap >= 1;
  if (method == "dc3" || method == "hardnet") return cap < 1;
  return true;
}

// The functions below use the trials of a store in place of runs, and train missing ones now.
Group group_of(RunConfig& config, double cap, const std::string& method) {
  config.layer = layer_named(method);
  config.cap = cap;
  return {.setting = set_name(cap),
          .method = method,
          .first_seed = config.training.seed,
          .seeds = static_cast<int>(seeds_of(config).size()),
          .candidates = {}};
}

// The arguments of a sweep that adds to a table's store.
SweepArguments sweep_into(const std::string& store, std::optional<int> jobs, Format format) {
  SweepArguments arguments;
  arguments.store = store;
  arguments.jobs = jobs;
  arguments.resume = true;
  arguments.format = format;
  return arguments;
}

template <class Config>
Sweep sweep_for(const TableArguments& arguments, Config config,
                const std::vector<std::pair<std::string, double>>& wanted) {
  if (config.threads != 1) throw BadInput("--threads: the trials of a store have one thread each");
  const auto data = std::make_shared<StudyData<Config>>([](const std::string& /*it has been told*/) {});
  Sweep sweep{.plan = {.name = "table", .search = {}, .groups = {}}, .data = data};
  for (const auto& [method, cap] : wanted) {
    Group group = group_of(config, cap, method);
    const bool choose = arguments.tune && !config.layer.equal_weight();
    for (const LayerMethod& options : choose ? paper_grid(config.layer.options) : std::vector{config.layer.options}) {
      config.layer.options = options;
      check_trainable(config, *data);
      json written = to_json(config);
      group.candidates.push_back(configuration_of(data->problem(config), written, group.setting,
                                                  choose ? chosen_text({{"config", written}}) : ""));
    }
    sweep.plan.groups.push_back(std::move(group));
  }
  return sweep;
}

// The reports of the groups, in their order.
std::vector<json> reports_from(const Sweep& sweep, const SweepArguments& arguments) {
  WritableStore store(arguments.store, arguments.resume);
  store.add_groups(sweep.plan);
  train_missing_here(sweep, store, arguments);
  std::vector<json> reports;
  for (const Group& group : sweep.plan.groups) reports.push_back(report_of_group(store.get(), sweep.plan, group));
  return reports;
}

// One line for each method and cap, equal weight first. `paper(method, cap)` gives the paper's numbers as text.
template <class Config, class TableType, class Paper>
std::vector<TableLine> run_lines(const TableArguments& arguments, Config config, const TableType& table,
                                 std::vector<double> caps, const std::vector<double>& paper_caps, const Paper& paper) {
  at::set_num_threads(config.threads);
  const bool as_paper = caps.empty();
  if (as_paper) caps = paper_caps;
  std::vector<std::pair<std::string, double>> wanted = {{"equal_weight", 1}};
  for (const double cap : caps) {
    for (const std::string& method : arguments.methods) {
      if (!as_paper || in_paper(method, cap)) wanted.emplace_back(method, cap);
    }
  }
  std::vector<TableLine> lines;
  if (!arguments.store.empty()) {
    const std::vector<json> reports = reports_from(sweep_for(arguments, config, wanted),
                                                   sweep_into(arguments.store, arguments.jobs, arguments.format));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const auto& [method, cap] = wanted[k];
      lines.push_back({set_name(cap), method, reports[k], paper(method, cap)});
    }
    return lines;
  }
  int trainings = 0;
  for (const auto& [method, cap] : wanted) {
    config.layer = layer_named(method);
    trainings += config.layer.equal_weight() ? 1 : config.seeds;
    if (arguments.tune) trainings += grid_size(config);
  }
  WorkProgress bar(trainings, false);
  const StopOnSignal stop;
  std::string write_error;
  const TableWork work{bar, stop.flag(), jobs_or_default(arguments.jobs, config.threads), write_error};
  const auto add = [&](const std::string& method, double cap) {
    config.layer = layer_named(method);
    config.cap = cap;
    std::filesystem::path out;
    if (!arguments.runs.empty()) {
      out = std::filesystem::path(arguments.runs) / fmt::format("{}-{}-{:g}", arguments.universe, method, cap);
    }
    write_error.clear();
    json report = run_or_read(config, arguments.tune, table, out, work);
    lines.push_back({set_name(cap), method, std::move(report), paper(method, cap), write_error});
  };
  for (const auto& [method, cap] : wanted) {
    add(method, cap);
    if (stop.flag().load())
      throw Interrupted(arguments.runs.empty()
                            ? ""
                            : "; what is finished is in " + arguments.runs + ", and the same command goes on");
  }
  return lines;
}

// The caps of the paper's table for a universe, largest first.
std::vector<double> paper_caps(std::span<const PaperPortfolioRow> paper, const std::string& universe) {
  std::set<double, std::greater<>> caps;
  for (const PaperPortfolioRow& row : paper) {
    if (row.universe == universe) caps.insert(row.cap);
  }
  return {caps.begin(), caps.end()};
}

// The prices that the user names, or else synthetic ones of the universe for the comparison.
std::string prices_or_synthetic(const CLI::Option& given, const TableArguments& arguments,
                                const PortfolioConfig& config) {
  return given.empty() ? "synthetic:" + arguments.universe : config.prices;
}

// The paper has no table of variances.
std::span<const PaperPortfolioRow> paper_rows(PortfolioObjective objective) {
  switch (objective) {
    case PortfolioObjective::net:
      return paper_net_table();
    case PortfolioObjective::gross:
      return paper_gross_table();
    case PortfolioObjective::variance:
      break;
  }
  return {};
}

// The paper's numbers as text; empty if there are none.
std::string paper_text(const PortfolioConfig& config, const std::string& universe, const std::string& method,
                       double cap) {
  for (const PaperPortfolioRow& row : paper_rows(config.model.objective)) {
    if (row.universe != universe || row.method != method || row.cap != cap) continue;
    return fmt::format("{:.2f} +- {:.2f}, {:.2f}", row.sharpe, row.sharpe_std, row.turnover);
  }
  return {};
}
std::string paper_text(const DispatchConfig& /*config*/, const std::string& /*universe*/, const std::string& method,
                       double kappa) {
  for (const PaperDispatchRow& row : paper_dispatch_table()) {
    if (row.method == method && row.kappa == kappa) {
      return fmt::format("{:.2f} +- {:.2f}", row.served_rate, row.served_rate_std);
    }
  }
  return {};
}

ExitCode portfolio_table(const TableArguments& arguments, const PortfolioConfig& config,
                         const std::vector<double>& caps) {
  const auto lines = run_lines(
      arguments, config, load_prices_and_warn(config.prices, config.data_seed), caps,
      paper_caps(paper_net_table(), arguments.universe),
      [&](const std::string& method, double cap) { return paper_text(config, arguments.universe, method, cap); });
  print_portfolio_lines(style_of(arguments), config.model.objective, lines, config.prices);
  return done_unless_unwritten(lines);
}

ExitCode dispatch_table(const TableArguments& arguments, const DispatchConfig& config,
                        const std::vector<double>& kappas) {
  const auto lines = run_lines(
      arguments, config, load_demand_and_warn(config.demand, config.zones, config.data_seed), kappas, {1.0, 0.1, 0.02},
      [&](const std::string& method, double kappa) { return paper_text(config, arguments.universe, method, kappa); });
  print_dispatch_lines(style_of(arguments), lines, config.demand);
  return done_unless_unwritten(lines);
}

// ---- the groups of a sweep file

// "liquid cap 0.05": the name of a line of a sweep, with the universe named after its data.
std::string universe_of(const PortfolioConfig& config) {
  const std::string source = config.prices.substr(config.prices.find(':') + 1);
  const std::string name = std::filesystem::path(source).filename().string();
  return name.substr(0, name.find('.'));
}

TableLine line_of(const PortfolioConfig& config, json report) {
  const std::string universe = universe_of(config);
  return {universe + " " + set_name(config.cap), config.layer.method, std::move(report),
          paper_text(config, universe, config.layer.method, config.cap)};
}
TableLine line_of(const DispatchConfig& config, json report) {
  return {set_name(config.cap), config.layer.method, std::move(report),
          paper_text(config, "", config.layer.method, config.cap)};
}

ExitCode sweep_table(const TableArguments& arguments, const SweepArguments& wanted) {
  const Sweep sweep = read_sweep(wanted.file, wanted.choice);
  const bool portfolio = std::holds_alternative<std::shared_ptr<StudyData<PortfolioConfig>>>(sweep.data);
  std::vector<TableLine> lines;
  PortfolioObjective objective = PortfolioObjective::net;
  for (json& report : reports_from(sweep, wanted)) {
    json config = report.at("config");
    config.update({{"seed", 0}, {"seeds", 1}, {"threads", 1}});
    if (portfolio) {
      const PortfolioConfig trained = portfolio_config(config);
      objective = trained.model.objective;
      lines.push_back(line_of(trained, std::move(report)));
    } else {
      lines.push_back(line_of(dispatch_config(config), std::move(report)));
    }
  }
  const std::string data = wanted.file + ", " + wanted.store;
  if (portfolio) {
    print_portfolio_lines(style_of(arguments), objective, lines, data);
  } else {
    print_dispatch_lines(style_of(arguments), lines, data);
  }
  return done_unless_unwritten(lines);
}

// Our numbers as fractions, the paper's in per cent as printed.
ExitCode print_summary_json(const TableArguments& arguments, const std::string& source, const PriceTable& prices) {
  json out = {{"data", source}, {"universe", arguments.universe}, {"ours", json::array()}, {"paper", json::array()}};
  const auto row = [](const auto& s) {
    return json{{"split", s.split},
                {"mean", s.mean},
                {"median", s.median},
                {"volatility", s.volatility},
                {"max_drawdown", s.max_drawdown},
                {"correlation", s.correlation},
                {"autocorrelation", s.autocorrelation},
                {"ks_p_value", s.ks_p_value ? json(*s.ks_p_value) : json(nullptr)}};
  };
  for (const SplitSummary& s : summarize(prices, table_splits())) out["ours"].push_back(row(s));
  for (const PaperSummaryRow& p : paper_summary_table()) {
    if (p.universe == arguments.universe) out["paper"].push_back(row(p));
  }
  OutputFile file(STDOUT_FILENO);
  file.append(out.dump() + "\n");
  file.finish();
  return ExitCode::done;
}

ExitCode summary_table(const TableArguments& arguments, const PortfolioConfig& config) {
  const PriceTable prices = load_prices_and_warn(config.prices, config.data_seed);
  if (arguments.format == Format::json) return print_summary_json(arguments, config.prices, prices);
  TextTable rows = {{"split", "", "mean %", "median %", "volatility %", "drawdown %", "correlation", "AC(1)", "KS p"}};
  const auto number = [](double v) { return fmt::format("{:.2f}", v); };
  for (const SplitSummary& s : summarize(prices, table_splits())) {
    rows.push_back({s.split, "ours", number(100 * s.mean), number(100 * s.median), number(100 * s.volatility),
                    number(100 * s.max_drawdown), number(s.correlation), fmt::format("{:.3f}", s.autocorrelation),
                    s.ks_p_value ? fmt::format("{:.3f}", *s.ks_p_value) : "-"});
    for (const PaperSummaryRow& p : paper_summary_table()) {
      if (p.universe != arguments.universe || p.split != s.split) continue;
      rows.push_back({s.split, "paper", number(p.mean), number(p.median), number(p.volatility), number(p.max_drawdown),
                      number(p.correlation), fmt::format("{:.3f}", p.autocorrelation),
                      p.ks_p_value ? fmt::format("{:.3f}", *p.ks_p_value) : "-"});
    }
  }
  print_table(rows, config.prices, arguments.format);
  return ExitCode::done;
}

void add_table_flags(CLI::App& command, TableArguments& arguments) {
  CLI::Option* const runs = command
                                .add_option("--runs", arguments.runs,
                                            "Folder of runs: runs that are there are read, new ones are saved there")
                                ->type_name("DIR");
  command
      .add_option("--store", arguments.store,
                  "Store of a sweep: trials that are there are read, the others are trained and added")
      ->type_name("FILE")
      ->excludes(runs);
  std::vector<std::string> names;
  for (const std::string_view name : method_names()) names.emplace_back(name);
  command.add_option("--method", arguments.methods, "Methods, separated by commas")
      ->delimiter(',')
      ->check(one_of(names))
      ->capture_default_str();
  command.add_flag("--tune", arguments.tune,
                   "First choose the parameters of each layer from the paper's grid, on validation");
  add_number(command, "--jobs", arguments.jobs, kJobs,
             "Trainings at a time (default: the cores); the results are the same");
  add_format(command, arguments.format);
}

CLI::Option* add_universe(CLI::App& command, TableArguments& arguments) {
  return command
      .add_option("--universe", arguments.universe, "Universe whose numbers in the paper are shown next to ours")
      ->check(one_of({"liquid", "sectors", "global"}))
      ->capture_default_str();
}

}  // namespace

void add_table_command(CLI::App& program, Action& chosen) {
  CLI::App& table = *program.add_subcommand("table", "Reproduce the paper's tables, with its numbers next to ours");
  table.require_subcommand(1);
  table.footer(kTableExamples);

  struct Portfolio {
    TableArguments arguments;
    PortfolioConfig config;
    std::vector<double> caps;
  };
  const auto portfolio = std::make_shared<Portfolio>();
  portfolio->config.seeds = 5;
  CLI::App& prices = *table.add_subcommand("portfolio", "Net Sharpe ratio and turnover of every method");
  add_universe(prices, portfolio->arguments);
  add_table_flags(prices, portfolio->arguments);
  add_task_flags(prices, portfolio->config);
  add_training_flags(prices, portfolio->config);
  prices.remove_option(prices.get_option("--cap"));
  add_numbers(prices, "--cap", portfolio->caps, kShare,
              "Caps, separated by commas (default: those of the paper; 1: no cap)");
  const CLI::Option* const given = prices.get_option("--prices")->default_str("synthetic:UNIVERSE");
  prices.callback([portfolio, given, &chosen] {
    chosen = [portfolio, given] {
      portfolio->config.prices = prices_or_synthetic(*given, portfolio->arguments, portfolio->config);
      return portfolio_table(portfolio->arguments, portfolio->config, portfolio->caps);
    };
  });

  struct Dispatch {
    TableArguments arguments;
    DispatchConfig config;
    std::vector<double> kappas;
  };
  const auto dispatch = std::make_shared<Dispatch>();
  dispatch->config.seeds = 5;
  dispatch->arguments.universe = "dispatch";
  CLI::App& demand = *table.add_subcommand("dispatch", "Served rate of every method");
  add_table_flags(demand, dispatch->arguments);
  add_task_flags(demand, dispatch->config);
  add_training_flags(demand, dispatch->config);
  demand.remove_option(demand.get_option("--kappa"));
  add_numbers(demand, "--kappa", dispatch->kappas, kShare, "Caps, separated by commas (default: 1, 0.1, 0.02)");
  demand.callback([dispatch, &chosen] {
    chosen = [dispatch] { return dispatch_table(dispatch->arguments, dispatch->config, dispatch->kappas); };
  });

  struct FromSweep {
    TableArguments arguments;
    SweepArguments sweep;
  };
  const auto from_sweep = std::make_shared<FromSweep>();
  CLI::App& groups = *table.add_subcommand("sweep", "Results of a sweep file; trains the trials that its store lacks");
  add_sweep_choice(groups, from_sweep->sweep);
  groups.get_option("--store")->required();
  add_number(groups, "--jobs", from_sweep->sweep.jobs, kJobs,
             "Trainings at a time (default: the cores); the results are the same");
  add_format(groups, from_sweep->arguments.format);
  groups.callback([from_sweep, &chosen] {
    chosen = [from_sweep] {
      from_sweep->sweep.resume = true;
      from_sweep->sweep.format = from_sweep->arguments.format;
      from_sweep->arguments.tune = true;  // the chosen parameters are printed below the table
      return sweep_table(from_sweep->arguments, from_sweep->sweep);
    };
  });

  const auto summary = std::make_shared<Portfolio>();
  CLI::App& statistics = *table.add_subcommand("summary", "Summary statistics of prices");
  add_universe(statistics, summary->arguments);
  const CLI::Option* const source = statistics.add_option("--prices", summary->config.prices, "Prices")
                                        ->type_name("SOURCE")
                                        ->default_str("synthetic:UNIVERSE");
  add_format(statistics, summary->arguments.format);
  statistics.callback([summary, source, &chosen] {
    chosen = [summary, source] {
      summary->config.prices = prices_or_synthetic(*source, summary->arguments, summary->config);
      return summary_table(summary->arguments, summary->config);
    };
  });
}

}  // namespace softradial::program
