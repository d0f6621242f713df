#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "training/team.hpp"

// Processes that mpirun or srun has started together. ranks_absent.cpp replaces ranks.cpp in a program built without MPI.
namespace softradial::study {

// This process among those that were started together. The processes send each other messages, or act as a team.
class MpiRanks final : public Team {
 public:
  // Meets the other ranks. Returns null if this process was started alone. Throws DataError if the ranks cannot meet: the
  // program was built without MPI, or srun gave them no way to find each other.
  [[nodiscard]] static std::unique_ptr<MpiRanks> join();
  // Rank 0 tells the others, which wait for it, that the work is over; all leave together. A rank that ends by an exception
  // leaves alone, which ends all ranks.
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  [[nodiscard]] int rank() const override;
  [[nodiscard]] int size() const override;
  // Whether this rank trains. Rank 0 trains only if it has a machine for itself.
  [[nodiscard]] bool trains() const;
  // The number of ranks that train on this rank's machine.
  [[nodiscard]] int trainers_on_node() const;

  // Returns the bytes of the first rank on this rank's machine. All ranks of the machine must call it.
  [[nodiscard]] std::string from_first_on_node(std::string bytes);
  [[nodiscard]] bool is_first_on_node() const;

  // The messages that ranks send each other.
  using Bytes = std::vector<std::uint8_t>;
  enum class Tag { hello = 1, tables, order, event, interrupt, stop, end };
  struct Received {
    int rank = 0;
    Tag tag = Tag::end;
    Bytes message;
  };
  // Neither function waits.
  void send(int rank, Tag tag, Bytes message);
  [[nodiscard]] std::optional<Received> receive();
  // Some ranks no longer answer: nobody waits for them at the end.
  void give_up() { given_up_ = true; }

  void sum(std::span<float> numbers) override;
  void sum(std::span<double> numbers) override;
  [[nodiscard]] std::vector<double> gathered(std::span<const double> own) override;
  [[nodiscard]] std::string from_first(std::string bytes) override;
  void part() override { parting_ = true; }

 private:
  struct State;
  explicit MpiRanks(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
  bool given_up_ = false;
  bool is_team_ = false;  // the ranks wait for each other in collective calls
  bool parting_ = false;
  bool told_end_ = false;
};

}  // namespace softradial::study
