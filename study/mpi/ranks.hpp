#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "training/team.hpp"

// Processes that mpirun or srun has started together. ranks_absent.cpp is for a program that was built without MPI.
namespace softradial::study {

// The place of this process among those that were started together. They send each other messages, or act as a team.
class MpiRanks final : public Team {
 public:
  // Meets the other ranks. Null: this process was started alone. Throws DataError where ranks cannot meet: the program was
  // built without MPI, or srun gave them no way to find each other.
  [[nodiscard]] static std::unique_ptr<MpiRanks> join();
  // Rank 0 tells the others that it is over, for which they wait; all leave together. A rank that ends by an exception leaves
  // alone, which ends all.
  ~MpiRanks() override;
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  [[nodiscard]] int rank() const override;
  [[nodiscard]] int size() const override;
  // Rank 0 trains only where it has a machine for itself.
  [[nodiscard]] bool trains() const;
  // Those that train on the machine of this rank.
  [[nodiscard]] int trainers_on_node() const;

  // What the first rank of this rank's machine holds. All ranks of the machine must call it.
  [[nodiscard]] std::string from_first_on_node(std::string bytes);
  [[nodiscard]] bool is_first_on_node() const;

  // What ranks tell each other.
  using Bytes = std::vector<std::uint8_t>;
  enum class Tag { hello = 1, tables, order, event, interrupt, stop, end };
  struct Received {
    int rank = 0;
    Tag tag = Tag::end;
    Bytes message;
  };
  // Neither of them waits.
  void send(int rank, Tag tag, Bytes message);
  [[nodiscard]] std::optional<Received> receive();
  // Some ranks do not answer any more: nobody waits for them at the end.
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
