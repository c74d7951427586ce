// The identity of a service in all of DVB.
#pragma once

#include <compare>
#include <cstdint>

namespace receiverd::wire {

/// The three numbers that identify a service (EN 300 468 §3.1, "DVB triplet").
struct DvbTriplet {
  std::uint16_t original_network_id = 0;
  std::uint16_t transport_stream_id = 0;
  std::uint16_t service_id = 0;
  auto operator<=>(const DvbTriplet&) const = default;
};

}  // namespace receiverd::wire
