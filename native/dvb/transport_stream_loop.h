// The common syntax of NIT and BAT (EN 300 468 §5.2.1, §5.2.2): common descriptors, then a loop over transport streams.
#pragma once

#include <cstdint>
#include <vector>

#include "dvb/section.h"

namespace receiverd::dvb {

struct TransportStreamEntry {
  std::uint16_t transport_stream_id = 0;
  std::uint16_t original_network_id = 0;
  Section descriptors;  ///< see delivery_system.h, service_description.h
  bool operator==(const TransportStreamEntry&) const = default;
};

/// Adds the descriptors and entries of one section's body. Returns false if the body is too short for its own lengths.
/// A truncated last entry is ignored.
bool append_transport_streams(wire::Bytes body, Section& descriptors, std::vector<TransportStreamEntry>& entries);

/// Writes sections of `table_id`. The first contains the common descriptors; entries over 1024 bytes are left out.
std::vector<Section> write_transport_streams(std::uint8_t table_id, std::uint16_t table_id_extension,
                                             std::uint8_t version, const Section& descriptors,
                                             const std::vector<TransportStreamEntry>& entries);

}  // namespace receiverd::dvb
