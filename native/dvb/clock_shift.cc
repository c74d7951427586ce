#include "dvb/clock_shift.h"

#include <algorithm>
#include <cstring>

#include "dvb/section.h"
#include "wire/crc32.h"

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
  const std::uint64_t base = std::uint64_t{field[0]} << 25 | std::uint64_t{field[1]} << 17 |
                             std::uint64_t{field[2]} << 9 | std::uint64_t{field[3]} << 1 | field[4] >> 7;
  // The shift is a whole number of 90 kHz ticks, so the extension stays.
  const std::uint64_t moved = (base + shift / 300) % kPtsModulus;
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

bool begins_pes(wire::Bytes payload) {
  return payload.size() >= 6 && payload[0] == 0 && payload[1] == 0 && payload[2] == 1;
}

/// stream_ids whose PES packets have no flags and no time stamps (§2.4.3.6, table 2-21).
bool has_pes_flags(std::uint8_t stream_id) {
  switch (stream_id) {
    case 0xBC:  // program_stream_map
    case 0xBE:  // padding_stream
    case 0xBF:  // private_stream_2
    case 0xF0:  // ECM
    case 0xF1:  // EMM
    case 0xF2:  // DSM-CC
    case 0xF8:  // H.222.1 type E
    case 0xFF:  // program_stream_directory
      return false;
    default:
      return stream_id >= 0xBC;
  }
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

/// MJD in 16 bits and six BCD digits (EN 300 468 Annex C).
std::uint64_t to_mjd(wire::UnixSeconds utc) {
  constexpr wire::UnixSeconds kDay = 86400;
  constexpr wire::UnixSeconds kMjdOf1970 = 40587;
  const auto bcd = [](wire::UnixSeconds value) { return static_cast<std::uint64_t>(value / 10 << 4 | value % 10); };
  const wire::UnixSeconds second = utc % kDay;
  return static_cast<std::uint64_t>(utc / kDay + kMjdOf1970) << 24 | bcd(second / 3600) << 16 |
         bcd(second / 60 % 60) << 8 | bcd(second % 60);
}

}  // namespace

std::int64_t pcr_difference(std::uint64_t a, std::uint64_t b) { return short_way(a, b, kPcrModulus); }
std::int64_t pts_difference(std::uint64_t a, std::uint64_t b) { return short_way(a, b, kPtsModulus); }

std::optional<PesHead> read_pes_head(Packet packet) {
  if (!packet.payload_unit_start() || packet.scrambling_control() != 0) return std::nullopt;
  const wire::Bytes payload = packet.payload();
  if (!begins_pes(payload)) return std::nullopt;
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
  if (!packet.payload_unit_start() || packet.scrambling_control() != 0) return;
  const wire::Bytes payload = packet.payload();
  if (!begins_pes(payload)) return;
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
    const std::size_t size = kSectionHeaderSize + (std::size_t{payload[at + 1] & 0x0FU} << 8 | payload[at + 2]);
    if ((table != table_id::kTdt && table != table_id::kTot) || size < kSectionHeaderSize + kTimeSize ||
        at + size > payload.size()) {
      return;
    }
    std::uint8_t* const section = bytes + (payload.data() - bytes) + at;
    wire::Cursor cursor(wire::Bytes(section + kSectionHeaderSize, kTimeSize));
    if (const auto utc = wire::mjd_time(cursor.u40())) {
      const std::uint64_t moved = to_mjd(*utc + seconds);
      for (std::size_t i = 0; i < kTimeSize; ++i) {
        section[kSectionHeaderSize + i] = static_cast<std::uint8_t>(moved >> 8 * (kTimeSize - 1 - i));
      }
      if (table == table_id::kTot && size >= kSectionHeaderSize + kTimeSize + kCrcSize) {
        const std::uint32_t crc = wire::crc32({section, size - kCrcSize});
        for (std::size_t i = 0; i < kCrcSize; ++i) {
          section[size - kCrcSize + i] = static_cast<std::uint8_t>(crc >> 8 * (kCrcSize - 1 - i));
        }
      }
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
