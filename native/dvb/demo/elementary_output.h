// Packs one elementary stream into transport packets (ISO/IEC 13818-1 §2.4.3): PES packets of access units, the PCR if
// the PID carries it, random access marks, stuffing.
#pragma once

#include <cstdint>
#include <span>

#include "dvb/demo/bit_writer.h"
#include "dvb/packet.h"

namespace receiverd::dvb::demo {

class ElementaryOutput {
 public:
  explicit ElementaryOutput(std::uint16_t pid) : pid_(pid) {}

  std::uint16_t pid() const { return pid_; }
  bool idle() const { return sent_ >= unit_.size(); }

  /// Starts a PES packet. `pts` is in 90 kHz; presentation and decoding time are equal, since there are no B pictures.
  /// `stream_id` is 0xE0 for video (length not given) or 0xC0 for audio.
  void begin(std::uint8_t stream_id, std::int64_t pts, bool random_access, std::span<const std::uint8_t> unit);

  /// Writes the next packet of the unit into 188 bytes. `pcr` is in 27 MHz; negative means none.
  void write(std::uint8_t* packet, std::int64_t pcr, bool discontinuity);

  /// Writes a packet with only a PCR; the continuity counter stays the same (§2.4.3.3).
  void write_pcr_only(std::uint8_t* packet, std::int64_t pcr, bool discontinuity) const;

 private:
  std::uint16_t pid_;
  std::uint8_t continuity_ = 0;
  bool random_access_ = false;
  ByteVector unit_;
  std::size_t sent_ = 0;
};

}  // namespace receiverd::dvb::demo
