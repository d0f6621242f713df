#pragma once

// What mpirun and srun tell a process about those that were started with it.
namespace softradial::study {

// Something that MPI can meet the others by.
[[nodiscard]] bool started_with_others();

// Throws DataError if srun has started several tasks that have no way to meet: each would take itself for the only one.
void refuse_strangers();

}  // namespace softradial::study
