#include "train/run_flags.hpp"

#include "command.hpp"
#include "data/calendar.hpp"
#include "softradial/set_json.hpp"

namespace softradial::program {
namespace {

using study::DispatchConfig;
using study::PortfolioConfig;
using study::PortfolioObjective;
using study::RunConfig;

void add_date(CLI::App& command, const std::string& flag, std::chrono::sys_days& day, const std::string& description) {
  command
      .add_option_function<std::string>(
          flag,
          [&day, flag](const std::string& text) {
            const auto parsed = study::parse_date(text);
            if (!parsed) throw CLI::ValidationError(flag, "'" + text + "' is no date (expected 2018-12-31)");
            day = *parsed;
          },
          description)
      ->type_name("DATE")
      ->default_str(study::format_date(day));
}

}  // namespace

void add_method_flags(CLI::App& command, RunFlags& flags) {
  std::vector<std::string> names = {"equal_weight"};
  for (const std::string_view name : method_names()) names.emplace_back(name);
  command.add_option("--method", flags.method, "The constraint layer (docs/methods), or equal_weight")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command.add_option("--contraction", flags.contraction, "rational, exponential, hyperbolic (soft_radial, gauge_map)")
      ->check(CLI::IsMember({"rational", "exponential", "hyperbolic"}));
  command.add_option("--lambda", flags.lambda, "Scale of the contraction, 1 (soft_radial, gauge_map)");
  command.add_option("--epsilon", flags.epsilon, "Slope at the anchor, 0.01 (soft_radial)");
  command.add_option("--temperature", flags.temperature, "Of softmax, 1");
  command.add_option("--steps", flags.steps, "Of dc3 (5) and hardnet (3)");
  command.add_option("--correction-rate", flags.correction_rate, "Learning rate of dc3's steps, 0.01");
  command.add_option("--momentum", flags.momentum, "Of dc3's steps, 0.5");
}

void add_training_flags(CLI::App& command, RunFlags& flags, RunConfig& config) {
  command.add_option("--set", flags.set_file, "Constraints beyond a cap: a set (SET.json) of the data's dimension")
      ->type_name("FILE");
  command.add_option("--penalty-weight", config.layer.penalty_weight, "Of soft_penalty, in the loss")
      ->capture_default_str();
  command.add_option("--learning-rate", config.training.adam.learning_rate, "Adam's")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--epochs", config.training.epochs, "Passes over the training data")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      .add_option("--patience", config.training.patience,
                  "Stop after so many epochs without a better validation; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--seed", config.training.seed, "The first seed")->capture_default_str();
  command.add_option("--seeds", config.seeds, "Trials, with consecutive seeds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--threads", config.threads, "Threads; with 1 a seed gives the same bits again")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
}

void add_portfolio_flags(CLI::App& command, PortfolioConfig& config) {
  command
      .add_option("--prices", config.prices,
                  "A price table, a folder of them, or synthetic:liquid|sectors|global (docs/data.md)")
      ->type_name("SOURCE")
      ->capture_default_str();
  command.add_option("--data-seed", config.data_seed, "Of synthetic prices")->capture_default_str();
  command.add_option("--cap", config.cap, "Largest weight of one asset; 1: the simplex")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--hidden", config.model.hidden, "Hidden units of the LSTM")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--lookback", config.lookback, "Days that a decision sees")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--dropout", config.model.dropout, "Before the last layer")
      ->check(CLI::Range(0.0, 0.99))
      ->capture_default_str();
  command.add_option("--batch", config.model.batch, "Consecutive days in a batch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--cost", config.model.cost, "Per unit of turnover")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_choice(command, "--objective", config.model.objective,
             {{"net", PortfolioObjective::net}, {"gross", PortfolioObjective::gross}},
             "Sharpe ratio after or before costs");
  add_date(command, "--train-end", config.split.train_end, "Last day of training");
  add_date(command, "--validation-end", config.split.validation_end,
           "Last day of validation; the test is what follows");
}

void add_dispatch_flags(CLI::App& command, DispatchConfig& config) {
  command.add_option("--demand", config.demand, "An hourly table, or synthetic:taxi (docs/data.md)")
      ->type_name("SOURCE")
      ->capture_default_str();
  command.add_option("--data-seed", config.data_seed, "Of synthetic demand")->capture_default_str();
  command.add_option("--zones", config.zones, "The busiest zones")->check(CLI::PositiveNumber)->capture_default_str();
  command.add_option("--kappa", config.cap, "Largest share of one zone; 1: the simplex")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--hidden", config.model.hidden, "Hidden units of the MLP")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--history", config.history, "Hours that a decision sees")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--dropout", config.model.dropout, "After each hidden layer")
      ->check(CLI::Range(0.0, 0.99))
      ->capture_default_str();
  command.add_option("--batch", config.model.batch, "Hours in a batch")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--soft-min", config.model.temperature, "Temperature of SoftMin in training")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

void apply(const RunFlags& flags, RunConfig& config) {
  config.layer.method = flags.method;
  if (!config.layer.equal_weight()) {
    config.layer.options = method_named(flags.method);
    if (!flags.contraction.empty()) set_contraction(config.layer.options, flags.contraction);
    const std::pair<const char*, const std::optional<double>*> numbers[] = {{"lambda", &flags.lambda},
                                                                            {"epsilon", &flags.epsilon},
                                                                            {"temperature", &flags.temperature},
                                                                            {"steps", &flags.steps},
                                                                            {"learning_rate", &flags.correction_rate},
                                                                            {"momentum", &flags.momentum}};
    for (const auto& [name, value] : numbers) {
      if (*value) set_option(config.layer.options, name, **value);
    }
  }
  if (!flags.set_file.empty()) config.set_json = to_json(load_set(flags.set_file));
}

}  // namespace softradial::program
