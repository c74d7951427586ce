// Splits sections into transport packets of one PID (ISO/IEC 13818-1 §2.4.4): the inverse of SectionAssembler.
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

  /// Appends the packets of one section to `packets`. The section starts a packet (pointer_field 0), and the last
  /// packet is filled up with 0xFF. The continuity counter continues from call to call.
  void write(wire::Bytes section, std::vector<std::uint8_t>& packets);

  std::uint16_t pid() const { return pid_; }
  std::uint8_t continuity_counter() const { return continuity_; }

 private:
  std::uint16_t pid_;
  std::uint8_t continuity_ = 0;
};

/// Turns `packet` into a null packet (PID 0x1FFF).
void write_null_packet(std::span<std::uint8_t, kPacketSize> packet);

}  // namespace receiverd::dvb
