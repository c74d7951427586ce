#include "dvb/packets/clock_shift.h"

#include <algorithm>
#include <cstring>

#include "dvb/packets/section_writer.h"

namespace receiverd::dvb {

namespace {

constexpr std::size_t kClockReferenceSize = 6;
constexpr std::size_t kTimeStampSize = 5;

std::int64_t short_way(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) {
  const std::uint64_t forward = (a + modulus - b) % modulus;
  return forward <= modulus / 2 ? static_cast<std::int64_t>(forward)
                                : static_cast<std::int64_t>(forward) - static_cast<std::int64_t>(modulus);
}

/// base 33, reserved 6, extension 9 (§2.4.3.5).
void shift_clock_reference(std::uint8_t* field, std::uint64_t shift) {
  // The shift is a whole number of 90 kHz ticks, so the extension does not change.
  const std::uint64_t moved = (clock_base(field) + shift / 300) % kPtsModulus;
  field[0] = static_cast<std::uint8_t>(moved >> 25);
  field[1] = static_cast<std::uint8_t>(moved >> 17);
  field[2] = static_cast<std::uint8_t>(moved >> 9);
  field[3] = static_cast<std::uint8_t>(moved >> 1);
  field[4] = static_cast<std::uint8_t>((moved & 1) << 7 | (field[4] & 0x7F));
}

/// marker 4, 3 bits, 1, 15 bits, 1, 15 bits, 1 (§2.4.3.6).
std::uint64_t read_time_stamp(const std::uint8_t* field) {
  return std::uint64_t{field[0] >> 1 & 7U} << 30 | std::uint64_t{field[1]} << 22 | std::uint64_t{field[2]} >> 1 << 15 |
         std::uint64_t{field[3]} << 7 | field[4] >> 1;
}

void shift_time_stamp(std::uint8_t* field, std::uint64_t shift) {
  const std::uint64_t moved = (read_time_stamp(field) + shift / 300) % kPtsModulus;
  field[0] = static_cast<std::uint8_t>((field[0] & 0xF1) | (moved >> 30 & 7) << 1);
  field[1] = static_cast<std::uint8_t>(moved >> 22);
  field[2] = static_cast<std::uint8_t>((moved >> 15 & 0x7F) << 1 | (field[2] & 1));
  field[3] = static_cast<std::uint8_t>(moved >> 7);
  field[4] = static_cast<std::uint8_t>((moved & 0x7F) << 1 | (field[4] & 1));
}

/// Offsets of PTS and DTS in a PES payload; 0 if absent.
struct TimeStampPlaces {
  std::size_t pts = 0;
  std::size_t dts = 0;
};

/// The payload of a packet that starts a PES packet and is not scrambled; empty for any other.
wire::Bytes pes_start(Packet packet) {
  if (!packet.payload_unit_start() || packet.scrambling_control() != 0) return {};
  const wire::Bytes payload = packet.payload();
  const bool begins = payload.size() >= 6 && payload[0] == 0 && payload[1] == 0 && payload[2] == 1;
  return begins ? payload : wire::Bytes{};
}

/// stream_ids whose PES packets have no flags and no time stamps (§2.4.3.6, table 2-21): program_stream_map,
/// padding_stream, private_stream_2, ECM, EMM, DSM-CC, H.222.1 type E, program_stream_directory.
constexpr std::uint8_t kWithoutFlags[] = {0xBC, 0xBE, 0xBF, 0xF0, 0xF1, 0xF2, 0xF8, 0xFF};

bool has_pes_flags(std::uint8_t stream_id) {
  return stream_id >= 0xBC && std::ranges::count(kWithoutFlags, stream_id) == 0;
}

TimeStampPlaces find_time_stamps(wire::Bytes payload) {
  TimeStampPlaces places;
  constexpr std::size_t kFirst = 9;
  if (payload.size() < kFirst || !has_pes_flags(payload[3]) || (payload[6] & 0xC0) != 0x80) return places;
  const std::size_t header = payload[8];
  const unsigned flags = payload[7] >> 6;
  if ((flags & 2) != 0 && header >= kTimeStampSize && payload.size() >= kFirst + kTimeStampSize) places.pts = kFirst;
  if (flags == 3 && header >= 2 * kTimeStampSize && payload.size() >= kFirst + 2 * kTimeStampSize) {
    places.dts = kFirst + kTimeStampSize;
  }
  return places;
}

}  // namespace

std::int64_t pcr_difference(std::uint64_t a, std::uint64_t b) { return short_way(a, b, kPcrModulus); }
std::int64_t pts_difference(std::uint64_t a, std::uint64_t b) { return short_way(a, b, kPtsModulus); }

std::optional<PesHead> read_pes_head(Packet packet) {
  const wire::Bytes payload = pes_start(packet);
  if (payload.empty()) return std::nullopt;
  PesHead head;
  head.stream_id = payload[3];
  head.length = static_cast<std::uint16_t>(payload[4] << 8 | payload[5]);
  const TimeStampPlaces places = find_time_stamps(payload);
  if (places.pts != 0) head.pts = read_time_stamp(payload.data() + places.pts);
  head.dts = places.dts != 0 ? read_time_stamp(payload.data() + places.dts) : head.pts;
  return head;
}

void shift_clocks(std::uint8_t* bytes, std::uint64_t shift) {
  const Packet packet(bytes);
  const wire::Bytes field = packet.adaptation_field();
  if (!field.empty()) {
    std::size_t at = 1;
    for (const unsigned flag : {0x10U, 0x08U}) {  // PCR_flag, OPCR_flag
      if ((field[0] & flag) == 0) continue;
      if (field.size() < at + kClockReferenceSize) break;
      shift_clock_reference(bytes + 5 + at, shift);
      at += kClockReferenceSize;
    }
  }
  const wire::Bytes payload = pes_start(packet);
  if (payload.empty()) return;
  std::uint8_t* const pes = bytes + (payload.data() - bytes);
  const TimeStampPlaces places = find_time_stamps(payload);
  if (places.pts != 0) shift_time_stamp(pes + places.pts, shift);
  if (places.dts != 0) shift_time_stamp(pes + places.dts, shift);
}

void shift_broadcast_time(std::uint8_t* bytes, wire::UnixSeconds seconds) {
  const Packet packet(bytes);
  const wire::Bytes payload = packet.payload();
  if (!packet.payload_unit_start() || packet.scrambling_control() != 0 || payload.empty()) return;
  constexpr std::size_t kTimeSize = 5;
  for (std::size_t at = 1 + std::size_t{payload[0]}; at + kSectionHeaderSize + kTimeSize <= payload.size();) {
    const std::uint8_t table = payload[at];
    const std::size_t size = section_size(payload.subspan(at));
    if ((table != table_id::kTdt && table != table_id::kTot) || size < kSectionHeaderSize + kTimeSize ||
        at + size > payload.size()) {
      return;
    }
    std::uint8_t* const section = bytes + (payload.data() - bytes) + at;
    wire::Cursor cursor(wire::Bytes(section + kSectionHeaderSize, kTimeSize));
    if (const auto utc = wire::mjd_time(cursor.u40())) {
      const std::uint64_t moved = wire::to_mjd_time(*utc + seconds);
      for (std::size_t i = 0; i < kTimeSize; ++i) {
        section[kSectionHeaderSize + i] = static_cast<std::uint8_t>(moved >> 8 * (kTimeSize - 1 - i));
      }
      if (table == table_id::kTot && size >= kSectionHeaderSize + kTimeSize + kCrcSize) write_crc({section, size});
    }
    at += size;
  }
}

bool keep_clock_only(const std::uint8_t* packet, std::uint8_t* out) {
  if (!Packet(packet).pcr()) return false;
  constexpr std::size_t kToEndOfPcr = 4 + 1 + 1 + kClockReferenceSize;
  std::memmove(out, packet, kToEndOfPcr);
  std::fill(out + kToEndOfPcr, out + kPacketSize, std::uint8_t{0xFF});
  out[1] &= 0x1F;                                              // PID only
  out[3] = static_cast<std::uint8_t>(0x20 | (out[3] & 0x0F));  // adaptation field only, clear
  out[4] = kPacketSize - 5;
  out[5] &= 0x90;  // discontinuity_indicator, PCR_flag
  return true;
}

}  // namespace receiverd::dvb
