#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

// Jobs of the cluster scheduler Slurm, through its own commands.
namespace softradial::program {

// What a job asks for besides its commands.
struct SlurmJob {
  std::string name;
  std::filesystem::path log;         // Slurm replaces %a by the number of an array's task
  std::optional<int> array;          // so many tasks that need no communication
  int processes = 1;                 // that are started together, of the job or of each task
  int cpus = 1;                      // of each process
  std::vector<std::string> options;  // of sbatch, as the user gives them
  std::string command;               // of the shell
};

// A word of the shell.
[[nodiscard]] std::string shell_word(const std::string& word);

// Writes the script and submits it; returns the number of the job. A task that is preempted, or whose machine fails, begins
// again. Throws BadInput if Slurm is not there or refuses the job.
[[nodiscard]] std::string submit(const SlurmJob& job, const std::filesystem::path& script);

// How many tasks of a job are in which state (PENDING, RUNNING, ...); empty if it has ended. Nothing: Slurm did not answer.
[[nodiscard]] std::optional<std::map<std::string, int>> states_of_job(const std::string& id);

// Returns when the job has ended, or `stop` is set, and tells its state whenever it changes.
void follow_job(const std::string& id, const std::atomic<bool>& stop);

}  // namespace softradial::program
