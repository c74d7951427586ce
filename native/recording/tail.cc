#include "recording/tail.h"

#include <algorithm>
#include <map>

namespace receiverd::recording {

namespace {

constexpr std::size_t kPesLengthEnd = 6;  // bytes up to and including PES_packet_length

/// The last PES packet of a PID.
struct Unit {
  std::size_t offset = 0;   // of the packet that starts it
  std::size_t missing = 0;  // bytes
};

bool is_picture(std::uint8_t stream_id) { return (stream_id & 0xF0) == 0xE0 || stream_id == 0xFD; }

}  // namespace

const std::array<std::uint8_t, dvb::kPacketSize>& null_packet() {
  static const auto packet = [] {
    std::array<std::uint8_t, dvb::kPacketSize> bytes;
    bytes.fill(0xFF);
    bytes[0] = dvb::kSyncByte;
    bytes[1] = dvb::kNullPid >> 8;
    bytes[2] = dvb::kNullPid & 0xFF;
    bytes[3] = 0x10;
    return bytes;
  }();
  return packet;
}

std::size_t blank_torn_units(std::span<std::uint8_t> packets) {
  std::map<std::uint16_t, Unit> units;
  for (std::size_t at = 0; at + dvb::kPacketSize <= packets.size(); at += dvb::kPacketSize) {
    const dvb::Packet packet(packets.data() + at);
    const wire::Bytes payload = packet.payload();
    if (packet.payload_unit_start()) {
      units.erase(packet.pid());
      const bool begins = payload.size() >= kPesLengthEnd && payload[0] == 0 && payload[1] == 0 && payload[2] == 1;
      if (!begins || is_picture(payload[3])) continue;
      const std::size_t length = std::size_t{payload[4]} << 8 | payload[5];
      // Without a length it may continue until the next one starts.
      const std::size_t size = length == 0 ? packets.size() + dvb::kPacketSize : kPesLengthEnd + length;
      units[packet.pid()] = {at, size - std::min(size, payload.size())};
    } else if (const auto unit = units.find(packet.pid()); unit != units.end()) {
      unit->second.missing -= std::min(unit->second.missing, payload.size());
    }
  }
  std::erase_if(units, [](const auto& unit) { return unit.second.missing == 0; });
  std::size_t first = packets.size();
  for (std::size_t at = 0; at + dvb::kPacketSize <= packets.size(); at += dvb::kPacketSize) {
    const auto unit = units.find(dvb::Packet(packets.data() + at).pid());
    if (unit == units.end() || at < unit->second.offset) continue;
    std::ranges::copy(null_packet(), packets.begin() + static_cast<std::ptrdiff_t>(at));
    first = std::min(first, at);
  }
  return first;
}

}  // namespace receiverd::recording
