// A view of one 188-byte transport packet (ISO/IEC 13818-1 §2.4.3.2).
//
//   byte 0      sync_byte 0x47
//   byte 1      transport_error 1, payload_unit_start 1, transport_priority 1, PID 5 (high)
//   byte 2      PID 8 (low)
//   byte 3      transport_scrambling_control 2, adaptation_field_control 2, continuity_counter 4
//   byte 4 ...  adaptation field if bit 5 of byte 3 is set: length u8, flags u8, PCR 48 bits, ...
//   then        payload if bit 4 of byte 3 is set
//
// The view owns nothing. Every accessor is safe on any 188 bytes: lengths inside the packet are checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/bytes.h"

namespace receiverd::dvb {

inline constexpr std::size_t kPacketSize = 188;
inline constexpr std::uint8_t kSyncByte = 0x47;
inline constexpr std::uint16_t kNullPid = 0x1FFF;
/// Stands for all PIDs where a PID is expected, like 0x2000 in DMX_ADD_PID of the Linux DVB API.
inline constexpr std::uint16_t kWholeMultiplex = 0x2000;
/// First PID that PAT and PMT may assign (ISO/IEC 13818-1 table 2-3). EN 300 468 table 1 reserves PIDs up to 0x1F for
/// tables, but only in DVB streams: ATSC uses them for video.
inline constexpr std::uint16_t kFirstFreePid = 0x0010;
inline constexpr std::size_t kPidCount = 0x2000;

/// Ticks per second of the system time clock, in which PCR values count (ISO/IEC 13818-1 §2.4.2.1).
inline constexpr std::uint64_t kSystemClockFrequency = 27'000'000;
/// PCR wraps here: 2^33 ticks of 90 kHz, 300 ticks of 27 MHz each.
inline constexpr std::uint64_t kPcrModulus = (std::uint64_t{1} << 33) * 300;

/// program_clock_reference_base or original_program_clock_reference_base, in 90 kHz ticks, of the 6-byte `field`
/// (§2.4.3.5).
inline std::uint64_t clock_base(const std::uint8_t* field) {
  return std::uint64_t{field[0]} << 25 | std::uint64_t{field[1]} << 17 | std::uint64_t{field[2]} << 9 |
         std::uint64_t{field[3]} << 1 | field[4] >> 7;
}

class Packet {
 public:
  /// `bytes` must point at kPacketSize readable bytes that outlive the view.
  explicit Packet(const std::uint8_t* bytes) : bytes_(bytes) {}

  wire::Bytes bytes() const { return {bytes_, kPacketSize}; }
  bool transport_error() const { return (bytes_[1] & 0x80) != 0; }
  bool payload_unit_start() const { return (bytes_[1] & 0x40) != 0; }
  std::uint16_t pid() const { return static_cast<std::uint16_t>((bytes_[1] & 0x1F) << 8 | bytes_[2]); }
  /// 0 clear; 1 reserved; 2 even key; 3 odd key (ETSI TS 100 289 §5.1).
  std::uint8_t scrambling_control() const { return bytes_[3] >> 6; }
  bool has_adaptation_field() const { return (bytes_[3] & 0x20) != 0; }
  bool has_payload() const { return (bytes_[3] & 0x10) != 0; }
  std::uint8_t continuity_counter() const { return bytes_[3] & 0x0F; }

  /// The adaptation field after its length byte; empty if absent, of length 0, or longer than the packet.
  wire::Bytes adaptation_field() const {
    if (!has_adaptation_field()) return {};
    const std::size_t length = bytes_[4];
    return 5 + length > kPacketSize ? wire::Bytes{} : wire::Bytes{bytes_ + 5, length};
  }

  bool discontinuity_indicator() const { return adaptation_flag(0x80); }
  bool random_access_indicator() const { return adaptation_flag(0x40); }

  /// Program clock reference in 27 MHz ticks, less than kPcrModulus.
  std::optional<std::uint64_t> pcr() const {
    const wire::Bytes field = adaptation_field();
    if (field.size() < 7 || (field[0] & 0x10) == 0) return std::nullopt;
    return clock_base(field.data() + 1) * 300 + ((field[5] & 1U) << 8 | field[6]);
  }

  /// Empty if there is none or the adaptation field claims more than the packet.
  wire::Bytes payload() const {
    if (!has_payload()) return {};
    std::size_t start = 4;
    if (has_adaptation_field()) start += 1 + std::size_t{bytes_[4]};
    return start >= kPacketSize ? wire::Bytes{} : wire::Bytes{bytes_ + start, kPacketSize - start};
  }

 private:
  bool adaptation_flag(std::uint8_t mask) const {
    const wire::Bytes field = adaptation_field();
    return !field.empty() && (field[0] & mask) != 0;
  }

  const std::uint8_t* bytes_;
};

}  // namespace receiverd::dvb
