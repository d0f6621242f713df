#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sweep/workers.hpp"

// Orders and events as bytes (CBOR), for workers in other processes. Numbers keep every bit, NaN included.
namespace softradial::study {

using Message = std::vector<std::uint8_t>;

[[nodiscard]] Message message_of(int worker, const TrialOrder& order);
[[nodiscard]] Message message_of(const WorkerEvent& event);

struct AddressedOrder {
  int worker = 0;
  TrialOrder order;
};
// Throw DataError if the bytes are not such a message.
[[nodiscard]] AddressedOrder order_in(std::span<const std::uint8_t> message);
[[nodiscard]] WorkerEvent event_in(std::span<const std::uint8_t> message);

}  // namespace softradial::study
