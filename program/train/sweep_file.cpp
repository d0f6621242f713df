#include "train/sweep_file.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "command.hpp"
#include "number_option.hpp"
#include "outcome.hpp"
#include "runs/trial_report.hpp"
#include "sweep/trainer.hpp"
#include "train/config_flags.hpp"
#include "train/toml_flags.hpp"

namespace softradial::program {
namespace {

using namespace softradial::study;

// A key and one of its values, as they stand in the file.
struct Assignment {
  const toml::key* key;
  const toml::node* value;
};
// Assignments by key, so that a later one replaces an earlier one.
using Assignments = std::map<std::string, Assignment>;

// A key and the values that it takes in turn.
struct Axis {
  const toml::key* key;
  std::vector<const toml::node*> values;
};

// Every combination of the values of the axes, added to `first`; the last axis changes fastest.
std::vector<Assignments> product(const Assignments& first, const std::vector<Axis>& axes) {
  std::vector<Assignments> all = {first};
  for (const Axis& axis : axes) {
    std::vector<Assignments> more;
    for (const Assignments& each : all) {
      for (const toml::node* value : axis.values) {
        more.push_back(each);
        more.back().insert_or_assign(std::string(axis.key->str()), Assignment{axis.key, value});
      }
    }
    all = std::move(more);
  }
  return all;
}

// One configuration, made through the flags of `softradial train`.
template <class Config>
class ConfigReader {
 public:
  ConfigReader() {
    add_task_flags(command_, config_);
    add_layer_flags(command_, flags_);
    add_training_flags(command_, config_);
    // A trial has one thread: as many trials run at a time as there are cores.
    command_.remove_option(command_.get_option("--threads"));
  }

  [[nodiscard]] CLI::App& command() { return command_; }

  [[nodiscard]] Config read(const std::string& file, const Assignments& assignments) {
    const toml::key* last = nullptr;
    for (const auto& [name, assignment] : assignments) {
      give(command_, file, *assignment.key, *assignment.value);
      last = assignment.key;
    }
    try {
      apply(flags_, config_);
    } catch (const Error& error) {
      const auto method = assignments.find("method");
      const toml::key* const place = method != assignments.end() ? method->second.key : last;
      throw BadInput((place != nullptr ? place_in(file, place->source()) : file + ": ") + error.what());
    }
    return config_;
  }

 private:
  CLI::App command_;
  Config config_;
  LayerFlags flags_;
};

std::string& source_of(PortfolioConfig& config) { return config.prices; }
std::string& source_of(DispatchConfig& config) { return config.demand; }

class SweepReader {
 public:
  SweepReader(std::string file, SweepChoice choice)
      : file_(std::move(file)), choice_(std::move(choice)), root_(parse_toml(file_)) {}

  Sweep read() {
    for (const auto& [key, value] : root_) {
      static const std::set<std::string, std::less<>> known = {"task",   "decisions", "base",  "grid",
                                                               "method", "setting",   "search"};
      if (!known.contains(key.str())) {
        throw BadInput(at(key) + "unknown key " + program::quoted(key.str()) +
                       ": a sweep has task, decisions, base, grid, method, setting, search");
      }
    }
    const auto task = root_["task"].value<std::string>();
    if (task == "portfolio") return read_task<PortfolioConfig>();
    if (task == "dispatch") return read_task<DispatchConfig>();
    throw BadInput(file_ + ": task: expected \"portfolio\" or \"dispatch\"");
  }

 private:
  // The section of a method: values for the method's own numbers.
  struct Method {
    const toml::key* key = nullptr;
    std::vector<Axis> axes;
    bool is_wanted = false;  // a setting uses it
  };

  [[nodiscard]] std::string at(const toml::key& key) const { return place_in(file_, key.source()); }

  [[nodiscard]] const toml::table& section(std::string_view name) const {
    static const toml::table none;
    const toml::node* const node = root_.get(name);
    if (node == nullptr) return none;
    if (!node->is_table()) {
      throw BadInput(place_in(file_, node->source()) + std::string(name) + ": expected a section, [" +
                     std::string(name) + "]");
    }
    return *node->as_table();
  }

  // The keys of a section with their lists of values; a single value is a list of one.
  [[nodiscard]] std::vector<Axis> axes_of(const toml::table& table, const std::set<std::string>& refused) const {
    std::vector<Axis> axes;
    for (const auto& [key, value] : table) {
      if (refused.contains(std::string(key.str()))) {
        throw BadInput(at(key) + std::string(key.str()) + ": stands in [base]: it is the same for all trials");
      }
      Axis axis{.key = &key, .values = {}};
      if (const toml::array* list = value.as_array()) {
        for (const toml::node& each : *list) axis.values.push_back(&each);
        if (list->empty()) throw BadInput(at(key) + std::string(key.str()) + ": the list is empty");
      } else {
        axis.values.push_back(&value);
      }
      axes.push_back(std::move(axis));
    }
    return axes;
  }

