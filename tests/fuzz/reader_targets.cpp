#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "data/demand_reader.hpp"
#include "data/price_reader.hpp"
#include "files/safetensors.hpp"
#include "input_file.hpp"
#include "law.hpp"
#include "limits/limits.hpp"
#include "limits/limits_file.hpp"
#include "memory_file.hpp"
#include "outcome.hpp"
#include "row_reader.hpp"
#include "softradial/errors.hpp"
#include "softradial/set_json.hpp"
#include "sweep/results_store.hpp"
#include "targets.hpp"
#include "train/toml_flags.hpp"

namespace softradial::fuzz {
namespace {

using study::DataError;

template <class T>
void read_rows(const std::string& path, program::NonFinite non_finite) {
  constexpr std::size_t kDim = 3;
  constexpr std::size_t kRowsTogether = 4;
  accepts<program::BadInput>([&] {
    program::RowReader<T> reader(program::InputFile::open(path), kDim, non_finite);
    std::array<T, kDim * kRowsTogether> numbers{};
    std::size_t count = kRowsTogether;
    while (count == kRowsTogether) {
      count = reader.read({numbers.data(), kRowsTogether, kDim});
      require(count <= kRowsTogether, "no more rows than asked for");
      for (std::size_t i = 0; i < count * kDim && non_finite == program::NonFinite::reject; ++i) {
        require(std::isfinite(numbers[i]), "rejected numbers are not returned");
      }
    }
  });
}

// A file in memory: SQLite makes others beside it.
class StoreFile {
 public:
  explicit StoreFile(std::string_view bytes) {
    std::string name = "/dev/shm/softradial_fuzz_XXXXXX";
    folder_ = ::mkdtemp(name.data());
    std::ofstream(path(), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  ~StoreFile() { std::filesystem::remove_all(folder_); }
  StoreFile(const StoreFile&) = delete;
  StoreFile& operator=(const StoreFile&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "store"; }

 private:
  std::filesystem::path folder_;
};

}  // namespace

void set_json(std::string_view bytes) {
  std::optional<NamedSet> set;
  if (!accepts<Error>([&] { set = parse_named_set(bytes, "set"); })) return;
  require(parse_named_set(to_json(*set)) == *set, "a set is read back as it was written");
}

void limits(std::string_view bytes) {
  accepts<Error>([&] {
    const MemoryFile file(bytes);
    const std::string json = study::load_limits(file.path());
    const study::DecisionSet decision = study::decision_set({.json = json, .origin = "limits"}, {"A", "B", "C"});
    require(decision.set.dim() == decision.names.size(), "every coordinate has a name");
  });
}

void toml(std::string_view bytes) {
  accepts<program::BadInput>([&] {
    CLI::App command;
    double number = 0;
    std::string text;
    bool flag = false;
    command.add_option("--number", number);
    command.add_option("--text", text);
    command.add_flag("--flag", flag);
    const MemoryFile file(bytes);
    for (const auto& [key, value] : program::parse_toml(file.path())) {
      if (!value.is_table()) program::give(command, "flags", key, value);
    }
  });
}

void rows(std::string_view bytes) {
  for (const auto non_finite : {program::NonFinite::accept, program::NonFinite::reject}) {
    const MemoryFile file(bytes);
    read_rows<float>(file.path(), non_finite);
    read_rows<double>(file.path(), non_finite);
  }
}

void prices(std::string_view bytes) {
  accepts<DataError>([&] {
    const MemoryFile file(bytes);
    const study::PriceTable table = study::read_prices(file.path()).table;
    require((table.prices.array() > 0).all() && table.prices.allFinite(), "prices are positive and finite");
    require(std::ranges::is_sorted(table.dates, std::less_equal{}) || table.dates.size() < 2, "days increase");
  });
}

void demand(std::string_view bytes) {
  accepts<DataError>([&] {
    const MemoryFile file(bytes);
    const study::DemandTable table = study::read_demand(file.path(), 2).table;
    require((table.demand.array() >= 0).all() && table.demand.allFinite(), "counts are not negative");
    for (std::size_t t = 1; t < table.hours.size(); ++t) {
      require(table.hours[t] - table.hours[t - 1] == std::chrono::hours(1), "every hour has its row");
    }
  });
}

void model(std::string_view bytes) {
  std::optional<study::TensorFile> file;
  if (!accepts<DataError>([&] { file = study::parse_safetensors(bytes); })) return;
  require(study::parse_safetensors(study::to_safetensors(*file)) == *file, "a file is read back as it was written");
}

void store(std::string_view bytes) {
  accepts<DataError>([&] {
    const StoreFile file(bytes);
    study::ResultsStore results(file.path(), study::SqliteFile::Access::read);
    static_cast<void>(results.has_trials());
    static_cast<void>(results.results());
    static_cast<void>(results.groups());
    std::vector<std::int64_t> trials;
    results.list({}, [&](const study::TrialLine& line) { trials.push_back(line.id); });
    for (const std::int64_t trial : trials) {
      static_cast<void>(results.files_of(trial));
      accepts<DataError>([&] { static_cast<void>(results.read_files(trial)); });
    }
    results.each({}, true, [](const nlohmann::json&) {});
  });
}

std::span<const Target> targets() {
  static constexpr auto kTargets = std::to_array<Target>({{"set_json", set_json},
                                                          {"limits", limits},
                                                          {"toml", toml},
                                                          {"rows", rows},
                                                          {"prices", prices},
                                                          {"demand", demand},
                                                          {"model", model},
                                                          {"store", store},
                                                          {"c_abi", c_abi}});
  return kTargets;
}

}  // namespace softradial::fuzz
