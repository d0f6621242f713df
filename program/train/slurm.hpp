#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

// Jobs of the cluster scheduler Slurm, run through Slurm's own commands.
namespace softradial::program {

// A job to submit.
struct SlurmJob {
  std::string name;
  std::filesystem::path log;         // Slurm replaces %a by the number of an array's task
  std::optional<int> array;          // the number of array tasks, which do not communicate
  int processes = 1;                 // processes that are started together, of the job or of each task
  int cpus = 1;                      // cpus of each process
  std::vector<std::string> options;  // options of sbatch, as the user gives them
  std::string command;               // shell command
};

// Quotes a word for the shell.
[[nodiscard]] std::string shell_word(const std::string& word);

// Writes the script and submits it; returns the number of the job. A task that is preempted, or whose machine fails, starts
// again. Throws BadInput if Slurm is not there or refuses the job.
[[nodiscard]] std::string submit(const SlurmJob& job, const std::filesystem::path& script);

// The number of tasks of a job by state (PENDING, RUNNING, ...); empty if it has ended. Nothing if Slurm did not answer.
[[nodiscard]] std::optional<std::map<std::string, int>> states_of_job(const std::string& id);

// Waits until the job has ended or `stop` is set, and prints its state whenever that changes.
void follow_job(const std::string& id, const std::atomic<bool>& stop);

}  // namespace softradial::program
