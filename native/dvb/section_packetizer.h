// Sections to transport packets of one PID (ISO/IEC 13818-1 §2.4.4): the inverse of SectionAssembler.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dvb/packet.h"
#include "dvb/section.h"

namespace receiverd::dvb {

class SectionPacketizer {
 public:
  explicit SectionPacketizer(std::uint16_t pid) : pid_(pid) {}

  /// Appends the packets of one section to `packets`: it begins a packet (pointer_field 0), the last one is filled with
  /// 0xFF. The continuity counter goes on from call to call.
  void write(wire::Bytes section, std::vector<std::uint8_t>& packets);

  std::uint16_t pid() const { return pid_; }
  std::uint8_t continuity_counter() const { return continuity_; }

 private:
  std::uint16_t pid_;
  std::uint8_t continuity_ = 0;
};

/// Makes it a null packet (PID 0x1FFF).
void write_null_packet(std::span<std::uint8_t, kPacketSize> packet);

}  // namespace receiverd::dvb
