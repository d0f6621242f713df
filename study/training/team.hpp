#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace softradial::study {

// Processes that train one model together. All of them call the same functions in the same order; each call waits for the
// others. mpi/ranks.hpp implements it.
class Team {
 public:
  virtual ~Team() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;

  // Adds up the numbers of all processes, in place. Each process gets the same bits.
  virtual void sum(std::span<float> numbers) = 0;
  virtual void sum(std::span<double> numbers) = 0;
  // The numbers of all processes in the order of their ranks. Processes may have different counts.
  [[nodiscard]] virtual std::vector<double> gathered(std::span<const double> own) = 0;
  // Returns the bytes of rank 0 on all ranks; those of the others are ignored.
  [[nodiscard]] virtual std::string from_first(std::string bytes) = 0;
  // All processes have agreed to end: none will wait for another.
  virtual void part() = 0;
};

// Thrown when another process of the team has failed; says why.
class EndedByAnother : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "another process has failed"; }
};

// Runs `work`, in which no process waits for others. If it throws anywhere, all processes end: the first one that failed with
// its exception, the others with EndedByAnother.
template <class Work>
void together(Team& team, const Work& work) {
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  const double failed = failure ? 1 : 0;
  const std::vector<double> all = team.gathered({&failed, 1});
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] == 0) continue;
    team.part();
    if (rank == static_cast<std::size_t>(team.rank())) std::rethrow_exception(failure);
    throw EndedByAnother();
  }
}

}  // namespace softradial::study