  // "cap=0.05 prices=liquid.csv"; with `varied`, only keys that have several values.
  [[nodiscard]] std::string words(CLI::App& command, const std::vector<Axis>& axes, const Assignments& chosen,
                                  bool varied) const {
    std::string text;
    for (const Axis& axis : axes) {
      if (varied && axis.values.size() == 1) continue;
      const std::string name(axis.key->str());
      const Assignment& each = chosen.at(name);
      const CLI::Option& option = option_of(command, file_, *each.key);
      text += (text.empty() ? "" : " ") + name + "=" + checked_word(file_, *each.key, *each.value, option);
    }
    return text;
  }

  [[nodiscard]] KeptDecisions read_decisions() const {
    std::optional<KeptDecisions> decisions;
    CLI::App command;
    add_decisions(command, decisions);
    if (const auto found = root_.find("decisions"); found != root_.end()) {
      give(command, file_, found->first, found->second);
    }
    if (choice_.decisions) decisions = choice_.decisions;
    return decisions.value_or(SweepPlan().decisions);
  }

  Search read_search() const {
    Search search;
    CLI::App command;
    add_choice(command, "--kind", search.kind,
               {{"grid", SearchKind::grid}, {"random", SearchKind::random}, {"halving", SearchKind::halving}}, "");
    add_number(command, "--count", search.count, at_least_1_up_to(1e9), "");
    add_number(command, "--seed", search.seed, kSeed, "");
    add_number(command, "--first-epochs", search.first_epochs, at_least_1_up_to(1e6), "");
    add_number(command, "--keep", search.keep, {.least = 2, .most = 1000}, "");
    const toml::table& table = section("search");
    for (const auto& [key, value] : table) give(command, file_, key, value);
    const auto refuse = [&](const char* name, const char* why) {
      if (const auto found = table.find(name); found != table.end()) {
        throw BadInput(at(found->first) + name + ": " + why);
      }
    };
    if (search.kind == SearchKind::grid) {
      for (const char* name : {"count", "seed"}) refuse(name, "is for the kinds \"random\" and \"halving\"");
    }
    if (search.kind != SearchKind::halving) {
      for (const char* name : {"first-epochs", "keep"}) refuse(name, "is for the kind \"halving\"");
    }
    if (search.kind == SearchKind::random && search.count == 0) {
      throw BadInput(file_ + ": search: the kind \"random\" needs a count");
    }
    if (choice_.count) {
      search.count = *choice_.count;
      if (search.kind == SearchKind::grid) search.kind = SearchKind::random;
    }
    if (choice_.seed && search.count == 0) {
      throw BadInput("--random-seed: all candidates are trained; --random draws some of them");
    }
    if (choice_.seed) search.seed = *choice_.seed;
    return search;
  }

  [[nodiscard]] std::map<std::string, Method> read_methods(const std::set<std::string>& fixed) const {
    std::map<std::string, Method> methods;
    for (const auto& [key, value] : section("method")) {
      if (!value.is_table()) {
        throw BadInput(at(key) + "method." + std::string(key.str()) + ": expected a section, [method." +
                       std::string(key.str()) + "]");
      }
      methods[std::string(key.str())] = {.key = &key, .axes = axes_of(*value.as_table(), fixed)};
    }
    return methods;
  }

  template <class Config>
  Sweep read_task() {
    const auto data =
        std::make_shared<StudyData<Config>>([](const std::string& warning) { tell("warning: " + warning); });
    Sweep sweep;
    sweep.data = data;
    sweep.plan.name = std::filesystem::path(file_).stem();
    sweep.plan.search = read_search();
    sweep.plan.decisions = read_decisions();

    const std::set<std::string> fixed = {"seed", "seeds"};
    Assignments base;
    for (const auto& [key, value] : section("base"))
      base.insert_or_assign(std::string(key.str()), Assignment{&key, &value});
    std::set<std::string> fixed_in_grid = fixed;
    fixed_in_grid.insert("method");
    if (sweep.plan.search.kind == SearchKind::halving) fixed_in_grid.insert("epochs");
    const std::vector<Axis> grid = axes_of(section("grid"), fixed_in_grid);
    std::map<std::string, Method> methods = read_methods(fixed_in_grid);
    ConfigReader<Config> flags;

    for (const std::vector<Axis>& given : read_settings(fixed)) {
      std::vector<Axis> setting = given;
      const auto named = std::ranges::find(setting, "method", [](const Axis& axis) { return axis.key->str(); });
      std::vector<std::pair<std::string, Assignment>> wanted = methods_of<Config>(named, setting, methods, base);
      if (named != setting.end()) setting.erase(named);
      for (const Assignments& chosen : product(base, setting)) {
        for (const auto& [method, assignment] : wanted) {
          Assignments first = chosen;
          first.insert_or_assign("method", assignment);
          std::vector<Axis> axes;
          // Equal weight has no parameters to search.
          if (method != "equal_weight") axes = grid;
          if (const auto found = methods.find(method); found != methods.end()) {
            found->second.is_wanted = true;
            for (const Axis& own : found->second.axes) {
              std::erase_if(axes, [&](const Axis& axis) { return axis.key->str() == own.key->str(); });
              axes.push_back(own);
            }
          }
          sweep.plan.groups.push_back(
              group_of(words(flags.command(), setting, chosen, false), first, axes, sweep.plan.search, flags, *data));
        }
      }
    }
    for (const auto& [name, method] : methods) {
      if (!method.is_wanted) throw BadInput(at(*method.key) + "method." + name + ": no setting has this method");
    }
    refuse_same_groups(sweep.plan);
    return sweep;
  }

