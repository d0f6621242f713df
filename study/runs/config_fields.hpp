#pragma once

#include <array>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runs/field_range.hpp"
#include "runs/run_config.hpp"

// The fields of a configuration, each stated once: its name, its place, its meaning and its range. The JSON writer and reader
// (run_config.cpp), the flags of `softradial train`, their help and its TOML files are all derived from these lists.
namespace softradial::study {

inline constexpr std::string_view kFlagLikeKey = "=";  // the flag is the key, with "-" instead of "_"
inline constexpr std::string_view kNoFlag = "";        // the field has no flag on the command line

struct Field {
  std::string_view key;  // name in JSON
  std::string_view help = "";
  FieldRange range = kAnyNumber;  // checked where a user gives the value: on the command line and in TOML
  std::string_view flag = kFlagLikeKey;
  std::string_view type_name = "";  // shown in the help instead of the name of the C++ type
  // false: JSON leaves the field out. Fields that were added later are saved only if they differ from the old behaviour, so
  // that configurations saved before stay the same.
  bool is_saved = true;

  // The field's name on the command line and in TOML, without the dashes; empty if it has none.
  [[nodiscard]] std::string flag_name() const {
    std::string name(flag == kFlagLikeKey ? key : flag);
    for (char& c : name) c = c == '_' ? '-' : c;
    return name;
  }
};

// The words for the values of an enumeration.
template <class Value>
using Words = std::vector<std::pair<std::string, Value>>;
[[nodiscard]] inline Words<PortfolioObjective> words_of(PortfolioObjective) {
  return {{"net", PortfolioObjective::net},
          {"gross", PortfolioObjective::gross},
          {"variance", PortfolioObjective::variance}};
}
[[nodiscard]] inline Words<PortfolioModelKind> words_of(PortfolioModelKind) {
  return {{"lstm", PortfolioModelKind::lstm}, {"shared", PortfolioModelKind::shared}};
}
[[nodiscard]] inline Words<PortfolioAnchor> words_of(PortfolioAnchor) {
  return {{"fixed", PortfolioAnchor::fixed}, {"drifted", PortfolioAnchor::drifted}};
}
template <class Value>
requires std::is_enum_v<Value>
[[nodiscard]] std::string word_of(Value value) {
  for (const auto& [word, meant] : words_of(value)) {
    if (meant == value) return word;
  }
  return "";
}

// The following functions call visit(field, value) for each field, with a reference to the value in the configuration.
// `Config` is the type of the configuration, const or not.

template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, PortfolioConfig>
void for_each_task_field(Config& c, const Visit& visit) {
  visit(Field{.key = "prices",
              .help = "Price table, folder of price tables, or synthetic:liquid|sectors|global (docs/data.md)",
              .type_name = "SOURCE"},
        c.prices);
  visit(Field{.key = "data_seed", .help = "Seed of synthetic prices", .range = kSeed}, c.data_seed);
  visit(Field{.key = "cap", .help = "Largest weight of one asset (1: no cap)", .range = kShare}, c.cap);
  visit(Field{.key = "hidden", .help = "Hidden units of the model", .range = at_least_1_up_to(65536)}, c.model.hidden);
  visit(Field{.key = "lookback", .help = "Days that a decision sees", .range = at_least_1_up_to(10000)}, c.lookback);
  visit(Field{.key = "dropout", .help = "Dropout before the last layer", .range = {0, 0.99}}, c.model.dropout);
  visit(Field{.key = "batch", .help = "Consecutive days in a batch", .range = {.least = 3, .most = 1e6}},
        c.model.batch);
  visit(Field{.key = "cost", .help = "Cost per unit of turnover", .range = {.least = 0, .most = 1}}, c.model.cost);
  visit(Field{.key = "huber", .flag = kNoFlag}, c.model.huber);
  visit(Field{.key = "objective", .help = "Sharpe ratio after costs (net), before costs (gross), or smallest variance"},
        c.model.objective);
  visit(Field{.key = "model",
              .help = "An LSTM of all assets (lstm), or one small network that all assets share (shared)",
              .is_saved = c.model.kind != PortfolioModelKind::lstm},
        c.model.kind);
  visit(Field{.key = "smoothing",
              .help = "Weight of the day before in each decision: 0.9 moves a tenth of the way in a day",
              .range = {.least = 0, .most = 0.999},
              .is_saved = c.model.smoothing != 0},
        c.model.smoothing);
  visit(Field{.key = "anchor",
              .help = "The layer sees the set from its centre (fixed) or from the drifted weights of the day before",
              .is_saved = c.model.anchor != PortfolioAnchor::fixed},
        c.model.anchor);
  visit(Field{.key = "train_end", .help = "Last day of training", .type_name = "DATE"}, c.split.train_end);
  visit(Field{.key = "validation_end", .help = "Last day of validation; the test begins after it", .type_name = "DATE"},
        c.split.validation_end);
}

template <class Config, class Visit>
requires std::same_as<std::remove_const_t<Config>, DispatchConfig>
void for_each_task_field(Config& c, const Visit& visit) {
  visit(Field{.key = "demand", .help = "Hourly table, or synthetic:taxi (docs/data.md)", .type_name = "SOURCE"},
        c.demand);
  visit(Field{.key = "data_seed", .help = "Seed of synthetic demand", .range = kSeed}, c.data_seed);
  visit(Field{.key = "zones", .help = "Number of zones; the busiest are kept", .range = at_least_1_up_to(1e6)},
        c.zones);
  visit(Field{.key = "cap", .help = "Largest share of one zone (1: no cap)", .range = kShare, .flag = "kappa"}, c.cap);
  visit(Field{.key = "hidden", .help = "Hidden units of the MLP", .range = at_least_1_up_to(65536)}, c.model.hidden);
  visit(Field{.key = "history", .help = "Hours that a decision sees", .range = at_least_1_up_to(10000)}, c.history);
  visit(Field{.key = "dropout", .help = "Dropout after each hidden layer", .range = {0, 0.99}}, c.model.dropout);
  visit(Field{.key = "batch", .help = "Hours in a batch", .range = at_least_1_up_to(1e6)}, c.model.batch);
  visit(Field{.key = "temperature",
              .help = "SoftMin temperature in training (0: the hard minimum)",
              .range = kNotNegative,
              .flag = "soft-min"},
        c.model.temperature);
  visit(Field{.key = "train", .flag = kNoFlag}, c.split.train);
  visit(Field{.key = "validation", .flag = kNoFlag}, c.split.validation);
}

template <class Config, class Visit>
requires std::derived_from<std::remove_const_t<Config>, RunConfig>
void for_each_training_field(Config& c, const Visit& visit) {
  visit(Field{.key = "penalty_weight",
              .help = "Weight of the penalty in the loss of soft_penalty",
              .range = kNotNegative,
              .is_saved = c.layer.method == "soft_penalty"},
        c.layer.penalty_weight);
  visit(Field{.key = "learning_rate", .help = "Learning rate of Adam", .range = kPositive},
        c.training.adam.learning_rate);
  visit(Field{.key = "epochs", .help = "Passes over the training data", .range = at_least_1_up_to(1e6)},
        c.training.epochs);
  visit(Field{.key = "patience",
              .help = "Stop after this many epochs without a better validation (0: never)",
              .range = {.least = 0, .most = 1e6}},
        c.training.patience);
  visit(Field{.key = "seed", .help = "First seed", .range = kSeed}, c.training.seed);
  visit(Field{.key = "seeds", .help = "Number of trials, with consecutive seeds", .range = at_least_1_up_to(10000)},
        c.seeds);
  visit(Field{.key = "threads",
              .help = "Number of threads; with 1, a seed gives the same bits again",
              .range = at_least_1_up_to(1024)},
        c.threads);
}

// The numbers of a method that have a flag. JSON saves all numbers of the method by the names of its options.
struct MethodNumber {
  std::string_view flag;
  std::string_view option;  // the option's name in set_option
  std::string_view help;
};
inline constexpr std::array<MethodNumber, 6> kMethodNumbers = {
    {{"lambda", "lambda", "Scale of the contraction (default 1; soft_radial, gauge_map)"},
     {"epsilon", "epsilon", "Slope at the anchor (default 0.01; soft_radial)"},
     {"temperature", "temperature", "Softmax temperature (default 1)"},
     {"steps", "steps", "Number of correction steps (default 5 for dc3, 3 for hardnet)"},
     {"correction-rate", "learning_rate", "Learning rate of the correction steps of dc3 (default 0.01)"},
     {"momentum", "momentum", "Momentum of the correction steps of dc3 (default 0.5)"}}};

}  // namespace softradial::study
