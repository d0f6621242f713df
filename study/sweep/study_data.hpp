#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runs/task_kinds.hpp"
#include "sweep/configuration.hpp"

namespace softradial::study {

// Data that the trainings of a task share: tables, sets and features, each loaded or computed once. Several threads may use it
// at the same time.
template <class Config>
class StudyData {
 public:
  using Data = typename KindOf<Config>::Data;
  using Input = typename KindOf<Config>::Input;

  // `warn` receives messages about repairs of the data.
  explicit StudyData(std::function<void(const std::string&)> warn) : warn_(std::move(warn)) {}

  [[nodiscard]] std::shared_ptr<const DecisionSet> limits(const Config& config);
  [[nodiscard]] std::shared_ptr<const Data> features(const Config& config);
  [[nodiscard]] std::shared_ptr<const Problem> problem(const Config& config);

  // Lets one process read tables for others on its machine. Names mean the same in all of them. Lists the tables in memory;
  // returns one as bytes (reads it first if needed); and takes one that another process has read.
  [[nodiscard]] std::vector<std::string> tables();
  [[nodiscard]] std::string table_bytes(const std::string& name);
  void take_table(const std::string& name, const std::string& bytes);

 private:
  // Values by everything that they depend on, as JSON.
  template <class Value>
  using Cache = std::map<std::string, std::shared_ptr<const Value>>;

  [[nodiscard]] std::shared_ptr<const Input> table(const std::string& name);

  std::function<void(const std::string&)> warn_;
  std::recursive_mutex mutex_;
  Cache<Input> tables_;
  Cache<DecisionSet> limits_;
  Cache<Data> features_;
  Cache<Problem> problems_;
};

extern template class StudyData<PortfolioConfig>;
extern template class StudyData<DispatchConfig>;

}  // namespace softradial::study
