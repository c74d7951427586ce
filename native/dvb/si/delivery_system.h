// The tuning parameters of a multiplex in the NIT: the delivery system descriptors (EN 300 468 §6.2.13, §6.4.6), the
// lists of services (§6.2.35) and of channel numbers, and the namespace that Enigma2 derives from the tuning
// parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dvb/packets/section.h"

namespace receiverd::dvb {

/// Parameters in the codes of EN 300 468 (tables 35 to 51), frequencies in Hz. Fields of other systems stay 0.
struct DeliverySystem {
  enum class Kind : std::uint8_t { dvb_s, dvb_s2, dvb_c, dvb_t, dvb_t2, isdb_t };

  Kind kind = Kind::dvb_t;
  std::uint64_t frequency = 0;        ///< 0 unknown (several frequencies, T2 without cells)
  std::uint32_t symbol_rate = 0;      ///< symbols per second (S, C)
  std::uint8_t modulation = 0;        ///< S: modulation_type 2 bits; C: 1 QAM16 .. 5 QAM256; T: constellation 2 bits
  std::uint8_t fec_inner = 0;         ///< S, C: 1 1/2, 2 2/3, 3 3/4, 4 5/6, 5 7/8, 6 8/9, 7 3/5, 8 4/5, 9 9/10, 15 none
  std::int16_t orbital_position = 0;  ///< S: tenths of a degree, east positive
  std::uint8_t polarisation = 0;      ///< S: 0 horizontal, 1 vertical, 2 left, 3 right
  std::uint8_t roll_off = 0;          ///< S2: 0 0.35, 1 0.25, 2 0.20
  std::int16_t input_stream = -1;     ///< S2: input_stream_identifier; T2: PLP id; -1 none
  std::uint32_t scrambling_sequence = 0;  ///< S2: gold sequence index
  std::uint8_t bandwidth = 0;             ///< T: 0 8 MHz, 1 7, 2 6, 3 5; T2: 4 bits, also 4 10 MHz, 5 1.712
  std::uint8_t hierarchy = 0;             ///< T: 3 bits
  std::uint8_t code_rate_hp = 0;          ///< T: 0 1/2, 1 2/3, 2 3/4, 3 5/6, 4 7/8
  std::uint8_t code_rate_lp = 0;          ///< T
  std::uint8_t guard_interval = 0;        ///< T: 0 1/32, 1 1/16, 2 1/8, 3 1/4; T2: 3 bits
  std::uint8_t transmission_mode = 0;     ///< T: 0 2k, 1 8k, 2 4k; T2: 3 bits
  std::uint16_t t2_system_id = 0;         ///< T2
  bool operator==(const DeliverySystem&) const = default;
};

/// Reads one descriptor; for tag 0x7F, `body` starts with descriptor_tag_extension. Returns nothing if the tag is not a
/// delivery system or the body is too short.
std::optional<DeliverySystem> read_delivery_system(std::uint8_t tag, wire::Bytes body);

/// The first delivery system in the descriptor loop of a transport stream. S2 parameters of descriptor 0x79 are merged
/// into those of 0x43, and a T2 descriptor takes precedence over 0x5A (DVB-T). `isdb`: also that of ISDB-T, 0xFA.
std::optional<DeliverySystem> find_delivery_system(wire::Bytes descriptors, bool isdb = false);

/// The namespace of Enigma2's service references: orbital position (0xEEEE terrestrial, 0xFFFF cable) in the upper 16
/// bits, sub-network in the lower 16. The sub-network is 0, unless it is a satellite whose ids cannot be trusted
/// (original_network_id 0 or >= 0xFF00, or 1 with transport_stream_id < 2): then it is frequency and polarisation.
std::uint32_t enigma2_namespace(const DeliverySystem& system, std::uint16_t original_network_id,
                                std::uint16_t transport_stream_id);

/// One service of a service_list_descriptor 0x41.
struct ServiceListEntry {
  std::uint16_t service_id = 0;
  std::uint8_t service_type = 0;
  bool operator==(const ServiceListEntry&) const = default;
};

/// One channel number of a logical_channel_descriptor 0x83, or of the descriptor that an operator sends instead.
struct LogicalChannel {
  std::uint16_t service_id = 0;
  bool visible = true;
  std::uint16_t number = 0;            ///< 1..1023 (NorDig 14 bits, Freesat 12, BSkyB 16); 0 none
  std::uint16_t simulcast_number = 0;  ///< HD_simulcast_logical_channel_descriptor 0x88: 1..1023; 0 none
  bool operator==(const LogicalChannel&) const = default;
};

std::vector<ServiceListEntry> read_service_list(wire::Bytes descriptors);
/// All channel numbers in a descriptor loop of the NIT or a BAT, under the private data specifiers that define them
/// (EACEM 0x28, NorDig 0x29, UK 0x233A, BSkyB 2, Freesat and others). Numbers have 10 bits unless a specifier says
/// otherwise. A service may have one number per region: the number for all regions comes first, if there is one. The HD
/// simulcast descriptor 0x88 decides whether its services are visible.
std::vector<LogicalChannel> read_logical_channels(wire::Bytes descriptors);

}  // namespace receiverd::dvb