  // Refuses groups of the same name, which could not be told apart in the store.
  void refuse_same_groups(const SweepPlan& plan) const {
    std::set<std::pair<std::string, std::string>> names;
    for (const Group& group : plan.groups) {
      if (!names.emplace(group.setting, group.method).second) {
        throw BadInput(file_ + ": two settings are the same: " + (group.setting.empty() ? "" : group.setting + ", ") +
                       group.method);
      }
    }
  }

  [[nodiscard]] std::vector<std::vector<Axis>> read_settings(const std::set<std::string>& fixed) const {
    const toml::node* const node = root_.get("setting");
    if (node == nullptr) return {{}};
    const toml::array* const list = node->as_array();
    if (list == nullptr || !list->is_array_of_tables()) {
      throw BadInput(place_in(file_, node->source()) + "setting: expected sections, [[setting]]");
    }
    std::vector<std::vector<Axis>> settings;
    for (const toml::node& each : *list) settings.push_back(axes_of(*each.as_table(), fixed));
    return settings;
  }

  // The methods of a setting: those that it names, else those with a section, else the method of [base].
  template <class Config>
  [[nodiscard]] std::vector<std::pair<std::string, Assignment>> methods_of(std::vector<Axis>::iterator named,
                                                                           const std::vector<Axis>& setting,
                                                                           const std::map<std::string, Method>& methods,
                                                                           const Assignments& base) {
    std::vector<std::pair<std::string, Assignment>> wanted;
    if (named != setting.end()) {
      for (const toml::node* value : named->values) {
        wanted.emplace_back(value->value_or(std::string()), Assignment{named->key, value});
      }
      return wanted;
    }
    // In the file, the name may be that of a section; the option is --method.
    const auto add = [&](const std::string& name, const toml::source_region& place) {
      names_.emplace_back(toml::key("method", toml::source_region(place)), toml::value<std::string>(name));
      wanted.emplace_back(name, Assignment{&names_.back().first, &names_.back().second});
    };
    for (const auto& [name, method] : methods) add(name, method.key->source());
    if (!wanted.empty()) return wanted;
    if (const auto found = base.find("method"); found != base.end()) {
      wanted.emplace_back(found->second.value->value_or(std::string()), found->second);
    } else {
      add(Config().layer.method, {});
    }
    return wanted;
  }

  template <class Config>
  [[nodiscard]] Group group_of(const std::string& setting, const Assignments& first, const std::vector<Axis>& axes,
                               const Search& search, ConfigReader<Config>& flags, StudyData<Config>& data) const {
    Group group{.setting = setting, .method = {}, .first_seed = 0, .seeds = 1, .candidates = {}};
    const std::vector<Assignments> all = product(first, axes);
    for (const std::size_t k : drawn(all.size(), search.count, search.seed)) {
      Config config = ConfigReader<Config>().read(file_, all[k]);
      source_of(config) = located(source_of(config));
      if (group.candidates.empty()) {
        group.method = config.layer.method;
        group.first_seed = config.training.seed;
        group.seeds = static_cast<int>(seeds_of(config).size());
        check_trainable(config, data);
      }
      group.candidates.push_back(
          configuration_of(data.problem(config), to_json(config), setting, words(flags.command(), axes, all[k], true)));
    }
    return group;
  }

  // Generated data and absolute paths are returned unchanged.
  [[nodiscard]] std::string located(const std::string& source) const {
    if (choice_.data.empty() || source.starts_with("synthetic:")) return source;
    return std::filesystem::path(choice_.data) / source;
  }

  std::string file_;
  SweepChoice choice_;
  toml::table root_;
  // Methods that do not stand in the file as the value of a key.
  std::deque<std::pair<toml::key, toml::value<std::string>>> names_;
};

}  // namespace

CLI::Option* add_decisions(CLI::App& command, std::optional<KeptDecisions>& decisions) {
  Choices<std::optional<KeptDecisions>> choices;
  for (const auto& [word, kept] : kKeptDecisions) choices.emplace_back(word, kept);
  return add_choice(
      command, "--decisions", decisions, choices,
      "Trials whose decisions and outcomes are kept in the store (default: that of CONFIG.toml, or chosen)");
}

Sweep read_sweep(const std::string& file, const SweepChoice& choice) { return SweepReader(file, choice).read(); }

}  // namespace softradial::program
