#include <utility>

#include "files/errors.hpp"
#include "mpi/environment.hpp"
#include "mpi/ranks.hpp"

// Stands in for ranks.cpp in a program built without MPI.
namespace softradial::study {

struct MpiRanks::State {};

MpiRanks::MpiRanks(std::unique_ptr<State> state) : state_(std::move(state)) {}

std::unique_ptr<MpiRanks> MpiRanks::join() {
  if (started_with_others()) {
    throw DataError("this program was built without MPI: install OpenMPI (libopenmpi-dev), configure and build again");
  }
  refuse_strangers();
  return nullptr;
}

MpiRanks::~MpiRanks() = default;
int MpiRanks::rank() const { return 0; }
int MpiRanks::size() const { return 1; }
bool MpiRanks::trains() const { return true; }
int MpiRanks::trainers_on_node() const { return 1; }
// Takes the message by value, as the real one declares it.
void MpiRanks::send(int /*rank*/, Tag /*tag*/, Bytes /*message*/) {}  // NOLINT(performance-unnecessary-value-param)
std::optional<MpiRanks::Received> MpiRanks::receive() { return std::nullopt; }
void MpiRanks::sum(std::span<float> /*numbers*/) {}
void MpiRanks::sum(std::span<double> /*numbers*/) {}
std::vector<double> MpiRanks::gathered(std::span<const double> own) { return {own.begin(), own.end()}; }
std::string MpiRanks::from_first(std::string bytes) { return bytes; }
std::string MpiRanks::from_first_on_node(std::string bytes) { return bytes; }
bool MpiRanks::is_first_on_node() const { return true; }

}  // namespace softradial::study
