#include "recording/entry_tables.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "dvb/packet.h"

namespace receiverd::recording {

namespace {

constexpr std::size_t kHead = 4;
/// Adaptation field with its length and only the discontinuity_indicator, then the pointer_field.
constexpr std::array<std::uint8_t, 3> kFirstHead = {1, 0x80, 0};

}  // namespace

void write_entry_section(wire::Bytes section, std::uint16_t pid, std::uint8_t last_counter,
                         std::vector<std::uint8_t>& packets) {
  if (section.empty()) return;
  constexpr std::size_t kPayload = dvb::kPacketSize - kHead;
  const std::size_t count = (kFirstHead.size() + section.size() + kPayload - 1) / kPayload;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = packets.size();
    packets.resize(at + dvb::kPacketSize, 0xFF);
    std::uint8_t* packet = packets.data() + at;
    packet[0] = dvb::kSyncByte;
    packet[1] = static_cast<std::uint8_t>((i == 0 ? 0x40 : 0) | (pid >> 8 & 0x1F));
    packet[2] = static_cast<std::uint8_t>(pid);
    packet[3] = static_cast<std::uint8_t>((i == 0 ? 0x30 : 0x10) | ((last_counter + 1 + i - count) & 0x0F));
    std::size_t head = kHead;
    if (i == 0) head = static_cast<std::size_t>(std::ranges::copy(kFirstHead, packet + kHead).out - packet);
    const std::size_t part = std::min(section.size(), dvb::kPacketSize - head);
    std::copy_n(section.begin(), part, packet + head);
    section = section.subspan(part);
  }
}

}  // namespace receiverd::recording
