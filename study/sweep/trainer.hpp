#pragma once

#include <optional>

#include "sweep/study_data.hpp"
#include "sweep/workers.hpp"
#include "training/train.hpp"

namespace softradial::study {

// Trains what an order says, on the thread of the caller, from its checkpoint if there is one. Nothing: it was interrupted
// and has saved its checkpoint. A training that goes wrong is an outcome with a reason, not an exception.
template <class Config>
[[nodiscard]] std::optional<TrialOutcome> train_order(const TrialOrder& order, StudyData<Config>& data,
                                                      const TrainingHooks& hooks);

// Throws what is wrong with a configuration that no training could succeed with: a set that the method does not know, too
// few days.
template <class Config>
void check_trainable(const Config& config, StudyData<Config>& data);

}  // namespace softradial::study
