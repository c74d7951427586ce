// One elementary stream on its way into transport packets (ISO/IEC 13818-1 §2.4.3): PES packets of access units, the
// PCR where the PID carries one, random access marks, stuffing.
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

  /// Begins a PES packet. `pts` in 90 kHz; presentation and decoding time are the same, there are no B pictures.
  /// `stream_id` 0xE0 video (length not stated), 0xC0 audio.
  void begin(std::uint8_t stream_id, std::int64_t pts, bool random_access, std::span<const std::uint8_t> unit);

  /// Writes the next packet of the unit into 188 bytes. `pcr` in 27 MHz, negative = none.
  void write(std::uint8_t* packet, std::int64_t pcr, bool discontinuity);

  /// A packet with nothing but a PCR; the continuity counter stays (§2.4.3.3).
  void write_pcr_only(std::uint8_t* packet, std::int64_t pcr, bool discontinuity) const;

 private:
  std::uint16_t pid_;
  std::uint8_t continuity_ = 0;
  bool random_access_ = false;
  ByteVector unit_;
  std::size_t sent_ = 0;
};

}  // namespace receiverd::dvb::demo
