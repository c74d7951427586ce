// What the NIT of ISDB says about services: channel numbers, one-seg, and the name of the broadcaster. ARIB STD-B10
// part 2, TR-B14 (terrestrial), ABNT NBR 15603-2 and 15608-3.
//
// Thread safety: every function here may be called from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "epg/arib/si_rules.h"
#include "wire/bytes.h"
#include "wire/dvb_triplet.h"

namespace receiverd::epg {

struct AribStream {
  std::uint8_t remote_control_key = 0;           ///< 1 to 12 in Japan; 0 none
  std::string name;                              ///< of the transport stream: mostly that of the broadcaster
  std::vector<std::uint16_t> partial_reception;  ///< service ids of one-seg, for telephones and cars
  bool operator==(const AribStream&) const = default;
};

/// Reads ts_information_descriptor 0xCD and partial_reception_descriptor 0xFB in a NIT's loop of a transport stream.
AribStream read_arib_stream(wire::Bytes descriptors, const SiRules& rules);

/// A channel number; 0 for a part that does not exist.
struct AribNumber {
  std::uint16_t major = 0;
  std::uint16_t minor = 0;
  bool operator==(const AribNumber&) const = default;
};

/// Japan: `011` is the first service of remote control key 1, `101` the service 101 of a satellite. By ABNT: 5.1 is the
/// first service of key 5, 5.31 its one-seg.
AribNumber arib_channel_number(const wire::DvbTriplet& service, std::uint8_t remote_control_key, const SiRules& rules);

/// The service_type of EN 300 468 table 89: temporary and promotion services are television or radio.
std::uint8_t dvb_service_type(std::uint8_t arib_type);

}  // namespace receiverd::epg
