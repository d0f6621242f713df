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

// What the trainings of a task share: tables, sets and features, each loaded or computed once. Threads may ask at the same
// time.
template <class Config>
class StudyData {
 public:
  using Data = typename KindOf<Config>::Data;
  using Input = typename KindOf<Config>::Input;

  // `warn` is told about repairs of the data.
  explicit StudyData(std::function<void(const std::string&)> warn) : warn_(std::move(warn)) {}

  [[nodiscard]] std::shared_ptr<const DecisionSet> limits(const Config& config);
  [[nodiscard]] std::shared_ptr<const Data> features(const Config& config);
  [[nodiscard]] std::shared_ptr<const Problem> problem(const Config& config);

  // Tables that one process reads for others on its machine, by names that mean the same in all of them: those that are here, one
  // of them as bytes (read now if it is not here), and one that another has read.
  [[nodiscard]] std::vector<std::string> tables();
  [[nodiscard]] std::string table_bytes(const std::string& name);
  void take_table(const std::string& name, const std::string& bytes);

 private:
  // By everything that they depend on, as JSON.
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
