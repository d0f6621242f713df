#pragma once

// What mpirun and srun tell a process about the processes that were started with it.
namespace softradial::study {

// Whether the environment says that there are processes which MPI can meet.
[[nodiscard]] bool started_with_others();

// Throws DataError if srun has started several tasks that cannot meet: each would take itself for the only one.
void refuse_strangers();

}  // namespace softradial::study
