#include "train/slurm.hpp"

#include <fmt/format.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "child_program.hpp"
#include "files/durable_file.hpp"
#include "outcome.hpp"

namespace softradial::program {
namespace {

// A controller has thousands of users, so it is asked rarely. The stop flag is checked more often.
constexpr std::chrono::seconds kAskedEvery{2};
constexpr std::chrono::milliseconds kTick{100};

std::string script_of(const SlurmJob& job) {
  std::string text = "#!/bin/bash\n";
  const auto add = [&](const std::string& option) { text += "#SBATCH " + option + "\n"; };
  add("--job-name=" + job.name);
  if (job.array) add(fmt::format("--array=0-{}", *job.array - 1));
  add(fmt::format("--ntasks={}", job.processes));
  add(fmt::format("--cpus-per-task={}", job.cpus));
  add("--output=" + job.log.string());
  add("--requeue");
  add("--open-mode=append");
  for (const std::string& option : job.options) add(option);
  return text + job.command + "\n";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string shell_word(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string submit(const SlurmJob& job, const std::filesystem::path& script) {
  study::write_file(script, script_of(job));
  const ProgramOutput output = output_of("sbatch", {"--parsable", script.string()});
  if (output.exit_code == kNotStarted) {
    throw BadInput("--slurm: sbatch is not on the PATH: Slurm is not installed here");
  }
  if (output.exit_code != 0) throw BadInput("--slurm: sbatch refuses the job: " + first_line(output.text));
  const std::string line = first_line(output.text);
  return line.substr(0, line.find(';'));
}

std::optional<std::map<std::string, int>> states_of_job(const std::string& id) {
  const ProgramOutput output = output_of("squeue", {"--noheader", "--array", "--jobs=" + id, "--format=%T"});
  if (output.exit_code != 0) {
    if (output.text.find("Invalid job id") != std::string::npos) return std::map<std::string, int>();
    return std::nullopt;
  }
  std::map<std::string, int> states;
  std::istringstream lines(output.text);
  for (std::string state; lines >> state;) ++states[state];
  return states;
}

void follow_job(const std::string& id, const std::atomic<bool>& stop) {
  std::string told;
  while (!stop.load()) {
    const auto states = states_of_job(id);
    if (states && states->empty()) return;
    std::string text = "job " + id + ":";
    if (!states) text += " Slurm does not answer";
    for (const auto& [state, count] : states.value_or(std::map<std::string, int>())) {
      text += fmt::format(" {} {}", count, state);
    }
    if (text != told) tell(text);
    told = text;
    for (auto waited = std::chrono::milliseconds(0); waited < kAskedEvery && !stop.load(); waited += kTick) {
      std::this_thread::sleep_for(kTick);
    }
  }
}

}  // namespace softradial::program
