#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

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

 private:
  // By everything that they depend on, as JSON.
  template <class Value>
  using Cache = std::map<std::string, std::shared_ptr<const Value>>;

  [[nodiscard]] std::shared_ptr<const Input> table(const Config& config);

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
