// Bouquet association table (EN 300 468 §5.2.2): services grouped by an operator, across networks.
#pragma once

#include <cstdint>
#include <vector>

#include "dvb/transport_stream_loop.h"

namespace receiverd::dvb {

struct Bat {
  std::uint16_t bouquet_id = 0;
  std::uint8_t version = 0;
  Section descriptors;  ///< bouquet_name_descriptor 0x47 and others
  std::vector<TransportStreamEntry> transport_streams;
  bool operator==(const Bat&) const = default;
};

/// Adds the contents of `section`. Returns false if it is not a BAT section.
bool append_section(wire::Bytes section, Bat& bat);

std::vector<Section> write_sections(const Bat& bat);

}  // namespace receiverd::dvb
