#include "dvb/section_packetizer.h"

#include <algorithm>

namespace receiverd::dvb {

void SectionPacketizer::write(wire::Bytes section, std::vector<std::uint8_t>& packets) {
  bool first = true;
  while (first || !section.empty()) {
    const std::size_t at = packets.size();
    packets.resize(at + kPacketSize, 0xFF);
    std::uint8_t* packet = packets.data() + at;
    packet[0] = kSyncByte;
    packet[1] = static_cast<std::uint8_t>((first ? 0x40 : 0) | (pid_ >> 8 & 0x1F));
    packet[2] = static_cast<std::uint8_t>(pid_);
    packet[3] = static_cast<std::uint8_t>(0x10 | continuity_);
    continuity_ = (continuity_ + 1) & 0x0F;
    std::size_t head = 4;
    if (first) packet[head++] = 0;  // pointer_field
    const std::size_t part = std::min(section.size(), kPacketSize - head);
    std::copy_n(section.begin(), part, packet + head);
    section = section.subspan(part);
    first = false;
  }
}

void write_null_packet(std::span<std::uint8_t, kPacketSize> packet) {
  std::fill(packet.begin(), packet.end(), std::uint8_t{0xFF});
  packet[0] = kSyncByte;
  packet[1] = kNullPid >> 8;
  packet[2] = kNullPid & 0xFF;
  packet[3] = 0x10;
}

}  // namespace receiverd::dvb
