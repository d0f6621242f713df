#include "mpi/ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <list>
#include <numeric>
#include <thread>
#include <utility>

#include "mpi/environment.hpp"

namespace softradial::study {
namespace {

constexpr std::chrono::milliseconds kEndPoll{5};

// MPI counts with ints: larger messages are sent in pieces.
constexpr std::size_t kPiece = std::size_t{1} << 30;

std::string broadcast(std::string bytes, MPI_Comm ranks) {
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, ranks);
  bytes.resize(size);
  for (std::size_t at = 0; at < size; at += kPiece) {
    MPI_Bcast(bytes.data() + at, static_cast<int>(std::min<std::size_t>(kPiece, size - at)), MPI_BYTE, 0, ranks);
  }
  return bytes;
}

}  // namespace

struct MpiRanks::State {
  // A message that is being sent.
  struct Sent {
    Bytes message;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  int rank = 0;
  int size = 1;
  bool trains = true;
  int trainers_on_node = 1;
  MPI_Comm node = MPI_COMM_NULL;  // the ranks of this machine
  bool is_first_on_node = true;
  std::list<Sent> sent;

  void forget_arrived() {
    std::erase_if(sent, [](Sent& each) {
      int arrived = 0;
      MPI_Test(&each.request, &arrived, MPI_STATUS_IGNORE);
      return arrived != 0;
    });
  }
};

MpiRanks::MpiRanks(std::unique_ptr<State> state) : state_(std::move(state)) {}

std::unique_ptr<MpiRanks> MpiRanks::join() {
  if (!started_with_others()) {
    refuse_strangers();
    return nullptr;
  }
  // Only the thread that joins talks to the other ranks.
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  auto state = std::make_unique<State>();
  MPI_Comm_rank(MPI_COMM_WORLD, &state->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &state->size);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, state->rank, MPI_INFO_NULL, &state->node);
  int on_node = 1;
  MPI_Comm_size(state->node, &on_node);
  int first = state->rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, state->node);
  state->is_first_on_node = first == state->rank;
  if (state->size == 1) {
    MPI_Finalize();
    refuse_strangers();
    return nullptr;
  }
  const bool with_scheduler = first == 0 && on_node > 1;
  state->trains = state->rank != 0 || on_node == 1;
  state->trainers_on_node = with_scheduler ? on_node - 1 : on_node;
  return std::unique_ptr<MpiRanks>(new MpiRanks(std::move(state)));
}

MpiRanks::~MpiRanks() {
  const bool fails_alone = std::uncaught_exceptions() > 0 && !parting_ && (rank() != 0 || is_team_);
  if (given_up_ || fails_alone) return;
  if (rank() == 0) {
    for (int other = 1; other < size(); ++other) send(other, Tag::end, {});
  }
  // Sleeps between looks: MPI's own waiting would keep a core busy.
  while (rank() != 0 && !told_end_) {
    if (!receive()) std::this_thread::sleep_for(kEndPoll);
  }
  while (!state_->sent.empty()) state_->forget_arrived();
  MPI_Finalize();
}

int MpiRanks::rank() const { return state_->rank; }
int MpiRanks::size() const { return state_->size; }
bool MpiRanks::trains() const { return state_->trains; }
int MpiRanks::trainers_on_node() const { return state_->trainers_on_node; }

void MpiRanks::send(int rank, Tag tag, Bytes message) {
  state_->sent.push_back({.message = std::move(message)});
  State::Sent& sent = state_->sent.back();
  MPI_Isend(sent.message.data(), static_cast<int>(sent.message.size()), MPI_BYTE, rank, static_cast<int>(tag),
            MPI_COMM_WORLD, &sent.request);
}

std::optional<MpiRanks::Received> MpiRanks::receive() {
  state_->forget_arrived();
  int found = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
  if (found == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  Received received{.rank = status.MPI_SOURCE, .tag = static_cast<Tag>(status.MPI_TAG), .message = {}};
  received.message.resize(static_cast<std::size_t>(size));
  MPI_Recv(received.message.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  if (received.tag == Tag::end) told_end_ = true;
  return received;
}

void MpiRanks::sum(std::span<float> numbers) {
  is_team_ = true;
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

void MpiRanks::sum(std::span<double> numbers) {
  is_team_ = true;
  MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

std::vector<double> MpiRanks::gathered(std::span<const double> own) {
  is_team_ = true;
  const auto count = static_cast<int>(own.size());
  std::vector<int> counts(static_cast<std::size_t>(size()));
  MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  std::vector<double> all(static_cast<std::size_t>(places.back() + counts.back()));
  MPI_Allgatherv(own.data(), count, MPI_DOUBLE, all.data(), counts.data(), places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  return all;
}

std::string MpiRanks::from_first(std::string bytes) {
  is_team_ = true;
  return broadcast(std::move(bytes), MPI_COMM_WORLD);
}

std::string MpiRanks::from_first_on_node(std::string bytes) { return broadcast(std::move(bytes), state_->node); }
bool MpiRanks::is_first_on_node() const { return state_->is_first_on_node; }

}  // namespace softradial::study
