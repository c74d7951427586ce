// Reads and shifts the clocks in transport packets: PCR and OPCR (27 MHz, ISO/IEC 13818-1 §2.4.3.5), PTS and DTS (90
// kHz, §2.4.3.7). All of them wrap at 2^33 ticks of 90 kHz, about 26.5 hours.
#pragma once

#include <cstdint>
#include <optional>

#include "dvb/packets/packet.h"
#include "wire/time.h"

namespace receiverd::dvb {

inline constexpr std::uint64_t kPtsModulus = std::uint64_t{1} << 33;

/// `a - b` of two PCR values, taken the short way round: -kPcrModulus/2 to kPcrModulus/2.
std::int64_t pcr_difference(std::uint64_t a, std::uint64_t b);
/// `a - b` of two PTS or DTS values, taken the short way round, in 90 kHz ticks.
std::int64_t pts_difference(std::uint64_t a, std::uint64_t b);

/// The header of a PES packet (§2.4.3.6); fields that the first transport packet does not contain are missing.
struct PesHead {
  std::uint8_t stream_id = 0;
  std::uint16_t length = 0;          ///< PES_packet_length; 0 is unbounded (video)
  std::optional<std::uint64_t> pts;  ///< 90 kHz
  std::optional<std::uint64_t> dts;  ///< 90 kHz; equal to the PTS if there is no DTS

  bool is_video() const { return (stream_id & 0xF0) == 0xE0; }
  bool is_audio() const { return (stream_id & 0xE0) == 0xC0; }
};

/// Returns nothing if the packet does not start a PES packet, or is scrambled.
std::optional<PesHead> read_pes_head(Packet packet);

/// Adds `shift` (27 MHz ticks, a multiple of 300, below kPcrModulus) to every clock in the packet of 188 bytes, in
/// place.
void shift_clocks(std::uint8_t* packet, std::uint64_t shift);

/// Adds `seconds` to UTC_time of every TDT and TOT that lies completely in the packet (EN 300 468 §5.2.5, §5.2.6), and
/// updates the CRC_32 of the TOT. Meant for packets of PID 0x0014.
void shift_broadcast_time(std::uint8_t* packet, wire::UnixSeconds seconds);

/// Drops the payload of a packet and keeps its PCR and discontinuity_indicator, in an adaptation field that fills the
/// packet. Returns false if it has no PCR. `out` may be `packet`.
bool keep_clock_only(const std::uint8_t* packet, std::uint8_t* out);

}  // namespace receiverd::dvb
