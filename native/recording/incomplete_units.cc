#include "recording/incomplete_units.h"

#include <algorithm>
#include <map>

#include "dvb/packets/clock_shift.h"
#include "dvb/packets/section_writer.h"

namespace receiverd::recording {

namespace {

constexpr std::size_t kPesLengthEnd = 6;        // bytes up to and including PES_packet_length
constexpr std::uint8_t kExtendedStream = 0xFD;  // stream_id of VC-1 and other video

/// The last PES packet of a PID.
struct Unit {
  std::size_t offset = 0;   // of the packet that starts it
  std::size_t missing = 0;  // bytes still missing
};

}  // namespace

std::size_t blank_incomplete_units(std::span<std::uint8_t> packets) {
  std::map<std::uint16_t, Unit> units;
  for (std::size_t at = 0; at + dvb::kPacketSize <= packets.size(); at += dvb::kPacketSize) {
    const dvb::Packet packet(packets.data() + at);
    const wire::Bytes payload = packet.payload();
    if (packet.payload_unit_start()) {
      units.erase(packet.pid());
      const auto head = dvb::read_pes_head(packet);
      if (!head || head->is_video() || head->stream_id == kExtendedStream) continue;
      // Without a length it is incomplete until the next one starts.
      const std::size_t size = head->length == 0 ? packets.size() + dvb::kPacketSize : kPesLengthEnd + head->length;
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
    dvb::write_null_packet(packets.subspan(at).first<dvb::kPacketSize>());
    first = std::min(first, at);
  }
  return first;
}

}  // namespace receiverd::recording
