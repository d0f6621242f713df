#include "mpi/environment.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "files/errors.hpp"

namespace softradial::study {

bool started_with_others() {
  constexpr std::array kNames = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  return std::ranges::any_of(kNames, [](const char* name) { return std::getenv(name) != nullptr; });
}

void refuse_strangers() {
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (tasks == nullptr || std::atoi(tasks) <= 1) return;
  throw DataError(std::string("srun has started ") + tasks +
                  " tasks that cannot reach each other: srun --mpi=pmix, or one task");
}

}  // namespace softradial::study
