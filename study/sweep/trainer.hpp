#pragma once

#include <optional>

#include "sweep/study_data.hpp"
#include "sweep/workers.hpp"
#include "training/train.hpp"

namespace softradial::study {

// Trains what an order says, on the caller's thread, from its checkpoint if there is one. Returns nothing if it was
// interrupted and has saved its checkpoint. A training that fails gives an outcome with a reason, not an exception.
template <class Config>
[[nodiscard]] std::optional<TrialOutcome> train_order(const TrialOrder& order, StudyData<Config>& data,
                                                      const TrainingHooks& hooks);

// Throws for a configuration with which no training can succeed: a set that the method does not know, too few
// days.
template <class Config>
void check_trainable(const Config& config, StudyData<Config>& data);

}  // namespace softradial::study
