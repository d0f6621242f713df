#include "mpi/ranks.hpp"

#include <mpi.h>

#include <exception>
#include <list>
#include <utility>

#include "mpi/environment.hpp"

namespace softradial::study {

struct MpiRanks::State {
  // A message that is on its way.
  struct Sent {
    Bytes message;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  int rank = 0;
  int size = 1;
  bool trains = true;
  int trainers_on_node = 1;
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
  // The thread that joins is the only one that talks to the others.
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  auto state = std::make_unique<State>();
  MPI_Comm_rank(MPI_COMM_WORLD, &state->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &state->size);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, state->rank, MPI_INFO_NULL, &node);
  int on_node = 1;
  MPI_Comm_size(node, &on_node);
  int first = state->rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
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
  if (given_up_ || (rank() != 0 && std::uncaught_exceptions() > 0)) return;
  if (rank() == 0) {
    for (int other = 1; other < size(); ++other) send(other, Tag::end, {});
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
  return received;
}

}  // namespace softradial::study
