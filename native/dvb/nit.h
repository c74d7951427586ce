// Network information table (EN 300 468 §5.2.1): the multiplexes of a network and how to tune them.
#pragma once

#include <cstdint>
#include <vector>

#include "dvb/transport_stream_loop.h"

namespace receiverd::dvb {

struct Nit {
  bool actual = true;  ///< table_id 0x40, else 0x41
  std::uint16_t network_id = 0;
  std::uint8_t version = 0;
  Section descriptors;  ///< network_name_descriptor 0x40 and others
  std::vector<TransportStreamEntry> transport_streams;
  bool operator==(const Nit&) const = default;
};

/// Adds the contents of `section`. Returns false if it is not a NIT section.
bool append_section(wire::Bytes section, Nit& nit);

std::vector<Section> write_sections(const Nit& nit);

}  // namespace receiverd::dvb
